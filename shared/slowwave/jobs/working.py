"""The turns of a conversation: each an episode first, and then a copy in a cache that may forget it.

Nothing that was said is in the cache alone. What the cache has lost (by its hour, a flush, an eviction of its own, a
death between the two writes) is read again from the episodes where it is missed: when there is no turn in mind, and
when the position of the next one shows a gap. Under pressure the oldest copies leave in two steps, each safe to
repeat: a summary of them is asked for, and they are taken out of mind.
"""

import json
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from slowwave.core.masking import MASKING, Masking
from slowwave.core.tokens import tokens
from slowwave.core.working import evicted, leaving, missing_since
from slowwave.domain.episode import Episode, Item, StoredEpisode
from slowwave.domain.receipt import Receipt, with_masked
from slowwave.domain.scope import Scope
from slowwave.domain.working import Conversation, Entry, Limits, Part, Turn
from slowwave.errors import Conflict, Unavailable

_LOG = logging.getLogger(__name__)


class Cache(Protocol):
    """Lists and values of a conversation, which end by themselves. Every method raises `Unavailable`."""

    def append(
        self, of: Conversation, part: Part, id_: str, text: str, *, seconds: float, most: int | None = None
    ) -> list[Entry]:
        """Put an entry at the end of a list, unless one of this id stands there; return the list.

        It keeps the newest *most*. All lists of the conversation end *seconds* after the last append to any of them.
        """

    def entries(self, of: Conversation, part: Part) -> list[Entry]:
        """Return a list, oldest first."""

    def restore(self, of: Conversation, part: Part, texts: Mapping[str, str], *, seconds: float) -> list[Entry]:
        """Put entries back by their ids, each instead of the one that has its id; return the list, in no order."""

    def remove(self, of: Conversation, part: Part, ids: Sequence[str]) -> int:
        """Take the entries with these ids out of a list, all at once; return how many were there."""

    def put(self, of: Conversation, name: str, value: str, *, seconds: float) -> None:
        """Keep a value by *name* for *seconds*."""

    def get(self, of: Conversation, name: str) -> str | None:
        """Return a value, or None."""

    def delete(self, of: Conversation, name: str) -> bool:
        """Forget a value; return whether it was there."""

    def values(self, of: Conversation) -> Mapping[str, str]:
        """Return every value there is, by name."""

    def cleared(self, of: Conversation) -> int:
        """Return the position up to which turns were told to leave, 0 where the cache knows of none."""

    def clear_to(self, of: Conversation, position: int) -> None:
        """Remember that turns up to a position were told to leave, for longer than anything else is kept."""

    def clear(self, of: Conversation, parts: Sequence[Part]) -> None:
        """Forget every value, and these lists."""


class Said(Protocol):
    """Reads a conversation's messages back from the episodes. Raises `Unavailable`."""

    def __call__(self, of: Conversation, *, after: int, before: int | None, most: int) -> Sequence[StoredEpisode]:
        """Return the last *most* messages between two positions, both left out, in order."""


@dataclass(frozen=True, slots=True)
class Turns:
    """The turns of one conversation: all of them episodes, the newest of them in mind."""

    of: Conversation
    cache: Cache = field(repr=False)
    limits: Limits = field(repr=False)
    push: Callable[[Scope, Sequence[Item]], Sequence[Receipt]] = field(repr=False)
    said: Said = field(repr=False)
    ask: Callable[[Scope, int, int], bool] = field(repr=False)
    """Asks for a summary of the scope's episodes up to a position, for the sake of so many turns that leave; returns
    whether there is one already. Where not, whoever makes it says so."""
    masking: Masking = field(default=MASKING, repr=False)

    def add(self, episode: Episode) -> tuple[Receipt, Turn]:
        """Store a turn, then keep its copy in mind, both with secrets masked; return the receipt and the turn.

        Raises the error of a turn that is refused. A cache that is away costs the copy, not the turn.
        """
        episode, kinds = self.masking.episode(episode)
        (pushed,) = self.push(self.of.scope, [episode])
        receipt = with_masked(pushed, kinds)
        if receipt.error is not None:
            raise receipt.error
        try:
            return receipt, self._remember(episode, receipt.position)
        except Unavailable as error:
            _LOG.warning("a turn is %s and comes to mind later: %s", receipt.state, error.message)
            return receipt, Turn(episode.key, episode, tokens(episode.content), receipt.position)

    def recent(self) -> list[Turn]:
        """Return the turns in mind, oldest first: from the episodes where the cache has none, or is away."""
        try:
            turns = _turns(self.cache.entries(self.of, "turns"))
            cleared = 0 if turns else self.cache.cleared(self.of)
        except Unavailable as error:
            _LOG.warning("turns are read from the episodes: %s", error.message)
            return self._lost([], after=0, before=None)
        return turns or self._restore(self._lost([], after=cleared, before=None))

    def clear(self) -> int:
        """Let every turn leave, and none of them come back; return how many. Raises `Unavailable`, and all stay."""
        return len(self.evict(None))

    def evict(self, count: int | None) -> list[Turn]:
        """Let the oldest *count* turns leave, or all; return them, oldest first. Raises `Unavailable`, and all stay.

        A summary of them is asked for. Where none is left, none of them comes back.
        """
        turns = self.recent()
        oldest = turns[:count]
        if oldest:
            last, updated = self._sum_up(oldest)
            if len(oldest) == len(turns):
                self.cache.clear_to(self.of, last)
            self._forget(oldest, updated=updated)
        return oldest

    def _remember(self, episode: Episode, position: int | None) -> Turn:
        text = _text(episode, position)
        turns = _turns(self.cache.append(self.of, "turns", episode.key, text, seconds=self.limits.seconds))
        added = next(turn for turn in turns if turn.id == episode.key)
        try:
            turns = self._mended(turns, added)
            if oldest := turns[: leaving(turns, self.limits)]:
                _, updated = self._sum_up(oldest)
                self._forget(oldest, updated=updated)
        except Unavailable as error:  # the next turn tries again
            _LOG.warning("of %d turns none can leave or come back yet: %s", len(turns), type(error).__name__)
        return added

    def _mended(self, turns: list[Turn], added: Turn) -> list[Turn]:
        """Return the turns in mind, with those that the cache had lost before the one just added."""
        after = missing_since(turns, added)
        if after is None:
            return turns
        after = after or self.cache.cleared(self.of)
        return self._restore(self._lost(turns, after=after, before=added.position)) or turns

    def _lost(self, turns: Sequence[Turn], *, after: int, before: int | None) -> list[Turn]:
        """Return the newest messages between two positions, as far as there is room for them beside *turns*."""
        said = [told(one) for one in self.said(self.of, after=after, before=before, most=self.limits.turns)]
        ids = {one.id for one in said}
        together = _in_order([*said, *(turn for turn in turns if turn.id not in ids)])
        stay = {turn.id for turn in together[leaving(together, self.limits) :]}
        return [one for one in said if one.id in stay]

    def _restore(self, lost: Sequence[Turn]) -> list[Turn]:
        """Put turns back into the cache; return all that are in mind then, nothing for nothing."""
        texts = {one.id: _text(one.episode, one.position) for one in lost}
        return _turns(self.cache.restore(self.of, "turns", texts, seconds=self.limits.seconds)) if texts else []

    def _sum_up(self, oldest: Sequence[Turn]) -> tuple[int, bool]:
        """Ask for a summary up to the last of *oldest*; return its position, and whether there is one already.

        Raises `Unavailable`.
        """
        positions = [turn.position for turn in oldest if turn.position is not None]
        waiting = [turn.episode for turn in oldest if turn.position is None]
        for receipt in self.push(self.of.scope, waiting) if waiting else ():
            if receipt.error is not None and not isinstance(
                receipt.error, Conflict
            ):  # said at another time: it is there
                raise receipt.error
            if receipt.position is None:
                raise Unavailable("a turn waits in the outbox", hint="it stays in mind until it is stored")
            positions.append(receipt.position)
        return max(positions), self.ask(self.of.scope, max(positions), len(oldest))

    def _forget(self, oldest: Sequence[Turn], *, updated: bool) -> None:
        self.cache.remove(self.of, "turns", [turn.id for turn in oldest])
        if updated:
            _LOG.info("%s", evicted(len(oldest)))
        else:
            _LOG.info("Evicted %d messages, summary asked for", len(oldest))


def _turns(entries: Sequence[Entry]) -> list[Turn]:
    return _in_order([_turn(entry) for entry in sorted(entries, key=lambda entry: entry.at)])


def _in_order(turns: Sequence[Turn]) -> list[Turn]:
    """Return turns by position; those that wait in an outbox come last, as they were said."""
    return sorted(turns, key=lambda turn: (turn.position is None, turn.position or 0))


def _turn(entry: Entry) -> Turn:
    message = json.loads(entry.text)
    position = message.pop("position", None)
    episode = Episode.from_message(message)
    if episode.occurred_at is None:
        episode = episode.model_copy(update={"occurred_at": entry.at})
    return Turn(entry.id, episode, tokens(episode.content), position)


def told(said: StoredEpisode) -> Turn:
    """Return the turn that a stored message is."""
    episode = Episode(
        content=said.content,
        key=said.key,
        session=said.session,
        role=said.role,
        occurred_at=said.occurred,
        metadata=said.metadata,
    )
    return Turn(said.key, episode, tokens(said.content), said.position)


def _text(episode: Episode, position: int | None) -> str:
    return json.dumps({**episode.to_message(), "position": position}, ensure_ascii=False)
