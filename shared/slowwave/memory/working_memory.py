"""`scope.working`: the working memory of a conversation, which holds turns and notes in a cache."""

import json
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any

from pydantic import Field

from slowwave.cache import RedisCache
from slowwave.core.masking import Masking
from slowwave.core.tokens import tokens
from slowwave.core.working_memory import eviction_count, quarter
from slowwave.domain.arguments import (
    Description,
    Id,
    Instance,
    Instant,
    Json,
    Limit,
    Metadata,
    Name,
    Question,
    Seconds,
    checked,
    checked_type,
)
from slowwave.domain.episode import Episode, Role, StoredEpisode, key_or_new
from slowwave.domain.job_table import SUMMARISE
from slowwave.domain.scope import Scope
from slowwave.domain.working_memory import PARTS, PRESSURE, ActiveGoal, Context, Conversation, Limits, Turn
from slowwave.formatting import brief
from slowwave.jobs.working_memory import Turns, stored_turn
from slowwave.rules.cadence import TOKENS
from slowwave.store.recall.timeline import latest_messages
from slowwave.store.summaries.model_summaries import summarised_until
from slowwave.wiring import Parts

Tokens = Annotated[int, Field(ge=1, le=2**31 - 1)]
THOUGHTS = 50
"""The maximum number of thoughts that working memory keeps. Beyond it, the oldest are deleted permanently."""


@checked_type
@dataclass(frozen=True, slots=True, repr=False)
class WorkingMemory:
    """The working memory of one conversation. It expires an hour after its last change (SLOWWAVE_WORKING_SECONDS).

    Turns are stored as episodes first, and can be reloaded from the episodes. Thoughts, values and the goal are only in
    the cache, where they expire. While the cache is down, the methods for thoughts, values and the goal raise
    `Unavailable`.
    """

    _turns: Instance[Turns]

    @checked
    def add_turn(
        self, content: Question, *, role: Role = "user", key: Name | None = None, occurred_at: Instant | None = None,
        speaker: Name | None = None, metadata: Metadata | None = None,
    ) -> Turn:  # fmt: skip
        """Store a message as an episode, then add the message to working memory; return the turn.

        If working memory exceeds its limits, the oldest turns are evicted, and a summary is requested. With a *key*, a
        repeat changes nothing, as with `MemoryScope.push`. The default of *occurred_at* is the time of storage. Raises
        `Incorrect` for an invalid episode, `Conflict` if the key already has other content, and `Unavailable` when
        Postgres is down and there is no outbox. If the cache is unreachable, the method only logs the error, and no
        message is lost.
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
        return self._turns.add(episode)[1]

    @checked
    def get_recent_turns(self, limit: Limit | None = None) -> list[Turn]:
        """Return the newest *limit* turns in working memory (all turns if *limit* is None), oldest first.

        If the cache has no turns, the method reads the last messages of the conversation from the episodes, within the
        limits of working memory. Raises `Unavailable` if the cache has no turns and Postgres is down.
        """
        turns = self._turns.recent()
        return turns if limit is None else turns[max(0, len(turns) - limit) :]

    @checked
    def set(self, key: Name, value: Json, *, ttl_seconds: Seconds | None = None) -> None:
        """Store a JSON *value* under *key* for *ttl_seconds*, by default one hour.

        Raises `Incorrect` for an invalid value.
        """
        seconds = self.limits.seconds if ttl_seconds is None else ttl_seconds
        text = json.dumps(self._masking.value(value), ensure_ascii=False)
        self._turns.spend(text)
        self._cache.put(self.of, key, text, seconds=seconds)

    @checked
    def get(self, key: Name, default: Any = None) -> Any:
        """Return the value stored under *key*, or *default*."""
        text = self._cache.get(self.of, key)
        return default if text is None else json.loads(text)

    @checked
    def delete(self, key: Name) -> bool:
        """Delete the value stored under *key*; return whether a value was stored."""
        return self._cache.delete(self.of, key)

    @checked
    def get_context(self) -> Context:
        """Return the whole working memory: turns, thoughts, goal and values."""
        turns = self.get_recent_turns()
        values = {name: json.loads(text) for name, text in self._cache.values(self.of).items()}
        thoughts, goal = self.get_thoughts(), self.get_active_goal()
        notes = [*thoughts, *([goal.description] if goal else ()), *map(text_of, values.values())]
        total = sum(turn.tokens for turn in turns) + sum(map(tokens, notes))
        return Context(turns, thoughts, goal, values, total)

    @checked
    def clear_session(self) -> int:
        """Clear the working memory; return the number of removed turns, which stay stored as episodes.

        While the cache is down or turns wait in an outbox, the method clears nothing and raises `Unavailable`.
        """
        left = self._turns.clear()
        self._cache.clear(self.of, [part for part in PARTS if part != "turns"])
        return left

    @checked
    def evict_oldest(self, count: Limit = 1) -> list[Turn]:
        """Evict the oldest *count* turns from working memory; return the evicted turns, oldest first.

        A summary of these turns is requested. The turns stay stored as episodes, which recall finds. While the cache is
        down or one of the turns waits in an outbox, the method evicts nothing and raises `Unavailable`.
        """
        return self._turns.evict(count)

    @checked
    def needs_pruning(self, max_tokens: Tokens | None = None) -> bool:
        """Return whether working memory exceeds *max_tokens*, or its own limits if *max_tokens* is None."""
        return eviction_count(self.get_recent_turns(), self._within(max_tokens)) > 0

    @checked
    def prune(self, max_tokens: Tokens | None = None) -> list[Turn]:
        """If `needs_pruning`, evict the oldest quarter of the turns, rounded up; return the remaining turns.

        Each call evicts at most once. An agent can call the method before it writes a prompt. `add_turn` enforces the
        limits without this method.
        """
        turns = self.get_recent_turns()
        if eviction_count(turns, self._within(max_tokens)):
            self._turns.evict(quarter(len(turns)))
        return self.get_recent_turns()

    @checked
    def set_active_goal(self, goal_id: Id, description: Description) -> None:
        """Set the conversation's goal, replacing the previous one."""
        text = json.dumps([str(goal_id), self._masking.text(description)])
        self._turns.spend(text)
        self._cache.append(self.of, "goal", uuid.uuid4().hex, text, seconds=self.limits.seconds, most=1)

    @checked
    def get_active_goal(self) -> ActiveGoal | None:
        """Return the conversation's goal, or None."""
        found = self._cache.entries(self.of, "goal")
        return ActiveGoal(*json.loads(found[-1].text)) if found else None

    @checked
    def push_thought(self, thought: Question) -> None:
        """Add a thought to working memory. Beyond fifty thoughts, the oldest thoughts are deleted permanently."""
        text = self._masking.text(Episode(content=thought).content)
        self._turns.spend(text)
        self._cache.append(self.of, "thoughts", uuid.uuid4().hex, text, seconds=self.limits.seconds, most=THOUGHTS)

    @checked
    def get_thoughts(self, limit: Limit = THOUGHTS) -> list[str]:
        """Return the newest *limit* thoughts, oldest first."""
        return [entry.text for entry in self._cache.entries(self.of, "thoughts")][-limit:]

    @property
    def of(self) -> Conversation:
        """The conversation."""
        return self._turns.of

    @property
    def limits(self) -> Limits:
        """The limits and the lifetime of working memory."""
        return self._turns.limits

    def __repr__(self) -> str:
        return brief(self, self.of.session, self.of.scope.user)

    def _within(self, max_tokens: int | None) -> Limits:
        return self.limits if max_tokens is None else replace(self.limits, tokens=max_tokens)

    @property
    def _masking(self) -> Masking:
        return self._turns.masking

    @property
    def _cache(self) -> RedisCache:
        return self._turns.cache


def text_of(value: Any) -> str:
    """Return the text of a value for a prompt. Strings are unchanged, other values become JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def turns_of(parts: Parts, scope: Scope, conversation: str) -> Turns:
    """Return the turns of one conversation. Raises `Unavailable` if no cache is configured."""

    def ask(of: Scope, position: int, turns: int) -> bool:
        key = f"{position}/{turns}"  # the summary job covers the same number of turns
        for due in parts.schedule.fire_scope(PRESSURE, of, key, by="working memory", target=position):
            if parts.bell is not None:
                parts.bell.ring(due.scope, due.job)
        with parts.database.tenant(of.tenant) as connection:
            summed_up, _ = summarised_until(connection, of.id)
        return summed_up >= position

    of = Conversation(scope, conversation)
    spend = partial(parts.quotas.spend_on_note, scope.tenant, scope.user)
    return Turns(
        of, parts.cache.cache, _limits(parts), parts.push, partial(_stored_turns, parts), ask, spend, parts.masking
    )


def last_turns(parts: Parts, scope: Scope, conversation: str) -> list[Turn]:
    """Return the last stored turns of a conversation, oldest first, as many as fit in working memory."""
    limits = _limits(parts)
    stored = _stored_turns(parts, Conversation(scope, conversation), after=0, before=None, most=limits.turns)
    turns = [stored_turn(one) for one in stored]
    return turns[eviction_count(turns, limits) :]


def _limits(parts: Parts) -> Limits:
    settings = parts.settings
    summarising = parts.lifecycle.triggers.get(SUMMARISE)
    most = settings.working_tokens or (summarising and summarising.token_pressure) or TOKENS
    return Limits(most, settings.working_turns, settings.working_seconds)


def _stored_turns(
    parts: Parts, of: Conversation, *, after: int, before: int | None, most: int
) -> Sequence[StoredEpisode]:
    with parts.database.tenant(of.scope.tenant) as connection:
        return latest_messages(connection, of.scope.id, of.session, after=after, before=before, most=most)
