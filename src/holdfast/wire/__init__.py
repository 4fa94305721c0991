"""What models and their clients say to each other: bytes in, events out. No socket, no asyncio.

    stream = answer_stream("messages", streamed=True)
    for event in stream.feed(chunk):      # whole events, however the bytes were cut
        answer.take(event)
    for event in stream.finish():         # what was left when the connection ended
        answer.take(event)

    request = read_request("messages", body)      # turns, and who said what in them
    body = splice(body, "messages", text)         # the client's bytes, and the text behind them

Nothing here raises for what a peer sends, except `Unreadable` for a request that is none: the bytes
pass by anyway, and what could not be read is counted. No key and no header is looked at here.
"""
