"""What a client did not carry out is taken back, also from under what it did; over HTTP."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from holdfast.testing.model_server import ModelServer, Reply, Said, ToolCall
from tests.proxy.running import Chat, Running, fenced, options

TOTAL = "def total(prices):\n    return sum(prices)"
TAX = "def tax(x):\n    return x * 2"
SHOP = f"{TOTAL}\n\n\n{TAX}\n"
CART = (
    "class Cart:\n    def add(self, x):\n        self.items.append(x)\n        return self\n\n"
    "    def drop(self, x):\n        self.items.remove(x)\n        return self\n"
)
OTHER_CART = (
    "class Cart:\n    def add(self, x):\n        # all that it does, it does here and nowhere\n"
    "        self.items.append(x); self.log(x)\n        return self\n"
)


def edits(*pairs: tuple[str, str], path: str = "shop.py", first: int = 0) -> Said:
    """Let the model change a file by several calls of one answer."""
    calls = (
        ToolCall("Edit", {"file_path": path, "old_string": old, "new_string": new}, f"c{number}")
        for number, (old, new) in enumerate(pairs, first)
    )
    return Said(calls=tuple(calls))


def pasted(chat: Chat, answer: Said, text: str = SHOP, path: str = "shop.py") -> None:
    """Let the user paste a file, and the model answer what the user says next."""
    chat.server.say(Said("I see"), answer)
    chat.say(fenced(path, text))
    chat.proxy.look("/state")  # what was said is settled then
    chat.say("change it")
    chat.proxy.look("/state")


def ask(chat: Chat, words: str) -> str:
    """Say something once all is settled; return it as the model got it."""
    chat.proxy.look("/state")
    chat.say(words)
    return chat.seen()


def texts(chat: Chat, *names: str, path: str = "shop.py") -> list[str | None]:
    return [chat.proxy.true_text(f"{path}::{name}") for name in names]


# From under another change


@pytest.mark.req("T6", "T15")
def test_a_failed_change_under_one_that_was_made_does_not_come_back(chat: Chat) -> None:
    pasted(chat, edits(("sum(prices)", "max(prices)"), ("x * 2", "x * 3")))
    chat.server.say(edits(("x * 3", "x * 4"), first=2))
    chat.results(("c0", "Error: no"), ("c1", "ok"))
    assert texts(chat, "total", "tax") == [TOTAL, TAX.replace("2", "4")]
    chat.results(("c2", "ok"))
    assert texts(chat, "total", "tax") == [TOTAL, TAX.replace("2", "4")]
    assert chat.proxy.look("/state")["digest"] == chat.proxy.rebuilt()[1]


@pytest.mark.req("T6", "T15")
def test_changes_that_were_made_both_stay(chat: Chat) -> None:
    pasted(chat, edits(("sum(prices)", "max(prices)"), ("x * 2", "x * 3")))
    chat.results(("c0", "ok"), ("c1", "ok"))
    assert texts(chat, "total", "tax") == [TOTAL.replace("sum", "max"), TAX.replace("2", "3")]


@pytest.mark.req("T6")
@pytest.mark.parametrize("order", [("c0", "c1"), ("c1", "c0")])
def test_failed_changes_of_one_another_are_all_taken_back(
    chat: Chat, order: tuple[str, str]
) -> None:
    pasted(chat, edits(("sum(prices)", "max(prices)"), ("max(prices)", "min(prices)")))
    assert texts(chat, "total") == [TOTAL.replace("sum", "min")]
    chat.server.say(edits(("x * 2", "x * 4"), first=2))
    chat.results(*((call, "Error: no") for call in order))
    assert texts(chat, "total", "tax") == [TOTAL, TAX.replace("2", "4")]


@pytest.mark.req("T6")
def test_a_class_is_what_its_methods_are_after_one_of_two_changes_failed(chat: Chat) -> None:
    changes = edits(("append(x)", "insert(0, x)"), ("remove(x)", "clear()"), path="cart.py")
    pasted(chat, changes, CART, "cart.py")
    chat.results(("c0", "Error: no"), ("c1", "ok"))
    made = CART.replace("remove(x)", "clear()").rstrip("\n")
    assert texts(chat, "Cart", path="cart.py") == [made]
    method = made[made.index("def add") : made.index("\n\n")]
    assert texts(chat, "Cart.add", path="cart.py") == [method]


@pytest.mark.req("T6")
def test_a_change_that_needs_one_that_failed_leaves_the_file_in_doubt(chat: Chat) -> None:
    pasted(chat, edits(("sum(prices)", "max(prices)"), ("max(prices)", "min(prices)")))
    chat.server.say(Said("hm"), Said("so"))
    chat.results(("c0", "Error: no"), ("c1", "ok"))
    shown = ask(chat, "what does shop.py::total do?")
    assert "no longer as on disk" in shown
    assert "return" not in shown
    assert chat.proxy.state()["shop.py::tax"] == "AUTHORITATIVE"


@pytest.mark.req("T6")
def test_a_file_that_was_written_since_stays_whatever_failed_before(chat: Chat) -> None:
    new = SHOP.replace("sum", "max").replace("x * 2", "x * 5")
    write = ToolCall("Write", {"file_path": "shop.py", "content": new}, "c1")
    first = edits(("sum(prices)", "max(prices)")).calls[0]
    pasted(chat, Said(calls=(first, write)))
    chat.results(("c0", "Error: no"), ("c1", "ok"))
    assert texts(chat, "total", "tax") == [TOTAL.replace("sum", "max"), TAX.replace("2", "5")]


# Calls that nobody tells the results of


@pytest.mark.req("T6")
def test_a_change_whose_result_never_comes_is_doubted_when_the_user_goes_on(chat: Chat) -> None:
    pasted(chat, edits(("sum(prices)", "max(prices)")))
    chat.say("never mind")
    shown = ask(chat, "what does shop.py::total do?")
    assert "no longer as on disk" in shown
    assert "max" not in shown


@pytest.mark.req("T6")
def test_a_change_that_was_gone_back_behind_is_doubted(chat: Chat) -> None:
    pasted(chat, edits(("sum(prices)", "max(prices)")))
    chat.messages = chat.messages[:3]
    chat.say("something else, then")
    assert "no longer as on disk" in ask(chat, "what does shop.py::total do?")


@pytest.mark.req("T6")
def test_a_change_whose_result_came_is_not_doubted_when_the_user_goes_on(chat: Chat) -> None:
    pasted(chat, edits(("sum(prices)", "max(prices)")))
    chat.results(("c0", "ok"))
    chat.say("never mind")
    shown = ask(chat, "what does shop.py::total do?")
    assert "max(prices)" in shown
    assert "NOT SHOWN" not in shown


@pytest.mark.lesson("T6")
def test_a_request_beside_the_conversation_does_not_make_it_forget_its_calls(chat: Chat) -> None:
    session = {"X-Claude-Code-Session-Id": "s-1"}

    def ask(*messages: Any) -> None:
        body = {"model": "scripted", "messages": [chat.messages[0], *messages]}
        assert chat.proxy.ask("/v1/chat/completions", body, headers=session).status == 200

    chat.server.say(Said("I see"), edits(("sum(prices)", "max(prices)")), Said("A title"))
    paste = {"role": "user", "content": fenced("shop.py", SHOP)}
    history = [paste, {"role": "assistant", "content": "I see"}, {"role": "user", "content": "go"}]
    ask(paste)
    ask(*history)
    assert texts(chat, "total") == [TOTAL.replace("sum", "max")]
    ask({"role": "user", "content": "Write a title for this conversation."})
    function = {"name": "Edit", "arguments": "{}"}
    call = {"id": "c0", "type": "function", "function": function}
    result = {"role": "tool", "tool_call_id": "c0", "content": "Error: denied"}
    ask(*history, {"role": "assistant", "content": None, "tool_calls": [call]}, result)
    assert texts(chat, "total") == [TOTAL]
    assert chat.proxy.entries("desk_changed") == []


@pytest.mark.req("T6")
@pytest.mark.parametrize("result", ["Error: no", "ok"])
def test_a_change_that_fails_after_a_restart_is_doubted(
    server: ModelServer, tmp_path: Path, result: str
) -> None:
    with Running(options(tmp_path / "ledger.db", server.url)) as proxy:
        chat = Chat(proxy, server)
        pasted(chat, edits(("sum(prices)", "max(prices)")))
    with Running(options(tmp_path / "ledger.db", server.url)) as proxy:
        chat.proxy = proxy
        server.say(Said("hm"), Said("so"))
        chat.results(("c0", result))
        shown = ask(chat, "what does shop.py::total do?")
        assert ("no longer as on disk" in shown) == (result != "ok")
        assert ("max(prices)" in shown) == (result == "ok")
        assert proxy.state()["shop.py::tax"] == "AUTHORITATIVE"


# Requests that are sent again


@pytest.mark.req("T11")
@pytest.mark.lesson("T6")
def test_what_the_user_pasted_is_true_again_when_another_answer_is_asked_for(chat: Chat) -> None:
    chat.server.say(Said(fenced("shop.py", SHOP.replace("sum", "max"))), Said("no idea"))
    chat.say(f"better?\n\n{fenced('shop.py', SHOP)}")
    assert texts(chat, "total") == [TOTAL.replace("sum", "max")]
    chat.messages.pop()
    chat.go_on()
    assert texts(chat, "total") == [TOTAL]


@pytest.mark.lesson("T6")
def test_a_paste_that_is_still_so_is_not_taken_in_again(chat: Chat) -> None:
    chat.server.say(Said("fine"), Said("fine"))
    chat.say(f"better?\n\n{fenced('shop.py', SHOP)}")
    chat.messages.pop()
    chat.go_on()
    assert len(chat.proxy.entries("artifact_seen")) == 1


# Verification


@pytest.fixture
def cart(chat: Chat) -> Chat:
    """A conversation that a class is known in front of, which another one brought."""
    other = another(chat)
    other.say(fenced("cart.py", CART))
    chat.proxy.look("/state")
    return chat


def another(chat: Chat) -> Chat:
    made = Chat(chat.proxy, chat.server)
    made.messages[0] = {"role": "system", "content": "Another one."}
    return made


@pytest.mark.req("T7")
@pytest.mark.lesson("T6")
def test_who_goes_on_with_what_the_model_made_of_what_it_was_shown_verifies_it(cart: Chat) -> None:
    cart.server.say(Said(fenced("cart.py", OTHER_CART)))
    assert "[CURRENT STATE" in ask(cart, "improve cart.py::Cart")
    assert texts(cart, "Cart", path="cart.py") == [CART.rstrip("\n")]
    cart.say("now document cart.py::Cart")
    assert texts(cart, "Cart", path="cart.py") == [OTHER_CART.rstrip("\n")]


@pytest.mark.req("T7")
@pytest.mark.lesson("T6")
def test_nobody_verifies_what_another_conversation_proposed(cart: Chat) -> None:
    assert "[CURRENT STATE" in ask(cart, "explain cart.py::Cart")
    cart.server.say(Said(fenced("cart.py", OTHER_CART)))
    another(cart).say("rewrite it")
    ask(cart, "now document cart.py::Cart")
    assert texts(cart, "Cart", path="cart.py") == [CART.rstrip("\n")]


@pytest.mark.req("T7")
def test_nobody_verifies_what_was_proposed_before_it_was_shown(cart: Chat) -> None:
    cart.server.say(Said(fenced("cart.py", OTHER_CART)))
    cart.say("rewrite it")
    assert "[CURRENT STATE" in ask(cart, "explain cart.py::Cart")
    ask(cart, "now document cart.py::Cart")
    assert texts(cart, "Cart", path="cart.py") == [CART.rstrip("\n")]


@pytest.mark.req("T7")
def test_an_answer_that_failed_in_between_neither_shows_nor_hides_anything(cart: Chat) -> None:
    cart.server.say(Said(fenced("cart.py", OTHER_CART)), Reply(b"{}", status=500, reason="no"))
    assert "[CURRENT STATE" in ask(cart, "improve cart.py::Cart")
    words = {"role": "user", "content": "and then?"}
    body = {"model": "scripted", "messages": [*cart.messages, words]}
    assert cart.proxy.ask("/v1/chat/completions", body).status == 500
    assert texts(cart, "Cart", path="cart.py") == [CART.rstrip("\n")]
    ask(cart, "now document cart.py::Cart")
    assert texts(cart, "Cart", path="cart.py") == [OTHER_CART.rstrip("\n")]


# Too little of one definition


def large(body: str) -> str:
    rest = "".join(
        f"\n\ndef f{n}(x):\n"
        + "".join(f"    z{m} = x * {m}\n" for m in range(8))
        + "    return x\n"
        for n in range(12)
    )
    return f"def big(x):\n{body}{rest}"


BODY = "".join(f"    y{n} = x + {n}\n" for n in range(40)) + "    return x\n"


@pytest.mark.req("T8")
@pytest.mark.parametrize("body", ["    pass\n", "    raise NotImplementedError\n"])
def test_a_definition_of_which_too_little_is_left_waits_and_the_others_go_on(
    chat: Chat, body: str
) -> None:
    new = large(body).replace(
        "z7 = x * 7\n    return x\n\n\ndef f1(", "z7 = 0\n    return x\n\n\ndef f1("
    )
    chat.server.say(Said("I see"), Said(fenced("b.py", new)))
    chat.say(fenced("b.py", large(BODY)))
    chat.say("shorter")
    assert texts(chat, "big", path="b.py") == [f"def big(x):\n{BODY}".rstrip("\n")]
    assert "z7 = 0" in (texts(chat, "f0", path="b.py")[0] or "")
    reasons = [
        reason for _, after, _, reason in chat.proxy.moves("b.py::big") if after == "PROPOSED"
    ]
    assert "big" in reasons[-1]


@pytest.mark.req("T8")
def test_a_definition_of_which_enough_is_left_goes_on(chat: Chat) -> None:
    half = "".join(f"    y{n} = x + {n}\n" for n in range(25)) + "    return x\n"
    chat.server.say(Said("I see"), Said(fenced("b.py", large(half))))
    chat.say(fenced("b.py", large(BODY)))
    chat.say("shorter")
    assert texts(chat, "big", path="b.py") == [f"def big(x):\n{half}".rstrip("\n")]


@pytest.mark.req("T8")
@pytest.mark.parametrize(
    ("path", "text", "stub"),
    [
        ("a.py", "def f(a):\n    return a\n", "def f(a):\n    raise NotImplementedError\n"),
        (
            "a.py",
            "class A:\n    def f(self):\n        return 1\n",
            'class A:\n    def f(self):\n        """Do it."""\n'
            '        raise NotImplementedError("later")\n',
        ),
        (
            "a.ts",
            "function f(a: number) {\n  return a;\n}\n",
            'function f(a: number) {\n  throw new Error("Not implemented");\n}\n',
        ),
        ("a.rs", "fn f(a: u8) -> u8 {\n    a\n}\n", "fn f(a: u8) -> u8 {\n    todo!()\n}\n"),
    ],
)
def test_a_stub_in_the_place_of_a_body_changes_nothing_and_a_new_one_is_what_it_is(
    chat: Chat, path: str, text: str, stub: str
) -> None:
    chat.server.say(Said("I see"), Said(fenced(path, stub)), Said(fenced(f"new/{path}", stub)))
    chat.say(fenced(path, text))
    before = {one["entity"]: one["artifact"] for one in chat.proxy.look("/state")["entities"]}
    chat.say("change it")
    after = {one["entity"]: one["artifact"] for one in chat.proxy.look("/state")["entities"]}
    assert after == before
    chat.say("another file, then")
    assert any(name.startswith("new/") for name in chat.proxy.state())


@pytest.mark.req("T8", "T15")
def test_what_a_change_takes_away_from_a_class_is_not_missed(chat: Chat) -> None:
    grown = CART.replace(
        "    def drop",
        "    def many(self, xs):\n" + BODY.replace("    ", " " * 8) + "\n    def drop",
    )
    many = grown[grown.index("    def many") : grown.index("    def drop")]
    pasted(chat, edits((many, ""), path="cart.py"), grown, "cart.py")
    assert texts(chat, "Cart", "Cart.many", path="cart.py") == [CART.rstrip("\n"), None]


# A change that was not taken


@pytest.mark.req("T15")
def test_after_a_change_that_was_not_taken_other_definitions_go_on(chat: Chat) -> None:
    lossy = ToolCall("Write", {"file_path": "shop.py", "content": f"{TOTAL}\n"}, "c0")
    pasted(chat, Said(calls=(lossy,)))
    chat.server.say(edits(("sum(prices)", "max(prices)"), first=1))
    chat.results(("c0", "ok"))
    assert texts(chat, "total", "tax") == [TOTAL.replace("sum", "max"), TAX]


@pytest.mark.req("T15")
def test_after_a_change_that_was_not_taken_what_it_touched_waits(chat: Chat) -> None:
    new = SHOP.replace("x * 2", "x * 9").replace("def total", "def sums")
    lossy = ToolCall("Write", {"file_path": "shop.py", "content": new}, "c0")
    pasted(chat, Said(calls=(lossy,)))
    chat.server.say(edits(("x * 2", "x * 3"), first=1))
    chat.results(("c0", "ok"))
    assert texts(chat, "total", "tax") == [TOTAL, TAX]
