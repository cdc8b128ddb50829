"""`scope.strategies`: strategies with their confidence, and statistics of tools."""

import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from slowwave.core.patterns import strategy_id
from slowwave.core.tool_attempts import name, way
from slowwave.domain.arguments import Description, Id, Latency, Limit, Name, Names, Note, checked, checked_type
from slowwave.domain.episode import Episode, key_or_new
from slowwave.domain.job_table import DETECT_PATTERNS, pack_of
from slowwave.domain.pattern import Strategy, ToolStats
from slowwave.domain.receipt import Receipt
from slowwave.domain.scope import Scope
from slowwave.errors import Incorrect, NotFound
from slowwave.memory import due_work, ingestion
from slowwave.memory.queries.access_tracking import audited_lookup
from slowwave.memory.tools import Tools
from slowwave.memory.verb_group import VerbGroup
from slowwave.ports.recall import embed_questions
from slowwave.retrieval.reach import Reads, reach_of
from slowwave.runtime.extras import needed
from slowwave.store.patterns.records import strategies, tool_stats
from slowwave.wiring import owner_name

BY_HAND = "strategies"
"""The session of strategies that are recorded outside a conversation."""


@checked_type
@dataclass(frozen=True, slots=True, repr=False)
class Strategies(VerbGroup):
    """The strategies of one agent with one user, and the statistics of the agent's tools.

    Slowwave learns strategies from episodes of kind `tool_call` and `outcome`. A strategy recorded by hand also becomes
    such an episode, which is the source of the facts about the strategy.

    `find_strategies`, `all` and `get` search the same scopes as `recall`; each strategy names its `scope`. All other
    methods cover only this agent and channel.
    """

    reads: Reads = "agent"

    @checked
    def find_strategies(
        self, task_description: Description, channels: Names | None = None, top_k: Limit = 5, *,
        session: Name | None = None,
    ) -> list[Strategy]:  # fmt: skip
        """Return the *top_k* strategies for a task, sorted by similarity times confidence, best first.

        The method searches the same scopes as `recall`, or exactly *channels*. It leaves out failing and forgotten
        strategies. The field `standing` marks strategies that were tried too rarely to be believed. *session* is the
        caller's session, for the audit log.
        """
        embedder = self._parts.embedder_for(self.scope)
        scopes = [scope.id for scope in self._reach(channels)]
        vector = embed_questions(embedder, [task_description])[0]

        def read(connection: Any) -> list[Strategy]:
            found = strategies(connection, scopes, vector=vector if vector.any() else None, space=embedder.space)
            fit = [one for one in found if one.standing in ("learned", "tried") and one.score]
            return sorted(fit, key=lambda one: (-(one.score or 0.0), one.id))[:top_k]

        return self._read(read, "strategies.find_strategies", session)

    @checked
    def learn_strategy(
        self, description: Note, context_pattern: Note, tool_sequence: Names, from_conversation_id: Name, success: bool,
        channel: Name | None = None, *, task: Note = "", key: Name | None = None,
    ) -> uuid.UUID:  # fmt: skip
        """Store that *tool_sequence* succeeded or failed in a conversation; return the strategy's id.

        The call counts as one attempt at *task*, and ends the conversation's current attempt. The default of *task* is
        *context_pattern*. A repeat with the same *key* changes nothing. Raises `Incorrect` for a sequence without
        tools.
        """
        tried = way(task or context_pattern, tool_sequence)
        if tried is None:
            raise Incorrect.listing(
                "the strategy", ["tool_sequence: names no tools, or too many"], hint="name the tools in order"
            )
        fields = {"description": description, "context_pattern": context_pattern, "tools": list(tool_sequence)}
        there = self._in(channel)
        there._tell(description or tried.name, from_conversation_id, key, success=success, task=task, **fields)
        return strategy_id(there.scope.id, tried)

    @checked
    def reinforce_strategy(self, strategy_id: Id, success: bool, *, key: Name | None = None) -> None:
        """Store that a strategy of this agent and channel succeeded or failed once more. Raises `NotFound`.

        A repeat with the same *key* changes nothing.
        """
        strategy = _named(strategy_id, self._of([self.scope]))
        words = f"{strategy.description} {'worked' if success else 'failed'}"
        self._tell(words, BY_HAND, key, success=success, strategy=str(strategy.id))

    @checked
    def get(self, strategy_id: Id, *, session: Name | None = None) -> Strategy:
        """Return one strategy. Raises `NotFound`."""
        scopes = [scope.id for scope in self._reach()]

        def read(connection: Any) -> list[Strategy]:
            return [_named(strategy_id, strategies(connection, scopes))]

        return self._read(read, "strategies.get", session)[0]

    @checked
    def all(self, *, session: Name | None = None) -> list[Strategy]:
        """Return all strategies, whatever their confidence, sorted by agent, channel, task and tools."""
        scopes = [scope.id for scope in self._reach()]
        return self._read(lambda connection: strategies(connection, scopes), "strategies.all", session)

    @checked
    def paths(self, task: Note | None = None) -> list[tuple[tuple[str, ...], int]]:
        """Return the tool sequences that several successful attempts share, with their counts, most frequent first."""
        with needed():
            from slowwave.core.tool_paths import frequent_paths  # networkx takes long to import

        counts: dict[tuple[str, ...], int] = {}
        for one in self._of([self.scope]):
            if task is None or one.task == name(task):
                counts[one.tool_sequence] = counts.get(one.tool_sequence, 0) + one.success_count
        return frequent_paths(counts)

    @checked
    def get_tool_stats(self, task_type: Note | None = None, channel: Name | None = None) -> list[ToolStats]:
        """Return the statistics of tools in this channel or in *channel*, for one type of task or all types, most used
        first.
        """
        scope = self._in(channel).scope
        with self._parts.database.tenant(scope.tenant) as connection:
            return tool_stats(connection, scope.id, task=None if task_type is None else name(task_type))

    @checked
    def record_invocation(
        self, conversation_id: Name, turn_id: Name, tool_name: Name, tool_input: Any, tool_output: Any, success: bool,
        latency_ms: Latency, channel: Name | None = None, *, task: Note = "", key: Name | None = None,
    ) -> Receipt:  # fmt: skip
        """Store one call of a tool as an episode; return the receipt. See `Tools.record_invocation`."""
        return Tools(self._parts, self.scope).record_invocation(
            conversation_id, turn_id, tool_name, tool_input, tool_output, success, latency_ms, channel, task=task,
            key=key,
        )  # fmt: skip

    def _reach(self, channels: Names | None = None) -> list[Scope]:
        """Return the scopes in which to search for strategies, in order. *channels* replace the channels of `reach`."""
        if not channels:
            return reach_of(self._parts.records, self.scope, self.reads)
        if self.reads == "agent":
            return [replace(self.scope, channel=channel) for channel in channels]
        return [one for one in reach_of(self._parts.records, self.scope, "user") if one.channel in channels]

    def _of(self, scopes: Sequence[Scope]) -> list[Strategy]:
        with self._parts.database.tenant(self.scope.tenant) as connection:
            return strategies(connection, [scope.id for scope in scopes])

    def _read(self, read: Callable[[Any], list[Strategy]], verb: str, session: str | None) -> list[Strategy]:
        scope = self.scope
        return audited_lookup(
            self._parts, scope.tenant, read, kind="procedural", scope=scope, verb=verb, session=session
        )

    def _tell(self, words: str, session: str, key: str | None, **metadata: Any) -> None:
        given = {field: value for field, value in metadata.items() if value != ""}
        episode = Episode(
            content=words, session=session, role="assistant", kind="outcome", metadata=given, key=key_or_new(key)
        )
        receipt = ingestion.push(self._parts, self.scope, episode)
        if receipt.state == "stored":
            self._work()

    def _work(self) -> None:
        """Learn from the recorded episodes now.

        If a worker holds the scope, request that a worker learns from these episodes.
        """
        parts, pack = self._parts, pack_of(DETECT_PATTERNS)
        owner = owner_name("inline")
        parts.schedule.fire_manually(by=owner, tenant=self.scope.tenant, scopes=[self.scope.id], pack=pack)
        while due_work.run_next(parts, owner=owner, scope=self.scope.id, only=[DETECT_PATTERNS]):
            pass


def _named(id_: uuid.UUID | str, among: Sequence[Strategy]) -> Strategy:
    for one in among:
        if str(one.id) == str(id_).lower():
            return one
    raise NotFound(
        f"there is no strategy {id_} here", hint="`slowwave strategies` lists their ids, agents and channels"
    )
