"""Between a client and a model: what the model sees of the code is what is true.

Works with what crosses it and nothing else: no file, no git, no search.
"""
