"""Which entities a text names: `src/a.py::Class.method`, a path, a symbol.

Whole words only, and nothing is guessed: a short name that several entities have names none of
them, unless the text names the file of one. One look at a text costs what the text is long, however
many entities there are: its words are looked up, not the names searched for.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Iterator, Set
from itertools import filterfalse
from typing import Final, TypeAlias

from holdfast.code.languages import language_of
from holdfast.kernel.limits import PROXY_ALIKE_MAX
from holdfast.proxy.paths import is_absolute, own_prefix

SEPARATOR: Final = "::"

_SIGNS: Final = "@~+#./\\:-"
"""What paths and qualified names are made of besides letters; no name ends in one."""

_WORD: Final = re.compile(rf"[\w${re.escape(_SIGNS)}]+")

_BETWEEN: Final = "".join(chr(code) for code in range(128) if not _WORD.fullmatch(chr(code)))
_TO_SPACES: Final = bytes.maketrans(_BETWEEN.encode(), b" " * len(_BETWEEN))

_DATA: Final = frozenset({"css", "html", "ini", "json", "markdown", "scss", "toml", "yaml"})
_NOTEBOOK: Final = ".ipynb"
"""Files whose keys and headings are everyday words: alone, such a word names nothing of theirs."""

_Many: TypeAlias = dict[str, None]
"""Several, as keys: that takes a third of the room that a set takes."""
_Names: TypeAlias = dict[str, str | _Many]
"""What goes by a name: mostly one."""


class Names:
    """The names of entities. An entity is a path and a symbol with `::` between.

    May be used by several threads: who looks waits while a name is added or removed.
    """

    def __init__(self, entities: Iterable[str] = (), *, project: str | None = None) -> None:
        self.changes = 0
        """Grows with every name that is added or removed."""
        self._project = project
        self._lock = threading.Lock()
        self._size = 0
        self._by_path: dict[str, _Many] = {}
        self._by_symbol: _Names = {}
        self._by_key: _Names = {}
        """The same for files of data, whose symbols count only beside their path."""
        self._paths_by_tail: _Names = {}
        self._plain_paths: set[str] = set()
        for entity in entities:
            self.add(entity)

    def __len__(self) -> int:
        return self._size

    def add(self, entity: str) -> None:
        """Let an entity be found from now on."""
        with self._lock:
            path, _, symbol = entity.partition(SEPARATOR)
            if entity in self._by_path.get(path, ()):
                return
            self.changes += 1
            self._size += 1
            if path not in self._by_path:
                for tail in _tails(path):
                    _put(self._paths_by_tail, tail, path)
                if path.isidentifier():
                    self._plain_paths.add(path)
            self._by_path.setdefault(path, {})[entity] = None
            for name in _ends(symbol):
                _put(self._by_key if _is_data(path) else self._by_symbol, name, entity)

    def remove(self, entity: str) -> None:
        """Let an entity be found no longer."""
        with self._lock:
            path, _, symbol = entity.partition(SEPARATOR)
            known = self._by_path.get(path, {})
            if entity not in known:
                return
            self.changes += 1
            self._size -= 1
            del known[entity]
            if not known:
                del self._by_path[path]
                for tail in _tails(path):
                    _take(self._paths_by_tail, tail, path)
                self._plain_paths.discard(path)
            for name in _ends(symbol):
                _take(self._by_key if _is_data(path) else self._by_symbol, name, entity)

    def find(self, text: str, root: str | None = None) -> list[str]:
        """Return the entities that a text names, sorted.

        A path that is named alone stands for all its entities only when the text names none of
        them; with one of its symbols beside it, for that one. Where files or symbols of several
        folders go by the same name, those of `root`, in which the speaker works, are meant.
        """
        plain, signed = _words(text)
        own = own_prefix(root, self._project)
        with self._lock:
            # Most words are plain, and none of ours: that is told at once for all of them.
            paths = self._paths(plain, signed, own)
            found: set[str] = set()
            for word in signed:
                if ":" in word or "\\" in word or word[0] in "./":
                    found |= self._read(word, paths, own)
            symbols = plain & self._by_symbol.keys()
            symbols |= signed & self._by_symbol.keys()
            for name in symbols:
                named = _own(self._by_symbol[name], own)
                if isinstance(named, str):
                    found.add(named)
                else:
                    found.update(*(named.keys() & self._by_path[path].keys() for path in paths))
            for path in filter(_is_data, paths):
                own_keys = self._by_path[path].keys()
                keys = plain & self._by_key.keys() | signed & self._by_key.keys()
                found.update(*(own_keys & _all(self._by_key[key]) for key in keys))
            told = {entity.partition(SEPARATOR)[0] for entity in found}
            for path in paths - told:
                found.update(self._by_path[path])
        return sorted(found)

    def may_find(self, text: str) -> bool:
        """Tell whether a text may name an entity, wherever the speaker works; in doubt it may."""
        plain, signed = _words(text)
        if any(":" in word or "\\" in word or word[0] in "./" for word in signed):
            return True
        with self._lock:
            known = (self._by_symbol, self._by_key, self._by_path, self._paths_by_tail)
            return not all(
                names.keys().isdisjoint(plain) and names.keys().isdisjoint(signed)
                for names in known
            )

    def _paths(self, plain: set[str], signed: set[str], own: str | None) -> set[str]:
        """Return the paths that words are: all of one, or an end that no other has.

        A plain word is no end of a path: `run` is not `bin/run`.
        """
        paths = signed & self._by_path.keys() | plain & self._plain_paths
        if own:
            paths = {self._in_own(path, own) for path in paths}
        for tail in signed & self._paths_by_tail.keys():
            if tail not in paths:
                paths |= self._only_path(tail, own)
        return paths

    def _in_own(self, path: str, own: str) -> str:
        """Return the file of the own folder that is called so there; else the one of that name."""
        return own + path if own + path in self._by_path else path

    def _read(self, word: str, paths: set[str], own: str | None) -> set[str]:
        """Return the entity that a word spells out; note the path in it."""
        head, separator, symbol = word.partition(SEPARATOR)
        tail = head.replace("\\", "/").removeprefix("./").strip(":")
        # `a.py:12` and `a.py:12-20` name lines of it
        for spelled in (tail, tail.partition(":")[0]):
            if own:
                spelled = self._in_own(spelled, own)
            known = {spelled} if spelled in self._by_path else set()
            if known or (known := self._only_path(spelled.lstrip("/"), own)):
                paths |= known
                return self._exact(next(iter(known)), symbol) if separator else set()
        return set()

    def _only_path(self, tail: str, own: str | None) -> set[str]:
        """Return the path that ends so, if there is only one, or only one in the own folder."""
        known = self._paths_by_tail.get(tail)
        if own and own + tail in self._by_path:
            return {own + tail}
        known = None if known is None else _own(known, own)
        return {known} if isinstance(known, str) else set()

    def _exact(self, path: str, symbol: str) -> set[str]:
        """Return the entity of a path and a symbol that stand together."""
        for name in _longest_first(symbol):
            entity = f"{path}{SEPARATOR}{name}"
            if entity in self._by_path[path]:
                return {entity}
        return set()


def _is_data(path: str) -> bool:
    return path.endswith(_NOTEBOOK) or language_of(path) in _DATA


def _words(text: str) -> tuple[set[str], set[str]]:
    """Return the words of a text that are only letters, and those with signs that stand in paths
    and qualified names."""
    # Many times faster than a pattern. What is beyond ASCII is left to the pattern, word by word.
    data = text.encode("utf-8", "surrogatepass").translate(_TO_SPACES)
    plain = set(data.decode("utf-8", "surrogatepass").split())
    if not text.isascii():
        for word in list(filterfalse(str.isascii, plain)):
            plain.remove(word)
            plain.update(_WORD.findall(word))
    signed = set(filterfalse(str.isidentifier, plain))
    plain -= signed
    signed = {word.rstrip(_SIGNS) for word in signed}
    signed.discard("")
    return plain, signed


def _tails(path: str) -> Iterator[str]:
    """Yield the ends of a path that may stand for it: the last name, the last two, ..."""
    parts = path.split("/")
    for start in range(1, len(parts)):
        yield "/".join(parts[start:])


def _ends(symbol: str) -> Iterator[str]:
    """Yield what a symbol is called: all of it, and its ends from the second name on."""
    yield symbol
    parts = symbol.split(".")
    for start in range(1, len(parts)):
        yield ".".join(parts[start:])


def _longest_first(symbol: str) -> Iterator[str]:
    """Yield a name and its beginnings: what follows it in a sentence may look like part of it."""
    while symbol:
        yield symbol
        symbol, dot, _ = symbol.rpartition(".")
        if not dot:
            return


def _own(known: str | _Many, own: str | None) -> str | _Many:
    """Return which of several are in the own folder, when there are any."""
    if own is None or isinstance(known, str) or len(known) > PROXY_ALIKE_MAX:
        return known
    near = {one: None for one in known if (one.startswith(own) if own else not is_absolute(one))}
    return next(iter(near)) if len(near) == 1 else near or known


def _all(known: str | _Many) -> Set[str]:
    return {known} if isinstance(known, str) else known.keys()


def _put(names: _Names, key: str, value: str) -> None:
    known = names.get(key)
    if known is None:
        names[key] = value
    elif isinstance(known, dict):
        known[value] = None
    elif known != value:
        names[key] = {known: None, value: None}


def _take(names: _Names, key: str, value: str) -> None:
    known = names.get(key)
    if known == value:
        del names[key]
    elif isinstance(known, dict):
        known.pop(value, None)
        if len(known) == 1:
            names[key] = next(iter(known))
