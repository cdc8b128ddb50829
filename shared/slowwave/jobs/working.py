"""What an agent has in mind, in a cache: under pressure the oldest turns become episodes, word for word.

A turn is in mind or an episode. It leaves in three steps, each safe to repeat: stored by a key of its own, summary
asked for, taken out of mind. What fails between them leaves the pressure, and so the next turn repeats them all.
"""

import json
import logging
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from slowwave.core.tokens import tokens
from slowwave.core.working import leaving
from slowwave.domain.episode import Episode, Item, Role, canonical_json
from slowwave.domain.receipt import Receipt
from slowwave.domain.scope import Scope
from slowwave.domain.text import name_problems
from slowwave.domain.working import PARTS, ActiveGoal, Context, Conversation, Entry, Limits, Part, Turn
from slowwave.errors import Conflict, Incorrect, Unavailable

_LOG = logging.getLogger(__name__)

VALUE_BYTES = 256 * 1024
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
    cache: Cache
    limits: Limits
    push: Callable[[Scope, Sequence[Item]], Sequence[Receipt]]
    ask: Callable[[Scope, int], object]
    """Asks for a summary of the scope's episodes up to a position."""

    def add_turn(
        self,
        content: str,
        *,
        role: Role = "user",
        key: str | None = None,
        occurred_at: datetime | None = None,
        metadata: Mapping[str, Any] | None = None,
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
            metadata=dict(metadata or {}),
            **({} if key is None else {"key": key}),
        )
        text = json.dumps(episode.to_message(), ensure_ascii=False)
        said = self.cache.append(self.of, "turns", episode.key, text, seconds=self.limits.seconds)
        turns = [_turn(entry) for entry in said]
        try:
            self._evict(turns, leaving(turns, self.limits))
        except Unavailable as error:  # they stay in mind, and leave with a later turn
            _LOG.warning("%d turns are too many and cannot leave yet: %s", len(turns), type(error).__name__)
        return next(turn for turn in turns if turn.id == episode.key)

    def get_recent_turns(self, limit: int | None = None) -> list[Turn]:
        """Return the newest *limit* turns in mind, or all, oldest first."""
        turns = [_turn(entry) for entry in self.cache.entries(self.of, "turns")]
        return turns if limit is None else turns[max(0, len(turns) - _positive("limit", limit)) :]

    def set(self, key: str, value: Any, *, ttl_seconds: float | None = None) -> None:
        """Keep a JSON *value* by *key* for *ttl_seconds*, an hour if nothing is said. Raises `Incorrect`."""
        seconds = self.limits.seconds if ttl_seconds is None else ttl_seconds
        self.cache.put(self.of, key, _value(key, value, seconds), seconds=seconds)

    def get(self, key: str, default: Any = None) -> Any:
        """Return the value kept by *key*, or *default*."""
        text = self.cache.get(self.of, key)
        return default if text is None else json.loads(text)

    def delete(self, key: str) -> bool:
        """Forget the value kept by *key*; return whether there was one."""
        return self.cache.delete(self.of, key)

    def get_context(self) -> Context:
        """Return everything in mind."""
        turns = self.get_recent_turns()
        values = {name: json.loads(text) for name, text in self.cache.values(self.of).items()}
        total = sum(turn.tokens for turn in turns)
        return Context(turns, self.get_thoughts(), self.get_active_goal(), values, total)

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

    def set_active_goal(self, goal_id: str, description: str) -> None:
        """Say what the conversation is about to achieve, instead of what it was before."""
        text = json.dumps([str(goal_id), description])
        self.cache.append(self.of, "goal", uuid.uuid4().hex, text, seconds=self.limits.seconds, most=1)

    def get_active_goal(self) -> ActiveGoal | None:
        """Return what the conversation is about to achieve, or None."""
        found = self.cache.entries(self.of, "goal")
        return ActiveGoal(*json.loads(found[-1].text)) if found else None

    def push_thought(self, thought: str) -> None:
        """Keep a thought in mind. Of more than fifty the oldest go, for good."""
        text = Episode(content=thought).content
        self.cache.append(self.of, "thoughts", uuid.uuid4().hex, text, seconds=self.limits.seconds, most=THOUGHTS)

    def get_thoughts(self, limit: int = THOUGHTS) -> list[str]:
        """Return the newest *limit* thoughts in mind, oldest first."""
        return [entry.text for entry in self.cache.entries(self.of, "thoughts")][-_positive("limit", limit) :]

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


def _value(key: str, value: Any, seconds: float) -> str:
    problems = [f"key: {problem}" for problem in name_problems(key)]
    if not seconds > 0:
        problems.append(f"ttl_seconds: expected more than 0, got {seconds}")
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError) as error:
        problems.append(f"value: is not JSON ({error})")
        text = ""
    if len(text.encode("utf-8", "surrogatepass")) > VALUE_BYTES:
        problems.append(f"value: takes more than {VALUE_BYTES} bytes")
    if problems:
        raise Incorrect.listing("working memory", problems, hint="keep what is large in Postgres, and its id here")
    return text


def _positive(name: str, number: int) -> int:
    if number < 1:
        raise Incorrect(f"{name}: expected 1 or more, got {number}")
    return number
