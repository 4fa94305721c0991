"""The last episodes, for `/recent`: which entities they were about, and what became of those.

Made of the entries that the State Map takes in, in their order: the same after a restart.
"""

from __future__ import annotations

from collections import OrderedDict
from sys import intern

import msgspec

from holdfast.kernel.limits import PROXY_RECENT_ENTITIES_MAX, PROXY_RECENT_MAX
from holdfast.kernel.types import ArtifactMoved, ArtifactState, EpisodeRecorded, Model


class Episode(msgspec.Struct):
    """What is shown of an episode: metadata, no word of what was said."""

    states: dict[str, ArtifactState]
    """By entity; of one that was only put before the model, that it was authoritative."""
    left_out: int = 0
    """Further entities that are not listed."""

    def note(self, entity: str, state: ArtifactState, *, first: bool = True) -> None:
        """Note where an entity of it stands; `first` when it was not noted for it before."""
        if entity in self.states or len(self.states) < PROXY_RECENT_ENTITIES_MAX:
            self.states[intern(entity)] = state
        elif first:
            self.left_out += 1


class Recent:
    """The newest episodes."""

    def __init__(self) -> None:
        self._episodes: OrderedDict[str, Episode] = OrderedDict()

    def take(self, data: Model) -> None:
        """Note what an entry says."""
        match data:
            case ArtifactMoved():
                self._moved(data)
            case EpisodeRecorded():
                self._recorded(data)
            case _:
                pass

    def newest(self, count: int) -> list[tuple[str, Episode]]:
        """Return the newest episodes, the newest first."""
        return list(reversed(self._episodes.items()))[:count]

    def _moved(self, data: ArtifactMoved) -> None:
        # What an entity was before is superseded by what it is now, which the episode is about.
        episode = self._episode(data.episode)
        if data.after == "SUPERSEDED":
            return
        for moved in data.symbols:
            # A proposal that moves on was noted when it was made.
            first = data.before != "PROPOSED"
            episode.note(f"{data.path}::{moved.symbol}", data.after, first=first)

    def _recorded(self, data: EpisodeRecorded) -> None:
        episode = self._episode(data.episode)
        # A list that went to the vault is longer than what is listed here.
        for entity in data.hydrated if isinstance(data.hydrated, list) else ():
            if entity not in episode.states:
                episode.note(entity, "AUTHORITATIVE")

    def _episode(self, name: str) -> Episode:
        episode = self._episodes.get(name)
        if episode is None:
            episode = self._episodes[name] = Episode({})
            if len(self._episodes) > PROXY_RECENT_MAX:
                self._episodes.popitem(last=False)
        return episode
