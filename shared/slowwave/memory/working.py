"""`scope.working`: the turns of a conversation, and the notes beside them, in a cache."""

import json
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any

from pydantic import Field

from slowwave.brief import brief
from slowwave.core.masking import Masking
from slowwave.core.tokens import tokens
from slowwave.core.working import leaving, quarter
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
from slowwave.domain.working import PARTS, PRESSURE, ActiveGoal, Context, Conversation, Limits, Turn
from slowwave.jobs.working import Cache, Turns, told
from slowwave.rules.cadence import TOKENS
from slowwave.store.recall.timeline import last_said
from slowwave.store.summaries.kept import reach
from slowwave.wiring import Parts

Tokens = Annotated[int, Field(ge=1, le=2**31 - 1)]
THOUGHTS = 50
"""How many thoughts are kept; the oldest go first, and nobody keeps those."""


@checked_type
@dataclass(frozen=True, slots=True, repr=False)
class WorkingMemory:
    """The working memory of one conversation; after an hour (SLOWWAVE_WORKING_SECONDS) of silence it is empty.

    Turns are episodes before they are in mind, and come back to it from there. Thoughts, values and the goal are in
    the cache alone: they end with it, and their methods raise `Unavailable` while it is away.
    """

    _turns: Instance[Turns]

    @checked
    def add_turn(
        self,
        content: Question,
        *,
        role: Role = "user",
        key: Name | None = None,
        occurred_at: Instant | None = None,
        speaker: Name | None = None,
        metadata: Metadata | None = None,
    ) -> Turn:
        """Store what was said as an episode, then keep it in mind; return the turn.

        Where it gets too much in mind the oldest turns leave it, and a summary is asked for. With a *key*, saying the
        same again changes nothing, as with `MemoryScope.push`. Without *occurred_at* it happened when it was stored.
        Raises `Incorrect` for what could never be an episode, `Conflict` for a key that is taken, and `Unavailable`
        when Postgres is away and there is no outbox; a cache that is away is logged, and costs nothing that was said.
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
        """Return the newest *limit* turns in mind, or all, oldest first.

        What the cache has forgotten is read from the episodes: the last messages of the conversation, as many as stay
        in mind. Raises `Unavailable` when neither the cache has any nor Postgres answers.
        """
        turns = self._turns.recent()
        return turns if limit is None else turns[max(0, len(turns) - limit) :]

    @checked
    def set(self, key: Name, value: Json, *, ttl_seconds: Seconds | None = None) -> None:
        """Keep a JSON *value* by *key* for *ttl_seconds*, an hour if nothing is said. Raises `Incorrect`."""
        seconds = self.limits.seconds if ttl_seconds is None else ttl_seconds
        self._cache.put(self.of, key, json.dumps(self._masking.value(value), ensure_ascii=False), seconds=seconds)

    @checked
    def get(self, key: Name, default: Any = None) -> Any:
        """Return the value kept by *key*, or *default*."""
        text = self._cache.get(self.of, key)
        return default if text is None else json.loads(text)

    @checked
    def delete(self, key: Name) -> bool:
        """Forget the value kept by *key*; return whether there was one."""
        return self._cache.delete(self.of, key)

    @checked
    def get_context(self) -> Context:
        """Return everything in working memory."""
        turns = self.get_recent_turns()
        values = {name: json.loads(text) for name, text in self._cache.values(self.of).items()}
        thoughts, goal = self.get_thoughts(), self.get_active_goal()
        notes = [*thoughts, *([goal.description] if goal else ()), *map(text_of, values.values())]
        total = sum(turn.tokens for turn in turns) + sum(map(tokens, notes))
        return Context(turns, thoughts, goal, values, total)

    @checked
    def clear_session(self) -> int:
        """Forget everything in mind; return how many turns that were. What was said stays said: they are episodes.

        Raises `Unavailable`, and forgets nothing, while the cache is away or turns wait in an outbox.
        """
        left = self._turns.clear()
        self._cache.clear(self.of, [part for part in PARTS if part != "turns"])
        return left

    @checked
    def evict_oldest(self, count: Limit = 1) -> list[Turn]:
        """Let the oldest *count* turns leave what is in mind; return them, oldest first.

        A summary of them is asked for, and they stay episodes, found as before. Raises `Unavailable`, and evicts none,
        while the cache is away or one of them waits in an outbox.
        """
        return self._turns.evict(count)

    @checked
    def needs_pruning(self, max_tokens: Tokens | None = None) -> bool:
        """Return whether more is in mind than its limits allow, or than *max_tokens*."""
        return leaving(self.get_recent_turns(), self._within(max_tokens)) > 0

    @checked
    def prune(self, max_tokens: Tokens | None = None) -> list[Turn]:
        """Evict the oldest quarter of the turns, rounded up, where it `needs_pruning`; return what is in mind then.

        Once a call, as an agent does before it writes a prompt; `add_turn` prunes to the limits by itself.
        """
        turns = self.get_recent_turns()
        if leaving(turns, self._within(max_tokens)):
            self._turns.evict(quarter(len(turns)))
        return self.get_recent_turns()

    @checked
    def set_active_goal(self, goal_id: Id, description: Description) -> None:
        """Set the goal that the conversation pursues, in place of the one before."""
        text = json.dumps([str(goal_id), self._masking.text(description)])
        self._cache.append(self.of, "goal", uuid.uuid4().hex, text, seconds=self.limits.seconds, most=1)

    @checked
    def get_active_goal(self) -> ActiveGoal | None:
        """Return the goal that the conversation pursues, or None."""
        found = self._cache.entries(self.of, "goal")
        return ActiveGoal(*json.loads(found[-1].text)) if found else None

    @checked
    def push_thought(self, thought: Question) -> None:
        """Keep a thought in mind. Of more than fifty the oldest go, for good."""
        text = self._masking.text(Episode(content=thought).content)
        self._cache.append(self.of, "thoughts", uuid.uuid4().hex, text, seconds=self.limits.seconds, most=THOUGHTS)

    @checked
    def get_thoughts(self, limit: Limit = THOUGHTS) -> list[str]:
        """Return the newest *limit* thoughts in mind, oldest first."""
        return [entry.text for entry in self._cache.entries(self.of, "thoughts")][-limit:]

    @property
    def of(self) -> Conversation:
        """The conversation."""
        return self._turns.of

    @property
    def limits(self) -> Limits:
        """The most that stays in mind, and for how long."""
        return self._turns.limits

    def __repr__(self) -> str:
        return brief(self, self.of.session, self.of.scope.user)

    def _within(self, max_tokens: int | None) -> Limits:
        return self.limits if max_tokens is None else replace(self.limits, tokens=max_tokens)

    @property
    def _masking(self) -> Masking:
        return self._turns.masking

    @property
    def _cache(self) -> Cache:
        return self._turns.cache


def text_of(value: Any) -> str:
    """Return the text of a value as a prompt has it: words as they are, all else in JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def turns_of(parts: Parts, scope: Scope, conversation: str) -> Turns:
    """Return the turns of one conversation. Raises `Unavailable` where there is no cache for them."""

    def ask(of: Scope, position: int, turns: int) -> bool:
        key = f"{position}/{turns}"  # the job that makes the summary says of how many it tells
        for due in parts.schedule.fire_scope(PRESSURE, of, key, by="working memory", target=position):
            if parts.bell is not None:
                parts.bell.ring(due.scope, due.job)
        with parts.database.tenant(of.tenant) as connection:
            summed_up, _ = reach(connection, of.id)
        return summed_up >= position

    of = Conversation(scope, conversation)
    return Turns(of, parts.cache.cache, _limits(parts), parts.push, partial(_said, parts), ask, parts.masking)


def last_turns(parts: Parts, scope: Scope, conversation: str) -> list[Turn]:
    """Return the last turns of a conversation as they were stored, as many as would be in mind, oldest first."""
    limits = _limits(parts)
    said = _said(parts, Conversation(scope, conversation), after=0, before=None, most=limits.turns)
    turns = [told(one) for one in said]
    return turns[leaving(turns, limits) :]


def _limits(parts: Parts) -> Limits:
    settings = parts.settings
    summarising = parts.lifecycle.triggers.get(SUMMARISE)
    most = settings.working_tokens or (summarising and summarising.token_pressure) or TOKENS
    return Limits(most, settings.working_turns, settings.working_seconds)


def _said(parts: Parts, of: Conversation, *, after: int, before: int | None, most: int) -> Sequence[StoredEpisode]:
    with parts.database.tenant(of.scope.tenant) as connection:
        return last_said(connection, of.scope.id, of.session, after=after, before=before, most=most)
