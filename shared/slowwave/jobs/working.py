"""What an agent has in mind, in a cache: under pressure the oldest turns become episodes, word for word.

A turn is in mind or an episode. It leaves in three steps, each safe to repeat: stored by a key of its own, summary
asked for, taken out of mind. What fails between them leaves the pressure, and so the next turn repeats them all.
"""

import json
import logging
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any, Protocol

from pydantic import SkipValidation

from slowwave.core.tokens import tokens
from slowwave.core.working import leaving
from slowwave.domain.arguments import Description, Id, Json, Limit, Name, Question, Seconds, checked
from slowwave.domain.episode import Episode, Item, Role, canonical_json, key_or_new
from slowwave.domain.receipt import Receipt
from slowwave.domain.scope import Scope
from slowwave.domain.working import PARTS, ActiveGoal, Context, Conversation, Entry, Limits, Part, Turn
from slowwave.errors import Conflict, Unavailable

_LOG = logging.getLogger(__name__)

THOUGHTS = 50
"""How many thoughts are kept; the oldest go first, and nobody keeps those."""


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

    def clear(self, of: Conversation, parts: Sequence[Part]) -> None:
        """Forget every value, and these lists."""


@dataclass(frozen=True, slots=True)
class WorkingMemory:
    """What an agent has in mind in one conversation. Every method raises `Unavailable` when the cache is away.

    It is a cache: what nobody adds to for an hour (SLOWWAVE_WORKING_SECONDS) ends. `clear_session` keeps what was said.
    """

    of: Conversation
    cache: Cache = field(repr=False)
    limits: Limits = field(repr=False)
    push: Callable[[Scope, Sequence[Item]], Sequence[Receipt]] = field(repr=False)
    ask: Callable[[Scope, int], object] = field(repr=False)
    """Asks for a summary of the scope's episodes up to a position."""

    @checked
    def add_turn(
        self,
        content: Annotated[str, SkipValidation],
        *,
        role: Annotated[Role, SkipValidation] = "user",
        key: Annotated[str | None, SkipValidation] = None,
        occurred_at: Annotated[datetime | None, SkipValidation] = None,
        speaker: Annotated[str | None, SkipValidation] = None,
        metadata: Annotated[dict[str, Any] | None, SkipValidation] = None,
    ) -> Turn:
        """Keep what was said, and let the oldest turns become episodes where it gets too much; return the turn.

        With a *key*, keeping the same turn again changes nothing. Without *occurred_at* it was said now, by the
        cache's clock. Raises `Incorrect` for what could never be an episode.
        """
        episode = Episode(
            content=content,
            session=self.of.session,
            role=role,
            occurred_at=occurred_at,
            speaker=speaker,
            metadata={} if metadata is None else metadata,
            key=key_or_new(key),
        )
        text = json.dumps(episode.to_message(), ensure_ascii=False)
        said = self.cache.append(self.of, "turns", episode.key, text, seconds=self.limits.seconds)
        turns = [_turn(entry) for entry in said]
        try:
            self._evict(turns, leaving(turns, self.limits))
        except Unavailable as error:  # they stay in mind, and leave with a later turn
            _LOG.warning("%d turns are too many and cannot leave yet: %s", len(turns), type(error).__name__)
        return next(turn for turn in turns if turn.id == episode.key)

    @checked
    def get_recent_turns(self, limit: Limit | None = None) -> list[Turn]:
        """Return the newest *limit* turns in mind, or all, oldest first."""
        turns = [_turn(entry) for entry in self.cache.entries(self.of, "turns")]
        return turns if limit is None else turns[max(0, len(turns) - limit) :]

    @checked
    def set(self, key: Name, value: Json, *, ttl_seconds: Seconds | None = None) -> None:
        """Keep a JSON *value* by *key* for *ttl_seconds*, an hour if nothing is said. Raises `Incorrect`."""
        seconds = self.limits.seconds if ttl_seconds is None else ttl_seconds
        self.cache.put(self.of, key, json.dumps(value, ensure_ascii=False), seconds=seconds)

    @checked
    def get(self, key: Name, default: Any = None) -> Any:
        """Return the value kept by *key*, or *default*."""
        text = self.cache.get(self.of, key)
        return default if text is None else json.loads(text)

    @checked
    def delete(self, key: Name) -> bool:
        """Forget the value kept by *key*; return whether there was one."""
        return self.cache.delete(self.of, key)

    @checked
    def get_context(self) -> Context:
        """Return everything in mind."""
        turns = self.get_recent_turns()
        values = {name: json.loads(text) for name, text in self.cache.values(self.of).items()}
        total = sum(turn.tokens for turn in turns)
        return Context(turns, self.get_thoughts(), self.get_active_goal(), values, total)

    @checked
    def clear_session(self, *, keep: bool = True) -> int:
        """Forget everything in mind; what was said becomes episodes first, unless *keep* is False.

        Returns how many turns were kept so. Raises `Unavailable`, and forgets nothing, while they cannot be stored.
        """
        kept = 0
        if keep:
            turns = self.get_recent_turns()
            self._evict(turns, kept := len(turns))
        self.cache.clear(self.of, [part for part in PARTS if part != "turns" or not keep])
        return kept

    @checked
    def set_active_goal(self, goal_id: Id, description: Description) -> None:
        """Say what the conversation is about to achieve, instead of what it was before."""
        text = json.dumps([str(goal_id), description])
        self.cache.append(self.of, "goal", uuid.uuid4().hex, text, seconds=self.limits.seconds, most=1)

    @checked
    def get_active_goal(self) -> ActiveGoal | None:
        """Return what the conversation is about to achieve, or None."""
        found = self.cache.entries(self.of, "goal")
        return ActiveGoal(*json.loads(found[-1].text)) if found else None

    @checked
    def push_thought(self, thought: Question) -> None:
        """Keep a thought in mind. Of more than fifty the oldest go, for good."""
        text = Episode(content=thought).content
        self.cache.append(self.of, "thoughts", uuid.uuid4().hex, text, seconds=self.limits.seconds, most=THOUGHTS)

    @checked
    def get_thoughts(self, limit: Limit = THOUGHTS) -> list[str]:
        """Return the newest *limit* thoughts in mind, oldest first."""
        return [entry.text for entry in self.cache.entries(self.of, "thoughts")][-limit:]

    def _evict(self, turns: Sequence[Turn], count: int) -> None:
        """Let the oldest *count* of *turns* become episodes."""
        if not count:
            return
        oldest = turns[:count]
        receipts = self.push(self.of.scope, [_leaving(self.of, turn) for turn in oldest])
        for receipt in receipts:
            if receipt.error is not None and not isinstance(receipt.error, Conflict):
                raise receipt.error
        self.ask(self.of.scope, max(receipt.position or 0 for receipt in receipts))
        self.cache.remove(self.of, "turns", [turn.id for turn in oldest])
        _LOG.info("Evicted %d messages, summary asked for", count)


def _turn(entry: Entry) -> Turn:
    episode = Episode.from_message(json.loads(entry.text))
    if episode.occurred_at is None:
        episode = episode.model_copy(update={"occurred_at": entry.at})
    return Turn(entry.id, episode, tokens(episode.content))


def _leaving(of: Conversation, turn: Turn) -> Episode:
    """The episode of a turn, under a key that depends on what was said: a conflict can only mean that it is there."""
    said = canonical_json([of.session, turn.id, turn.role, turn.content, turn.episode.metadata]).decode()
    return turn.episode.model_copy(update={"key": f"turn:{uuid.uuid5(of.scope.id, said)}"})
