"""The turns of a conversation.

Each turn is stored as an episode first, and then copied to a cache that may lose copies.

The cache may lose copies by expiry, a flush or its own eviction, or if a process dies between the two writes. Lost
turns are read again from the episodes when the cache has no turn, or when the position of the next turn shows a gap. If
the turns exceed the limits, the oldest copies are evicted in two steps: a summary of these turns is requested, then the
copies are removed from the cache. Each step is safe to repeat.
"""

import json
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from slowwave.cache import RedisCache
from slowwave.core.masking import MASKING, Masking
from slowwave.core.tokens import tokens
from slowwave.core.working_memory import evicted, eviction_count, missing_since
from slowwave.domain.episode import Episode, Item, StoredEpisode
from slowwave.domain.receipt import Receipt, with_masked
from slowwave.domain.scope import Scope
from slowwave.domain.working_memory import Conversation, Entry, Limits, Turn
from slowwave.errors import Conflict, Unavailable

_LOG = logging.getLogger(__name__)


class EpisodeReader(Protocol):
    """A function that reads a conversation's messages from the stored episodes. Raises `Unavailable`."""

    def __call__(self, of: Conversation, *, after: int, before: int | None, most: int) -> Sequence[StoredEpisode]:
        """Return the last *most* messages between the positions *after* and *before*, both exclusive, in order."""


@dataclass(frozen=True, slots=True)
class Turns:
    """The turns of one conversation. All turns are stored as episodes; the cache holds the newest turns."""

    of: Conversation
    cache: RedisCache = field(repr=False)
    limits: Limits = field(repr=False)
    push: Callable[[Scope, Sequence[Item]], Sequence[Receipt]] = field(repr=False)
    stored_episodes: EpisodeReader = field(repr=False)
    ask: Callable[[Scope, int, int], bool] = field(repr=False)
    """A function that requests a summary of the scope's episodes up to a position, because a number of turns is
    evicted. The function returns whether such a summary exists already. If not, the job that makes the summary reports
    the eviction.
    """
    spend: Callable[[str], None] = field(repr=False)
    """A function that counts the bytes of a note that only the cache holds. Raises `Crowded` beyond the quota."""
    masking: Masking = field(default=MASKING, repr=False)

    def add(self, episode: Episode) -> tuple[Receipt, Turn]:
        """Store a turn, then cache its copy; return the receipt and the turn. Secrets are masked in both.

        Raises the error of a refused turn. If the cache is unreachable, only the copy is lost, not the turn.
        """
        episode, kinds = self.masking.episode(episode)
        (pushed,) = self.push(self.of.scope, [episode])
        receipt = with_masked(pushed, kinds)
        if receipt.error is not None:
            raise receipt.error
        try:
            return receipt, self._remember(episode, receipt.position)
        except Unavailable as error:
            _LOG.warning("a turn is %s and will be cached later: %s", receipt.state, error.message)
            return receipt, Turn(episode.key, episode, tokens(episode.content), receipt.position)

    def recent(self) -> list[Turn]:
        """Return the cached turns, oldest first.

        If the cache has no turns or is unreachable, return turns from the episodes.
        """
        try:
            turns = _turns(self.cache.entries(self.of, "turns"))
            cleared = 0 if turns else self.cache.cleared(self.of)
        except Unavailable as error:
            _LOG.warning("turns are read from the episodes: %s", error.message)
            return self._lost([], after=0, before=None)
        return turns or self._restore(self._lost([], after=cleared, before=None))

    def clear(self) -> int:
        """Remove every turn from the cache; return their number. If this raises `Unavailable`, no turn is removed."""
        return len(self.evict(None))

    def evict(self, count: int | None) -> list[Turn]:
        """Evict the oldest *count* turns, or all turns if *count* is None; return the evicted turns, oldest first.

        A summary of the evicted turns is requested. If no turn is left, `recent` does not restore the evicted turns. If
        this method raises `Unavailable`, no turn is evicted.
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
            if oldest := turns[: eviction_count(turns, self.limits)]:
                _, updated = self._sum_up(oldest)
                self._forget(oldest, updated=updated)
        except Unavailable as error:  # the next turn tries again
            _LOG.warning("%d turns can be neither evicted nor restored yet: %s", len(turns), type(error).__name__)
        return added

    def _mended(self, turns: list[Turn], added: Turn) -> list[Turn]:
        """Return the cached turns, including turns before *added* that the cache had lost."""
        after = missing_since(turns, added)
        if after is None:
            return turns
        after = after or self.cache.cleared(self.of)
        return self._restore(self._lost(turns, after=after, before=added.position)) or turns

    def _lost(self, turns: Sequence[Turn], *, after: int, before: int | None) -> list[Turn]:
        """Return the newest messages between the positions *after* and *before*, as many as fit into the cache beside
        *turns*.
        """
        stored = [
            stored_turn(one)
            for one in self.stored_episodes(self.of, after=after, before=before, most=self.limits.turns)
        ]
        ids = {one.id for one in stored}
        together = _in_order([*stored, *(turn for turn in turns if turn.id not in ids)])
        stay = {turn.id for turn in together[eviction_count(together, self.limits) :]}
        return [one for one in stored if one.id in stay]

    def _restore(self, lost: Sequence[Turn]) -> list[Turn]:
        """Put the *lost* turns back into the cache; return all cached turns, or an empty list if *lost* is empty."""
        texts = {one.id: _text(one.episode, one.position) for one in lost}
        return _turns(self.cache.restore(self.of, "turns", texts, seconds=self.limits.seconds)) if texts else []

    def _sum_up(self, oldest: Sequence[Turn]) -> tuple[int, bool]:
        """Request a summary up to the last turn of *oldest*; return the position of this turn, and whether a summary
        exists already.

        Raises `Unavailable`.
        """
        positions = [turn.position for turn in oldest if turn.position is not None]
        waiting = [turn.episode for turn in oldest if turn.position is None]
        for receipt in self.push(self.of.scope, waiting) if waiting else ():
            if receipt.error is not None and not isinstance(
                receipt.error, Conflict
            ):  # a conflict is a stored episode with this key, and has its position
                raise receipt.error
            if receipt.position is None:
                raise Unavailable("a turn waits in the outbox", hint="it stays in the cache until it is stored")
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
    """Return turns sorted by position. Turns that wait in an outbox come last, in the given order."""
    return sorted(turns, key=lambda turn: (turn.position is None, turn.position or 0))


def _turn(entry: Entry) -> Turn:
    message = json.loads(entry.text)
    position = message.pop("position", None)
    episode = Episode.from_message(message)
    if episode.occurred_at is None:
        episode = episode.model_copy(update={"occurred_at": entry.at})
    return Turn(entry.id, episode, tokens(episode.content), position)


def stored_turn(stored: StoredEpisode) -> Turn:
    """Return the turn of a stored message."""
    episode = Episode(
        content=stored.content,
        key=stored.key,
        session=stored.session,
        role=stored.role,
        occurred_at=stored.occurred,
        metadata=stored.metadata,
    )
    return Turn(stored.key, episode, tokens(stored.content), stored.position)


def _text(episode: Episode, position: int | None) -> str:
    return json.dumps({**episode.to_message(), "position": position}, ensure_ascii=False)
