"""Made by ops/async_faces.py of the faces themselves: edit those."""

import builtins
import uuid
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Annotated, Any, Self, Unpack

from pydantic import Field, SkipValidation

from slowwave.core.capture import Passed
from slowwave.domain.arguments import (
    Cosine,
    Description,
    Id,
    Instant,
    Json,
    Latency,
    Limit,
    Metadata,
    Name,
    Names,
    Note,
    Number,
    Question,
    Reason,
    Result,
    Seconds,
    Share,
    Timeout,
)
from slowwave.domain.arguments import Hours as ArgumentsHours
from slowwave.domain.claim import Form
from slowwave.domain.consensus import Position, Verdict
from slowwave.domain.context import Part, PromptContext, SourcedAnswer
from slowwave.domain.continuum import MemoryEntry
from slowwave.domain.dead_letter import Review
from slowwave.domain.dead_letter import Verdict as DeadLetterVerdict
from slowwave.domain.delta import AppliedDelta, Kind, MemoryDelta
from slowwave.domain.embedding_spaces import EmbeddingSpace
from slowwave.domain.episode import EpisodeFields, EpisodeKind, Item, Role
from slowwave.domain.erasure import Erasure, Token, Words
from slowwave.domain.explanation import Explanation
from slowwave.domain.fact import Fact
from slowwave.domain.goal import Goal, GoalStatus
from slowwave.domain.graph import ConceptNode, Described, GraphPath, GraphVersion, MemoryGraph, RelationshipEdge
from slowwave.domain.overview import Due
from slowwave.domain.pattern import Strategy, ToolStats
from slowwave.domain.queries.bundle import MemoryBundle
from slowwave.domain.queries.episode import RememberedEpisode
from slowwave.domain.queries.index import Index, IndexEntry
from slowwave.domain.queries.invocation import ToolInvocation
from slowwave.domain.queries.mention import Mention
from slowwave.domain.queries.profile import Profile
from slowwave.domain.queries.summary import Summary
from slowwave.domain.queries.tree import TreeNode
from slowwave.domain.queries.unread import UnreadTurns
from slowwave.domain.receipt import Receipt
from slowwave.domain.recollection import Recollection, Recollections, Remembered
from slowwave.domain.retention import Conversation as RetentionConversation
from slowwave.domain.retention import Hold, Preview
from slowwave.domain.run import Report
from slowwave.domain.scope import Scope
from slowwave.domain.standing import Standing
from slowwave.domain.stats import Stats
from slowwave.domain.undo import Undone, What
from slowwave.domain.working_memory import ActiveGoal, Context, Conversation, Limits, Turn
from slowwave.memory.asynchronous.twin import AsyncFace, PendingConnection
from slowwave.memory.context import Count as ContextCount
from slowwave.memory.context import Deadline
from slowwave.memory.context import Tokens as ContextTokens
from slowwave.memory.continuum import OneEntry
from slowwave.memory.counted_recall import Reads
from slowwave.memory.graph.mentions import Hours
from slowwave.memory.graph.queries import Count, Depth, OneGraph, Vector
from slowwave.memory.import_export.counts import MovedCounts
from slowwave.memory.installation import Days
from slowwave.memory.operations import Operator
from slowwave.memory.profile import Ahead, Facts
from slowwave.memory.queries import Around, Ids, OneConversation
from slowwave.memory.queries.lookup import NamedMemories
from slowwave.memory.scope import Recalled
from slowwave.memory.summaries import MostTokens
from slowwave.memory.verb_group import OneScope
from slowwave.memory.working_memory import Tokens
from slowwave.outbox import Outbox
from slowwave.subscriptions import DeltaCallback
from slowwave.subscriptions.async_deltas import AsyncDeltaIterator, AsyncSubscription
from slowwave.wiring import Options

class AsyncConsensus(AsyncFace):
    """The consensus and dissent of one scope. Reads cover all agents of the user, here and in the global channel."""

    async def find_similar(
        self, topic: Description, limit: Limit = 5, *, session: Name | None = None
    ) -> list[Position]:
        """Return the consensus on topics similar to *topic*, the most similar first, then the latest.

        *session* is the caller's session, for the audit log.
        """

    async def get_dissent_for_topic(self, topic_hash: Name, *, session: Name | None = None) -> list[Position]:
        """Return the dissent about the topic with this hash, latest first."""

    @property
    def scope(self) -> OneScope: ...
    async def store_consensus(self, record: Annotated[Verdict | Mapping[str, Any], SkipValidation]) -> Position:
        """Store a consensus of agents; return it as stored. Raises `Incorrect` with every problem."""

    async def store_dissent(self, record: Annotated[Verdict | Mapping[str, Any], SkipValidation]) -> Position:
        """Store the dissent of agents, with their own position. Raises `Incorrect` with every problem."""

    @staticmethod
    def topic_hash(topic: Description) -> str:
        """Return the hash of a topic, which ignores case and white space."""

class AsyncContinuumMemory(AsyncFace):
    """The entries of one agent with one user in one channel, on the configured tiers.

    An entry is an episode: no content is lost when it moves to a colder tier.
    """

    async def context(self, limit: Limit = 20, tiers: Names | None = None) -> list[MemoryEntry]:
        """Return the most important entries for the start of an agent's session, most important first.

        Without *tiers*, these are on the initial tier and the tier above.
        """

    async def outcome(
        self, content: Question, *, success: bool, references: Sequence[OneEntry | uuid.UUID] = (), topic: Note = ""
    ) -> MemoryEntry:
        """Store an outcome, credit the entries it refers to, and request consolidation.

        A retrieved entry's expected usefulness is its similarity; anything above that is a surprise.
        """

    async def retrieve(
        self, query: Question, tiers: Names | None = None, limit: Limit = 5, min_similarity: Cosine = 0.3
    ) -> list[MemoryEntry]:
        """Return the *limit* entries most similar to *query*, with a cosine of at least *min_similarity*.

        Each counts as accessed. A later call of `outcome` that names the retrieved entries updates their surprise:
        their usefulness minus their similarity.
        """

    @property
    def scope(self) -> OneScope: ...
    async def store(
        self,
        content: Question,
        tier: Name | None = None,
        importance: Share | None = None,
        source: Note = "",
        topic: Note = "",
        metadata: Metadata | None = None,
        *,
        key: Name | None = None,
    ) -> MemoryEntry:
        """Store *content* on *tier*, from which it moves automatically. With a *key*, a repeat changes nothing.

        Without *tier*, *importance* selects it: the higher, the hotter. Without both, importance is 0.5 and the entry
        starts on the initial tier. Raises `Incorrect` for an unknown tier or an importance outside 0 to 1, and
        `Unavailable` while Postgres is down: an entry is never put in the outbox.
        """

class AsyncGoals(AsyncFace):
    """The goals of one scope."""

    async def add(
        self,
        description: Description,
        *,
        priority: Number = 0,
        deadline: Instant | None = None,
        parent: Id | None = None,
        key: Name | None = None,
    ) -> Goal:
        """Store a goal; return it. With a *key*, a repeat changes nothing.

        Raises `Incorrect` with every problem, and `NotFound` if *parent* is not a goal here.
        """

    async def block(self, goal_id: Id, reason: Reason, *, by: Id | None = None) -> Goal:
        """Mark a goal as blocked, with the reason and, if there is one, the goal it is blocked *by*.

        Raises `NotFound`, and `Conflict` once it has ended.
        """

    async def complete(self, goal_id: Id, status: GoalStatus = "completed", result: Result | None = None) -> Goal:
        """End a goal as `completed` or `abandoned`, with its outcome. A repeat changes nothing.

        Raises `NotFound`, and `Conflict` if it already ended in the other way.
        """

    async def get(self, goal_id: Id, *, session: Name | None = None) -> Goal:
        """Return one goal, with its parent. *session* is the caller's, for the audit log. Raises `NotFound`."""

    async def list(
        self, status: GoalStatus | None = "active", *, limit: Limit = 100, session: Name | None = None
    ) -> builtins.list[Goal]:
        """Return the goals with *status*, or all: by descending priority, then oldest first.

        *session* is the caller's session, for the audit log.
        """

    async def resume(self, goal_id: Id) -> Goal:
        """Mark a blocked goal as active again. Raises `NotFound`, and `Conflict` once it has ended."""

    @property
    def scope(self) -> OneScope: ...

class AsyncGraph(AsyncFace):
    """The graph of the entities around a user, as one agent knows them.

    The graph is a projection of the facts: each run that changes facts also updates the graph. An edge is a fact whose
    object is an entity, and ends when the fact ends. `load` and `versions` cover this agent and channel; `query` and
    `find` search where recall does, and each node names its `scope`.
    """

    async def compare(self, before: Count, after: Count) -> tuple[list[RelationshipEdge], list[RelationshipEdge]]:
        """Return the edges that version *after* added to *before*, and those it removed. Raises `NotFound`."""

    async def create_relationship(
        self,
        source: Id,
        target: Id,
        rel_type: Name,
        properties: Metadata | None = None,
        *,
        channel: Name | None = None,
        key: Name | None = None,
    ) -> RelationshipEdge:
        """Add a relationship from *source* to *target*, each a name or an id; return it.

        It becomes a fact with the type as predicate (`WORKS_FOR` becomes `works_for`), under the usual rules: a repeat
        adds weight to the edge, and a single-valued predicate replaces its old value. Raises `Incorrect` for a type
        that is not a valid predicate, `NotFound` for an unknown id, `FactConflictError` if a person has to decide, and
        what `upsert_entity` raises.
        """

    async def describe(self, entity: Id, *, session: Name | None = None) -> Described:
        """Return a sentence or two about *entity*, an id or any of its names, with the facts behind them.

        Each sentence is a current fact, the one with the most weight first; a description written by hand replaces all.
        The facts count as accessed, and are audited with the *session*. Raises `NotFound`.
        """

    async def find(self, words: Question, limit: Limit = 5) -> list[ConceptNode]:
        """Return the entities named in *words*, longest name first, then those closest in meaning."""

    async def format_as_context(self, graph: OneGraph) -> str:
        """Return *graph* as lines for a prompt, core concepts marked; empty for an empty graph."""

    async def get_entity_graph(
        self,
        entity_ids: Sequence[Id],
        depth: Depth = 2,
        *,
        limit: Limit = 200,
        at: Instant | None = None,
        session: Name | None = None,
    ) -> MemoryGraph:
        """Return up to *limit* entities within *depth* hops of the given entity ids, and their edges.

        The facts returned count as accessed, and are audited with the *session*.
        """

    async def load(self, limit: Count = 20000) -> MemoryGraph:
        """Return the graph of this agent and channel: at most *limit* entities, most frequent first."""

    async def mentioned_in(self, episode: Id) -> list[ConceptNode]:
        """Return the entities named in a turn, given by id, id prefix or key; longest name first.

        They include the speaker if the turn says "I" or "my". Raises `NotFound`.
        """

    async def mentions(
        self,
        entity: Id,
        limit: Limit = 20,
        *,
        before: Id | None = None,
        archived: bool = False,
        session: Name | None = None,
    ) -> list[Mention]:
        """Return the *limit* latest turns that mention an entity, newest first, from all of `reach`.

        *entity* is an id or any of its names. A turn mentions an entity if the turn contains the entity's name, or if a
        fact about the entity cites the turn. For the user, only facts and the user's own name count. Continue with
        *before*, the id or key of the last turn. Archived conversations are left out unless *archived*. The turns count
        as accessed, and are audited with the *session*. Raises `NotFound` for an unknown entity and for a missing turn
        in *before*.
        """

    async def node(self, entity: Id) -> ConceptNode:
        """Return an entity by its id or one of its names. Raises `NotFound`."""

    async def query(
        self,
        question: Question,
        *,
        depth: Depth = 2,
        top_k: Limit = 5,
        at: Instant | None = None,
        session: Name | None = None,
    ) -> MemoryGraph:
        """Return the entities that *question* names or means and their most important neighbours, *top_k* in all.

        Walks breadth first up to *depth* hops along the heaviest edges. Schematic entities come first, then those on a
        path between two named entities, then the nearest. *at* asks about another time. Empty if no entity matches. The
        facts returned count as accessed, and are audited with the *session*.
        """

    @property
    def reads(self) -> Reads: ...
    async def rebuild(self) -> int:
        """Rebuild the graph from the facts, with the currently registered predicates; return its number of edges.

        Names without a vector of this embedder get one. Raises `Conflict` while a worker holds the scope.
        """

    @property
    def scope(self) -> OneScope: ...
    async def store_fact(
        self,
        subject: Name,
        predicate: Name,
        object: Description,
        *,
        channel: Name | None = None,
        key: Name | None = None,
    ) -> uuid.UUID:
        """Store a fact with *subject*, *predicate* and *object*, under the usual rules; return the fact's id.

        If another fact stays believed instead, `why` of the returned id explains it. With a *key*, a repeat changes
        nothing. Raises what `create_relationship` raises.
        """

    async def upsert_entity(
        self,
        name: Name,
        *,
        type: Name | None = None,
        aliases: Names = (),
        description: Note = "",
        properties: Metadata | None = None,
        channel: Name | None = None,
        key: Name | None = None,
    ) -> ConceptNode:
        """Add or update an entity's type, names, description and properties, here or in another channel; return it.

        Each value becomes a fact based on an episode, so it can be explained and undone. Omitted values stay unchanged.
        With a *key*, a repeat changes nothing. Raises `Incorrect` if no value is given, `Conflict` while a worker holds
        the scope, and `Unavailable` while Postgres is down.
        """

    async def vector_search_entities(
        self, query_embedding: Vector, top_k: Limit = 10, channels: Names | None = None
    ) -> list[ConceptNode]:
        """Return the *top_k* entities nearest to a vector of the memory's embedder, best first; here, or in *channels*.

        Raises `Incorrect` if the vector and the embedder differ in dimensions.
        """

    async def vector_search_facts(
        self,
        query_embedding: Vector,
        top_k: Limit = 10,
        channels: Names | None = None,
        min_confidence: Share = 0.0,
        *,
        session: Name | None = None,
    ) -> list[Fact]:
        """Return the *top_k* facts nearest to a vector of the memory's embedder, best first; here, or in *channels*.

        Searches only facts that are believed and true now, with a confidence of at least *min_confidence*. They count
        as accessed, and are audited with the *session*. Raises `Incorrect` if the vector and the embedder differ in
        dimensions.
        """

    async def vector_search_turns(
        self,
        query_embedding: Vector,
        top_k: Limit = 10,
        channels: Names | None = None,
        *,
        time_window_hours: Hours | None = None,
        session: Name | None = None,
    ) -> list[RememberedEpisode]:
        """Return the *top_k* turns nearest to a vector of the memory's embedder, best first; here, or in *channels*.

        Searches only turns of the last *time_window_hours* that a worker has embedded. They count as accessed, and are
        audited with the *session*. Raises `Incorrect` if the vector and the embedder differ in dimensions.
        """

    async def versions(self, limit: Limit = 20) -> list[GraphVersion]:
        """Return the versions of this graph, newest first: each run that decided anything here makes one."""

    async def walk(
        self, question: Question, limit: Limit = 5, *, at: Instant | None = None, session: Name | None = None
    ) -> list[GraphPath]:
        """Return up to *limit* paths from an entity in *question* along the relations it names, best first.

        The last fact of each path is the answer. Relations match the names, aliases and sentences of predicates. A path
        has at most five facts; the question may leave out one of their relations. *at* asks about another time.
        Empty if no entity or no relation is named. The facts count as accessed, and are audited with the *session*.
        """

class AsyncMemoryStream(AsyncFace):
    """The episodes of one agent with one user in one channel."""

    async def recall(self, query: Question, limit: Limit = 10, *, session: Name | None = None) -> list[Recollection]:
        """Return the *limit* episodes that answer *query* best, in order of time.

        *session* is the caller's session, for the audit log.
        """

    async def record(self, event: Annotated[Item, SkipValidation], **fields: Unpack[EpisodeFields]) -> Receipt:
        """Store an event; see `MemoryScope.push`."""

    @property
    def scope(self) -> OneScope: ...
    async def summarize(self, time_range: Annotated[Sequence[Instant], Field(min_length=2, max_length=2)]) -> str:
        """Return the most informative sentences that were said in *time_range*, one per line.

        Empty if nothing was said. Raises `Incorrect` unless *time_range* is two times with a zone, the earlier first.
        """

class AsyncStrategies(AsyncFace):
    """The strategies of one agent with one user, and the record of its tools.

    Slowwave learns strategies from episodes of kind `tool_call` and `outcome`. A strategy recorded by hand also becomes
    such an episode: it is durable, counts once, and facts based on the strategy cite it.

    `find_strategies`, `all` and `get` search the same scopes as `recall`; each strategy names its `scope`. All other
    methods cover only this agent and channel.
    """

    async def all(self, *, session: Name | None = None) -> list[Strategy]:
        """Return every strategy of any confidence, sorted by agent, channel, task and tools."""

    async def find_strategies(
        self,
        task_description: Description,
        channels: Names | None = None,
        top_k: Limit = 5,
        *,
        session: Name | None = None,
    ) -> list[Strategy]:
        """Return the *top_k* strategies for a task, best first: by similarity times confidence.

        Searches the same scopes as `recall`, or exactly *channels*. Leaves out failing and forgotten strategies;
        `standing` marks strategies tried too rarely to be believed. *session* is the caller's session, for the audit
        log.
        """

    async def get(self, strategy_id: Id, *, session: Name | None = None) -> Strategy:
        """Return one strategy. Raises `NotFound`."""

    async def get_tool_stats(self, task_type: Note | None = None, channel: Name | None = None) -> list[ToolStats]:
        """Return the statistics of tools here, or in *channel*, for one type of task or all, most used first."""

    async def learn_strategy(
        self,
        description: Note,
        context_pattern: Note,
        tool_sequence: Names,
        from_conversation_id: Name,
        success: bool,
        channel: Name | None = None,
        *,
        task: Note = "",
        key: Name | None = None,
    ) -> uuid.UUID:
        """Store that *tool_sequence* succeeded or failed in a conversation; return the strategy's id.

        This counts as one attempt at *task*, by default the *context_pattern*, and ends the conversation's current
        attempt. A repeat with the same *key* changes nothing. Raises `Incorrect` for a sequence without tools.
        """

    async def paths(self, task: Note | None = None) -> list[tuple[tuple[str, ...], int]]:
        """Return the tool sequences that several successes share, with their counts, most frequent first."""

    @property
    def reads(self) -> Reads: ...
    async def record_invocation(
        self,
        conversation_id: Name,
        turn_id: Name,
        tool_name: Name,
        tool_input: Any,
        tool_output: Any,
        success: bool,
        latency_ms: Latency,
        channel: Name | None = None,
        *,
        task: Note = "",
        key: Name | None = None,
    ) -> Receipt:
        """Store one call of a tool, as an episode; see `Tools.record_invocation`."""

    async def reinforce_strategy(self, strategy_id: Id, success: bool, *, key: Name | None = None) -> None:
        """Store that a strategy of this agent and channel succeeded or failed once more. Raises `NotFound`.

        A repeat with the same *key* changes nothing.
        """

    @property
    def scope(self) -> OneScope: ...

class AsyncTools(AsyncFace):
    """The tool calls of one scope; `calls` also reads the other scopes that `recall` searches."""

    async def calls(
        self,
        limit: Limit = 50,
        *,
        tools: Names | None = None,
        sessions: Names | None = None,
        success: bool | None = None,
        since: Instant | None = None,
        until: Instant | None = None,
        before: Id | None = None,
        session: Name | None = None,
    ) -> list[ToolInvocation]:
        """Return the *limit* latest tool calls, newest first: input, output, success and duration.

        Filters select *tools* by name, *sessions*, *success* (False for failed calls), and calls from *since* on and
        before *until*. To continue, pass the id of the last call as *before*. *session* is the caller's session, for
        the audit log.
        """

    async def capture(
        self,
        conversation_id: Name,
        tool_name: Name,
        tool_input: Any,
        tool_output: Any,
        *,
        success: bool,
        latency_ms: Latency,
        error: Result | None = None,
        task: Note = "",
        key: Name | None = None,
    ) -> Receipt | None:
        """Store a call on the hottest tier, if calls of this tool are captured; else return None.

        The transaction that stores the call also sets its tier, even if the call waits in an outbox first.
        `passed_over` has the number of calls not captured, by reason.
        """

    async def outcome(
        self, session: Name, success: bool, *, task: Note = "", note: Note = "", key: Name | None = None
    ) -> Receipt:
        """Store the outcome of a session's task. It ends the attempt of the earlier calls, and the task's goal.

        The goal and its open subgoals become `completed` or `abandoned` when a worker processes the episode; the result
        is the *note*.
        """

    @property
    def passed_over(self) -> Mapping[Passed, int]:
        """The counts of calls that this process did not capture, by reason."""

    async def plan(
        self, session: Name, task: Description, steps: Sequence[Note] = (), *, note: Note = "", key: Name | None = None
    ) -> Receipt:
        """Store a plan: a worker makes a goal of the *task*, and a subgoal of each step.

        An `outcome` of the same task ends the goals. Any episode whose metadata have `task` and a list `plan` is also a
        plan.
        """

    @property
    def reads(self) -> Reads: ...
    async def record_invocation(
        self,
        conversation_id: Name,
        turn_id: Name,
        tool_name: Name,
        tool_input: Any,
        tool_output: Any,
        success: bool,
        latency_ms: Latency,
        channel: Name | None = None,
        *,
        error: Result | None = None,
        task: Note = "",
        key: Name | None = None,
    ) -> Receipt:
        """Store one tool call, in this channel or another; return its receipt.

        *task* is the type of task that the call served. Input and output may be any value; only the beginning of long
        ones is stored. With a *key*, a repeat changes nothing.
        """

    @property
    def scope(self) -> OneScope: ...

class AsyncTree(AsyncFace):
    """The tree of a scope's session summaries: similar ones share a parent node, up to one root.

    Workers update the tree when summaries change. Each node has the most informative sentences of all nodes below it,
    in the speakers' own words. `search` and `nodes` search the same scopes as `recall`.
    """

    async def grow(self) -> int:
        """Rebuild the tree of this scope from its summaries now; return its number of nodes.

        Raises `Conflict` while a worker holds the scope, and `NotFound` if there are no memories.
        """

    async def nodes(
        self, limit: Limit = 100, *, under: Id | None = None, max_tokens: MostTokens = 400, session: Name | None = None
    ) -> list[TreeNode]:
        """Return the first *limit* nodes, root first; or the children of the node *under*, given by id or prefix.

        There are no nodes before a worker has made a summary, and for a while no root after a summary was removed.
        """

    @property
    def reads(self) -> Reads: ...
    @property
    def scope(self) -> OneScope: ...
    async def search(
        self, question: Question, limit: Limit = 5, *, max_tokens: MostTokens = 400, session: Name | None = None
    ) -> list[TreeNode]:
        """Return the *limit* nodes of any level closest in meaning, nearest first, each within *max_tokens*.

        A narrow question finds the session where its topic came up; a broad question finds nodes nearer to the root.
        *session* is the caller's session, for the audit log.
        """

class AsyncWorkingMemory(AsyncFace):
    """The working memory of one conversation; empty after an hour of silence (SLOWWAVE_WORKING_SECONDS).

    Turns are stored as episodes first, and can be reloaded from them. Thoughts, values and the goal are only in the
    cache: they expire, and their methods raise `Unavailable` while the cache is down.
    """

    async def add_turn(
        self,
        content: Question,
        *,
        role: Role = "user",
        key: Name | None = None,
        occurred_at: Instant | None = None,
        speaker: Name | None = None,
        metadata: Metadata | None = None,
    ) -> Turn:
        """Store a message as an episode, then add it to working memory; return the turn.

        If working memory exceeds its limits, its oldest turns are evicted, and a summary is requested. With a *key*, a
        repeat changes nothing, as with `MemoryScope.push`. The default of *occurred_at* is the time of storage.
        Raises `Incorrect` for an invalid episode, `Conflict` for a used key, and `Unavailable` when Postgres is down
        and there is no outbox; an unreachable cache is only logged, and no message is lost.
        """

    async def clear_session(self) -> int:
        """Clear the working memory; return the number of its turns, which stay stored as episodes.

        Raises `Unavailable`, and clears nothing, while the cache is down or turns wait in an outbox.
        """

    async def delete(self, key: Name) -> bool:
        """Delete the value stored under *key*; return whether there was one."""

    async def evict_oldest(self, count: Limit = 1) -> list[Turn]:
        """Evict the oldest *count* turns from working memory; return them, oldest first.

        Requests a summary of these turns; they stay stored as episodes that recall finds. Raises `Unavailable`, and
        evicts nothing, while the cache is down or one of the turns waits in an outbox.
        """

    async def get(self, key: Name, default: Any = None) -> Any:
        """Return the value stored under *key*, or *default*."""

    async def get_active_goal(self) -> ActiveGoal | None:
        """Return the conversation's goal, or None."""

    async def get_context(self) -> Context:
        """Return everything in working memory."""

    async def get_recent_turns(self, limit: Limit | None = None) -> list[Turn]:
        """Return the newest *limit* turns in working memory, or all, oldest first.

        If the cache has no turns, reads the last messages of the conversation from the episodes, within the limits of
        working memory. Raises `Unavailable` if the cache has no turns and Postgres is down.
        """

    async def get_thoughts(self, limit: Limit = 50) -> list[str]:
        """Return the newest *limit* thoughts, oldest first."""

    @property
    def limits(self) -> Limits:
        """The limits of working memory, and its lifetime."""

    async def needs_pruning(self, max_tokens: Tokens | None = None) -> bool:
        """Return whether working memory exceeds its limits, or *max_tokens*."""

    @property
    def of(self) -> Conversation:
        """The conversation."""

    async def prune(self, max_tokens: Tokens | None = None) -> list[Turn]:
        """Evict the oldest quarter of the turns, rounded up, if `needs_pruning`; return the remaining turns.

        Evicts once per call. An agent can call it before it writes a prompt; `add_turn` enforces the limits by itself.
        """

    async def push_thought(self, thought: Question) -> None:
        """Add a thought to working memory. Beyond fifty, the oldest are dropped permanently."""

    async def set(self, key: Name, value: Json, *, ttl_seconds: Seconds | None = None) -> None:
        """Store a JSON *value* under *key* for *ttl_seconds*, an hour by default. Raises `Incorrect`."""

    async def set_active_goal(self, goal_id: Id, description: Description) -> None:
        """Set the conversation's goal, replacing the previous one."""

class AsyncMemoryScope(AsyncFace):
    """The memory of one user in one channel, held by one agent or by all agents.

    Writes, counts and listings use *scope*. `recall`, `facts` and `strategies` search `reach`, which depends on
    *reads*; each result names its `scope`. Equal results of different agents are not merged.
    """

    async def answer(
        self,
        question: Question,
        *,
        session: Name | None = None,
        max_tokens: ContextTokens = 4000,
        limit: Limit = 20,
        deadline_seconds: Deadline = 20.0,
    ) -> SourcedAnswer:
        """Return an answer in sentences, each with its supporting memories; `.known` is False if there are none.

        A model answers from the `context` of the question and cites its memories. The answer has a sentence only if a
        cited memory shares its words, and has every name and number of the sentence that the question does not have.
        The model is the packs' model. It is called once, within *deadline_seconds* and the limits of the model call
        queue: its slots, its circuit breaker and the tenant's daily budget. No transaction is open during the call.
        Cited memories count as accessed. Raises `Incorrect` if no model is set, and `Unavailable` if it has no slot in
        time, no budget left, or gives no readable reply.
        """

    async def apply(self, delta: Annotated[MemoryDelta | dict[str, Any], SkipValidation]) -> uuid.UUID:
        """Apply a typed delta; return its id, which is also the id of the fact that an add or update makes.

        Applying the same delta again changes nothing. Raises `Incorrect` with every problem of the delta,
        `FactConflictError` if the fact it replaces is ambiguous, `NotFound` for a missing source, and `Conflict` while
        a worker holds the scope.
        """

    async def archive(self, session: Name) -> bool:
        """Archive a conversation: recall skips it by default, but facts learned from it stay believed.

        Returns False if it was already archived. A later message in the session restores it. Raises `NotFound` for an
        unknown session, and `Conflict` while a legal hold covers it.
        """

    async def archived(self) -> list[RetentionConversation]:
        """Return the archived conversations here, last archived first."""

    @property
    def consensus(self) -> AsyncConsensus:
        """The consensus and dissent of the user's agents."""

    async def consolidate(self, timeout: Timeout = 60.0) -> list[Report]:
        """Consolidate all pending episodes here into facts now, in this process; return how each run ended."""

    async def context(
        self,
        question: Question,
        *,
        session: Name | None = None,
        max_tokens: ContextTokens = 4000,
        count: ContextCount | None = None,
        limit: Limit = 20,
        include_summary: bool = True,
        include_graph: bool | None = None,
        stop_at_overflow: bool = False,
        anticipate: bool = True,
    ) -> PromptContext:
        """Return the context for answering *question*, in at most *max_tokens*; each part has its sources.

        With a *session*, the context always starts with the `system_prompt` and `tools` in working memory. The
        session's summary and its newest turns follow, in up to half of the remaining room. Then come the graph around
        the entities that the question names, and up to *limit* of the best recollections. A recollection that is too
        long is skipped; with *stop_at_overflow*, it ends the list. Older turns fill the remaining room.
        `.as_messages()` and `.as_text()` format the context for a prompt. Only the memories in the context count as
        accessed.

        With a session and *anticipate*, a separate thread then looks up memories related to the newest turns and the
        active goal. If there is room, the session's next context ends with up to ten of these memories, with
        `anticipated` in their reasons; its `.reused` is the share of its recollections that were already in working
        memory or looked up in advance.

        *count* is a function that returns the number of tokens of a text, such as the model's own tokenizer; each
        message adds four. Without *count*, tokens are estimated on the high side. By default, the context includes the
        graph if the extra `graph` is installed. Raises `Incorrect` if prompt and tools alone exceed *max_tokens*.
        """

    @property
    def continuum(self) -> AsyncContinuumMemory:
        """Memory entries by timescale and importance, which move between tiers automatically."""

    async def conversation(
        self,
        conversation: Name,
        *,
        limit: Limit = 100,
        before: Id | None = None,
        after: Id | None = None,
        around: Id | None = None,
        kinds: Sequence[EpisodeKind] | None = None,
        session: Name | None = None,
    ) -> list[RememberedEpisode]:
        """Return *limit* episodes of a conversation, in order: the first, or the neighbours of a given episode.

        To continue, pass the id or key of the last episode as *after*, or of the first as *before* to go backwards.
        *around* returns an episode and its neighbours on both sides, *limit* in total. Includes archived conversations.
        Raises `NotFound` for a conversation that is unknown or entirely expired.
        """

    async def conversations(
        self,
        limit: Limit = 100,
        *,
        archived: bool | None = None,
        after: OneConversation | Name | None = None,
        session: Name | None = None,
    ) -> list[RetentionConversation]:
        """Return the conversations in `reach`, most recently active first: start, end and number of episodes.

        *archived* selects archived conversations, or with False the others. To continue, pass the last conversation or
        its session as *after*. Raises `NotFound` for an unknown session, and `Incorrect` for a session of several
        agents or channels.
        """

    async def correct(
        self,
        fact: Id,
        object: Name | None = None,
        *,
        by: Name | None = None,
        reason: Note = "",
        preview: bool = False,
        timeout: Timeout = 60.0,
    ) -> Undone:
        """Undo a wrong fact and everything derived from it; add a fact with the right *object*, if given.

        *fact* is an id or a unique prefix of one. This undoes the claims that made and confirmed the fact; facts that
        they replaced are believed again. It also withdraws the fact's promotions, summaries and relations. For a
        statement, *object* is the whole right sentence. The right fact cites the same words; its id is the result's
        `corrected`. `why` shows *by* and *reason*. A *preview* writes nothing. Raises `NotFound`, `Incorrect` if the
        fact is undone already, and `Unavailable` after *timeout* seconds if a worker holds the scope.
        """

    @property
    def counted(self) -> bool: ...
    async def decide(
        self,
        number: Number,
        verdict: DeadLetterVerdict,
        *,
        by: Name,
        object: Name | None = None,
        replaces: Id | None = None,
    ) -> uuid.UUID:
        """Decide a review: `accept` its claim, `reject` it, or `edit` its *object*; return the delta's id.

        The delta records *by* whom it was decided. If the claim could replace several facts, *replaces* selects one.
        Raises `NotFound` for a review that is not open here, `Incorrect`, `FactConflictError` if the fact to replace is
        no longer believed, and `Conflict` while a worker holds the scope.
        """

    async def deltas(
        self,
        *,
        run: Number | None = None,
        since: Instant | None = None,
        kind: Kind | None = None,
        after: Id | None = None,
        limit: Limit = 100,
    ) -> list[AppliedDelta]:
        """Return the deltas that changed the beliefs here, in the order they were applied; see `Memory.deltas`."""

    async def digest(self) -> str:
        """Return a hash over everything believed here."""

    async def end_session(self, session: Name) -> list[Due]:
        """End a session: fire the schedules of packs that wait for its end, once; return the work that is now due.

        A pack waits for the end of sessions if its cadence has `session_end: true`. An episode of kind `outcome` with
        the metadata `{"session_end": true}` has the same effect as this method. Raises `Unavailable` when Postgres is
        down.
        """

    async def entries(self, ids: Ids, *, session: Name | None = None) -> list[NamedMemories]:
        """Return the episodes and facts with these *ids*, in that order, each in full.

        An id may be shortened to a unique prefix; an episode may also be named by its key. Facts are returned as
        currently believed. Raises `NotFound` with the ids that match no memory.
        """

    async def episode(self, episode: Id, *, session: Name | None = None) -> RememberedEpisode:
        """Return one episode word for word, by its id, a unique prefix of it, or its key.

        Raises `NotFound`, also for expired episodes.
        """

    async def facts(
        self,
        *,
        as_of: Instant | None = None,
        known_at: Instant | None = None,
        form: Form | None = None,
        limit: Limit | None = None,
        after: Id | None = None,
        session: Name | None = None,
    ) -> Sequence[Fact]:
        """Return the facts believed in `reach`, for any time in the world and as known at any time.

        Sorted by subject, predicate and object; a fact believed by several agents or channels appears once for each.
        *form* selects `typed` facts or statements. Returns at most *limit*; to continue, pass the id of the last fact
        as *after*. *session* is the caller's session, for the audit log. Raises `NotFound` if *after* is not among the
        facts.
        """

    async def feedback(self, recollection: Recalled, useful: Share | bool = 0.5) -> Standing:
        """Report how useful a recollection was, from 0 to 1 or as a boolean; return its new standing.

        Usefulness above the recollection's score counts as a surprise, and usefulness above 0 as a success; both may
        raise its tier. Raises `Incorrect` for a number outside 0 to 1.
        """

    def follow(
        self, *, after: Id | None = None, since: Instant | None = None, kind: Kind | None = None
    ) -> AsyncDeltaIterator:
        """Return an iterator that yields each delta of this scope once, as it is applied; see `Memory.follow`."""

    async def forget(
        self,
        *,
        session: Name | None = None,
        fact: Id | None = None,
        matching: Words | None = None,
        preview: bool = False,
        confirm: Token | None = None,
        learn_again: bool = False,
        rewrite: bool = True,
        timeout: Timeout = 60.0,
    ) -> Erasure:
        """Erase a *session*, a *fact*, all that contains the words *matching*, or this scope; see `Memory.forget`.

        This also deletes what was promoted from here to `_global`.
        """

    @property
    def goals(self) -> AsyncGoals:
        """The agent's goals here."""

    @property
    def graph(self) -> AsyncGraph:
        """The knowledge graph here: entities and their relations."""

    async def history(
        self,
        *,
        known_at: Instant | None = None,
        limit: Limit = 100,
        after: Id | None = None,
        session: Name | None = None,
    ) -> list[Fact]:
        """Return the facts believed in `reach`, both those that are true now and those that were true in the past.

        Sorted by subject, predicate, object and time; as known now, or at *known_at*. To continue, pass the id of the
        last fact as *after*. *session* is the caller's session, for the audit log. Raises `NotFound` if *after* is not
        among the facts.
        """

    async def hold(self, reason: Reason) -> int:
        """Place a legal hold on all memories here; return its number. See `Memory.hold`."""

    def in_channel(self, channel: Name) -> AsyncMemoryScope:
        """Return the memory of the same user in another channel, by the same agent, or by all if none was named."""

    def on_delta(
        self, hear: DeltaCallback, *, after: Id | None = None, since: Instant | None = None, kind: Kind | None = None
    ) -> AsyncSubscription:
        """Call *hear* with each delta of this scope, in the background; see `Memory.on_delta`."""

    async def outlook(self, facts: Facts, days: Ahead = (0,)) -> Mapping[uuid.UUID, Sequence[Standing]]:
        """Return, by fact id, the standing of each fact after each number of *days* without new episodes or recalls.

        Zero days means now. Leaves out facts without a standing. Counts recent recalls first.
        """

    async def pin(self, recollection: Recalled) -> None:
        """Pin a memory: until it is unpinned, it does not fade, move to another tier, or get evicted."""

    async def profile(self, *, limit: Limit = 20, session: Name | None = None) -> Profile:
        """Return the user's profile: preferences, expertise areas, communication style, and more.

        It consists of the typed facts now believed about the user in `reach`: of the 1 000 latest, at most *limit* in
        each part, strongest first, then newest first. Each entry has its fact and its reasons; `policies/profile.yaml`
        assigns facts to parts. *session* is the caller's session, for the audit log.
        """

    async def promote(self, fact: Id, *, reason: Reason) -> uuid.UUID:
        """Promote a fact of this project channel to `_global`; return the id of the fact there.

        Ignores the thresholds of automatic promotion, and stores the *reason*. A repeat changes nothing. Slowwave
        revokes the promotion when the fact is no longer believed here. Raises `NotFound`, `Incorrect` for a fact of
        `_global`, `FactConflictError` for a fact that is not believed and true now, or is older than what `_global`
        has, and `Conflict` while a worker holds `_global`.
        """

    async def push(self, item: Annotated[Item, SkipValidation], **fields: Unpack[EpisodeFields]) -> Receipt:
        """Store one episode durably, then notify a worker; return its receipt.

        *item* is an `Episode`, a mapping with its fields, or its content, with other *fields* as arguments:

            scope.push("I moved to Oslo last week", role="user", session="s1")

        The receipt says `stored` once the episode is committed in Postgres, even if the broker is down. A second push
        with the same key stores nothing. Raises `Incorrect` with every problem of the episode, `Conflict` if the key
        already has other content, and `Unavailable` when Postgres is down: push again with the same key.

        With SLOWWAVE_OUTBOX set, the receipt says `spooled` while Postgres is down: the episode is on this host's disk,
        and is stored under the same key once Postgres is back. The default of `occurred_at` is the time of storage.
        """

    async def push_many(self, items: Annotated[Iterable[Item], SkipValidation]) -> list[Receipt]:
        """Store many episodes in order; return one receipt each, `refused` with its error for an invalid one."""

    async def quietly(self) -> Self:
        """Return the same memory for monitoring: its reads do not count as access."""

    async def reach(self) -> list[Scope]:
        """The scopes that reads search; the scope for writes comes first."""

    @property
    def reads(self) -> Reads: ...
    async def recall(
        self,
        question: Question,
        *,
        limit: Limit = 10,
        as_of: Instant | None = None,
        archived: bool = False,
        kinds: Sequence[Remembered] | None = None,
        roles: Sequence[Role] | None = None,
        sessions: Names | None = None,
        exclude_sessions: Names | None = None,
        since: Instant | None = None,
        until: Instant | None = None,
        channels: Names | None = None,
        agents: Names | None = None,
        session: Name | None = None,
        min_score: Share = 0.0,
        explain: bool = False,
    ) -> Recollections:
        """Return the facts and episodes that answer *question* best, with reasons and sources, best first.

        Searches `reach`: this channel and `_global`, or more if no agent was named. *channels* and *agents* replace the
        channels and agents of `reach`. *as_of* asks about another time; relative dates like "yesterday" in the question
        count from then, in the time zone of *as_of*.

        The other filters apply before the best are chosen. *kinds* selects typed facts, statements or episodes. *roles*
        selects the speakers of episodes, and of the source episodes of facts. *sessions* selects the sessions of
        episodes, and of the source episodes of facts; *exclude_sessions* leaves out sessions, such as the running one,
        whose turns are already in the prompt. *since* and *until* select episodes that happened, and facts that became
        true, from *since* on and before *until*. Archived conversations answer only with *archived*; facts learned from
        them always answer.

        Of the episodes that no worker has processed yet, this call embeds the newest 100; it finds the others only by
        their words, and the answer's `.by_words_alone` counts them. *session* is the caller's session, for the audit
        log. *min_score* leaves out memories with a lower score. Scores are comparable between questions: of the
        memories that score 0.4, two in five answer their question; of those that score 0.1, one in eight. In dialogue,
        a *min_score* of 0.02 keeps five in six memories that answer and a quarter of the others; 0.1 keeps more than
        half of those that answer and one in fourteen of the others. For topics that were never mentioned, one score in
        a thousand reaches 0.1.

        *explain* fills the answer's `.explained`: the time of each stage and the memories left after the stage; and for
        each recollection, the value and weight of each measure and what it contributes to `match`.

        For a question without a topic ("What did we discuss last time?"), the answer is the latest episodes of sessions
        other than the caller's; their reason is `sequential`.
        """

    async def recent(
        self,
        limit: Limit = 20,
        *,
        before: Id | None = None,
        after: Id | None = None,
        kinds: Sequence[EpisodeKind] | None = None,
        roles: Sequence[Role] | None = None,
        sessions: Names | None = None,
        since: Instant | None = None,
        until: Instant | None = None,
        archived: bool = False,
        session: Name | None = None,
    ) -> list[RememberedEpisode]:
        """Return the *limit* latest episodes, newest first, from all of `reach`.

        To continue, pass the id or key of the last episode as *before*. With *after*, returns the episodes right after
        the named one, also newest first. *since* and *until* select episodes that happened from *since* on and before
        *until*. Leaves out archived conversations unless *archived*. Raises `NotFound` if the episode in *before* or
        *after* does not exist.
        """

    async def remember(
        self,
        question: Question,
        *,
        top_k: Limit = 10,
        include_episodic: bool = True,
        include_semantic: bool = True,
        include_procedural: bool = True,
        time_window_hours: ArgumentsHours | None = None,
        channels: Names | None = None,
        session: Name | None = None,
    ) -> MemoryBundle:
        """Return everything relevant to *question*, grouped by kind, at most *top_k* of each, best first.

        Turns are episodic; facts, entities, goals and the profile semantic; strategies procedural. Excluded kinds are
        not searched. *time_window_hours* leaves out older turns and facts; *channels* limits the search for turns,
        facts and strategies. *session* is the caller's session, for the audit log.
        """

    async def replay(
        self, pack: Name, *, by: Name | None = None, reason: Note = "", preview: bool = False, timeout: Timeout = 60.0
    ) -> Undone:
        """Read all episodes here again with an installed *pack*, and replace its earlier claims; return what changed.

        *pack* is a name; with NAME@VERSION, another installed version is an error. One transaction undoes the claims
        that the pack no longer makes, and decides its new claims at the times of their episodes; no stored delta
        changes. Claims that it still makes stay. Corrections, undone decisions, decided reviews, erasures and beliefs
        from dropped episodes also stay. To revert the replay, pass the `id` of the result to `undo`. A pack with a
        model uses only stored replies.

        A *preview* writes nothing. Repeating a replay changes nothing. Raises `Incorrect` if that version is
        not installed, if the pack has read nothing here or replies are missing, and `Unavailable` after *timeout*
        seconds if a worker holds the scope.
        """

    async def restore(self, session: Name) -> bool:
        """Restore a conversation from the archive; return False if it was not archived.

        The retention period starts again, as if a message had arrived now. Raises `NotFound` for an unknown session,
        and for one that has expired.
        """

    async def retrieve(
        self,
        question: Question,
        *,
        session: Name | None = None,
        max_tokens: ContextTokens = 4000,
        count: ContextCount | None = None,
        limit: Limit = 20,
        include_summary: bool = True,
        stop_at_overflow: bool = False,
    ) -> list[Part]:
        """Return the memories that answer *question*, as in `context`, without working memory.

        The summary of the *session* comes first, counted against *max_tokens*, then facts and episodes, best first.
        """

    async def review(self, *, limit: Limit | None = None, after: Number | None = None) -> list[Review]:
        """Return the reviews here: claims that need a person's decision, oldest first; see `Memory.review`."""

    @property
    def scope(self) -> OneScope: ...
    async def search_index(
        self,
        question: Question,
        *,
        limit: Limit = 20,
        archived: bool = False,
        kinds: Sequence[Remembered] | None = None,
        exclude_sessions: Names | None = None,
        since: Instant | None = None,
        until: Instant | None = None,
        include_external: bool = False,
        session: Name | None = None,
        explain: bool = False,
    ) -> Index:
        """Return an index of what `recall` finds, best first: the id, first 80 characters, tokens and tier of each.

        Read the surroundings of an entry with `timeline`, and chosen memories with `entries`. Entries of the index do
        not count as accessed. *include_external* also searches the external memories of the setting `sources`
        concurrently, for at most `source_seconds`. Their entries follow Slowwave's, each with its `source`; `.failed`
        names the external memories that did not answer. *explain* fills `.explained` as in `recall`, without external
        entries.
        """

    async def standing(self, memory: Recalled | uuid.UUID) -> Standing:
        """Return the standing of a memory: tier, accesses, surprise. Raises `NotFound` if it has none.

        *memory* is a recollection, or the id of a memory of this scope. Recent recalls are counted first.
        """

    async def store_turn(self, item: Annotated[Item, SkipValidation], **fields: Unpack[EpisodeFields]) -> Receipt:
        """Store one message as `push` does, then add it to the session's working memory; return its receipt.

        `scope.working("s1")` then has the turn, if there is a cache; without a reachable cache the message is still
        stored. Raises what `push` raises, and `Incorrect` for an episode of a kind other than `message`.
        """

    @property
    def strategies(self) -> AsyncStrategies:
        """The agent's strategies here, and statistics of its tools."""

    @property
    def stream(self) -> AsyncMemoryStream:
        """The agent's episodes here, in order of time."""

    async def summary(
        self, conversation: Name, *, max_tokens: MostTokens = 400, session: Name | None = None
    ) -> Summary:
        """Return the summary of a conversation: its most informative sentences, dated, in the speakers' own words.

        The sentences are in order, with at most *max_tokens* by the estimate of `Summary.tokens`; leaves out a sentence
        that does not fit. The summary combines the stored summary with later sentences; with a summarizer that
        rephrases, it is only the stored summary. Each line names its source episode. Includes archived conversations,
        but not expired ones. Empty if there were only tool calls. *session* is the caller's session, for the audit log.
        Raises `NotFound` for an unknown conversation.
        """

    async def sweep(self) -> dict[str, int]:
        """Move memories that are due to another tier now; return how many were checked and how many moved.

        A sweep covers this scope and other scopes in the same sixteenth of the tenant. Workers sweep every hour, and at
        the start of a session. Writes this process's counts first.
        """

    async def timeline(
        self, anchor: Id, *, before: Around = 5, after: Around = 5, session: Name | None = None
    ) -> list[IndexEntry]:
        """Return an index of an episode between the *before* and *after* neighbouring episodes, in the order stored.

        *anchor* is the id of an episode, a prefix of it, or its key; a fact's id means its latest source episode.
        Raises `NotFound`.
        """

    @property
    def tools(self) -> AsyncTools:
        """The agent's tool calls here."""

    @property
    def tree(self) -> AsyncTree:
        """The tree of summaries here: the root covers all sessions, its nodes similar ones, its leaves one each."""

    async def undo(
        self,
        what: What | None = None,
        *,
        since: Instant | None = None,
        by: Name | None = None,
        reason: Note = "",
        preview: bool = False,
        timeout: Timeout = 60.0,
    ) -> Undone:
        """Undo a run, a delta, a pack's version or everything *since* a time, in this scope; see `Memory.undo`."""

    async def undos(self, limit: Limit = 20) -> list[Undone]:
        """Return the latest undos here, newest first, each with what it changed."""

    async def unpin(self, recollection: Recalled) -> None:
        """Unpin a memory: from now on, it fades and moves again."""

    async def unread(self, limit: Limit = 20, *, before: Id | None = None, session: Name | None = None) -> UnreadTurns:
        """Return the user turns in `reach` in languages that no pack or model read on arrival, newest first.

        Slowwave learns no facts from these turns, but `recall` finds them. The answer's `.languages` has the number of
        all unread turns by language, `.sentence` the same in words, and `.remedy` the setting to change. Languages are
        detected from whole sentences, if the extra `languages` is installed. To continue, pass the id or key of the
        last turn as *before*. Raises `NotFound` if that episode does not exist.
        """

    async def versions(self, fact: Id, *, limit: Limit = 200, session: Name | None = None) -> list[Fact]:
        """Return every version of the belief behind *fact*, on both time axes, in the order of recording.

        For a single-valued predicate, these are its successive values. Returns at most *limit*. *session* is the
        caller's session, for the audit log. Raises `NotFound`.
        """

    async def why(self, fact: Id, *, session: Name | None = None) -> Explanation:
        """Return why a fact is or was believed, with the original words; *fact* is an id or a unique prefix of one.

        *session* is the caller's session, for the audit log. Raises `NotFound`.
        """

    async def working(self, conversation: Name) -> AsyncWorkingMemory:
        """Return the working memory of one conversation. Raises `Unavailable` if no cache is configured."""

class AsyncMemory(AsyncFace):
    """The memories of an installation, for async callers; has every verb of `Memory`.

    Its verbs never block an event loop, and any number of loops and tasks can share one memory. `push`, `recall`,
    `context`, `facts` and other verbs that only read wait for Postgres on connections of the async driver; the others
    use a limited number of threads. Make one per process and `close` it; a forked process makes its own.
    """

    async def archive_preview(self, days: Days = 30, *, tenant: Name | None = None) -> Preview:
        """Return what the jobs would archive, withdraw, drop or tombstone within *days*; writes nothing.

        The preview assumes that nothing is said, recalled or placed under a legal hold until then. Raises `Incorrect`
        for negative days or more than a century.
        """

    async def archived(
        self, scope: AsyncMemoryScope | None = None, *, tenant: Name | None = None
    ) -> list[RetentionConversation]:
        """Return the archived conversations of one scope or of a tenant, last archived first."""

    async def decide(
        self,
        number: Number,
        verdict: DeadLetterVerdict,
        *,
        by: Name,
        object: Name | None = None,
        replaces: Id | None = None,
        tenant: Name | None = None,
    ) -> uuid.UUID:
        """Decide a review: `accept` its claim, `reject` it, or `edit` its *object*; return the delta's id.

        The delta records *by* whom it was decided. If the claim could replace several facts, *replaces* selects one.
        Raises `NotFound` for a review that is not open, `Incorrect`, `FactConflictError` if the fact to replace is no
        longer believed, and `Conflict` while a worker holds the scope.
        """

    async def deltas(
        self,
        *,
        run: Number | None = None,
        since: Instant | None = None,
        kind: Kind | None = None,
        after: Id | None = None,
        limit: Limit = 100,
        tenant: Name | None = None,
    ) -> list[AppliedDelta]:
        """Return up to *limit* deltas, the changes of belief, in the order of application.

        Filters select one *run*, one *kind*, and deltas applied at *since* or later. To continue, pass the last delta's
        id as *after*: within one scope, this misses no delta. Across scopes, a run that ends late may add deltas before
        those already returned; `follow` waits for such runs. Raises `NotFound` for an *after* that is not a delta.
        """

    async def digest(self, *, tenant: Name | None = None) -> str:
        """Return a hash over all present and past beliefs of the tenant, without ids, counters and recording times."""

    async def drain(self, timeout: Timeout = 60.0) -> list[Report]:
        """Run all due work in this process until none is left; return how each run ended.

        Stores the outbox first, and waits for work that other workers hold. Raises `Unavailable` after *timeout*
        seconds.
        """

    async def embedding_spaces(self, *, tenant: Name | None = None) -> list[EmbeddingSpace]:
        """Return the embedding spaces that scopes of a tenant use, and those they are moving to."""

    async def erasures(self, limit: Limit = 20, *, tenant: Name | None = None) -> list[Erasure]:
        """Return the receipts of a tenant's latest erasures, newest first."""

    async def export(
        self,
        file: Path,
        *,
        user: Name | None = None,
        agent: Name | None = None,
        channel: Name | None = None,
        tenant: Name | None = None,
    ) -> MovedCounts:
        """Write all memories of a tenant, or of one user, agent or channel, to *file*; return their counts.

        The file holds JSON Lines, a snapshot of one instant. It appears when it is complete, readable only by its
        owner. Raises `Unavailable` when Postgres is down.
        """

    def follow(
        self,
        *,
        after: Id | None = None,
        since: Instant | None = None,
        kind: Kind | None = None,
        tenant: Name | None = None,
    ) -> AsyncDeltaIterator:
        """Return an iterator over the deltas of a tenant as they are applied, each once, from now on or a given point.

        To continue, pass the id of the last delta received as *after*; or start with the deltas applied from *since*
        on. The iterator misses no delta of any scope: it waits for a run that has applied a delta but not committed it
        before it yields later deltas. It survives outages of Postgres; close it when done. Raises `NotFound` for an
        *after* that is not a delta, and `Unavailable` if Postgres is down at the start.
        """

    async def forget(
        self,
        *,
        user: Name | None = None,
        session: Name | None = None,
        fact: Id | None = None,
        matching: Words | None = None,
        preview: bool = False,
        confirm: Token | None = None,
        learn_again: bool = False,
        rewrite: bool = True,
        timeout: Timeout = 60.0,
        tenant: Name | None = None,
    ) -> Erasure:
        """Erase a *user*, a *session*, a *fact* or all that contains the words *matching*, and return the receipt.

        This deletes episodes and everything made from them: facts, vectors, summaries, graph, patterns, model requests,
        dead letters, audit texts, working memory, waiting messages. With a *fact*, it deletes the whole episodes that
        support the fact. *user* may limit *session* and *matching*. The ledger keeps the ids and times of its deltas,
        so facts can still be rebuilt from it. Slowwave does not learn erased facts again, unless *learn_again* is set.

        A *preview* deletes nothing and returns what would be deleted, with a token. A second call with the token as
        *confirm* deletes exactly that. With *rewrite*, the call also locks and rewrites tables, statistics and log;
        otherwise call `rewrite_erased` later. To finish an interrupted erasure, repeat the call. Raises `Incorrect`
        with every problem, `NotFound`, `Conflict` under a legal hold, and `Unavailable` after *timeout* seconds if a
        worker holds a scope.
        """

    async def hold(self, scope: AsyncMemoryScope | None, reason: Reason, *, tenant: Name | None = None) -> int:
        """Place a legal hold on *scope*, or with None on the whole tenant; return its number.

        While the hold is in force, no job archives, expires, drops, tombstones or forgets anything there. Raises
        `Incorrect` without a *reason*, and `NotFound` for a scope without memories.
        """

    async def holds(self, *, tenant: Name | None = None) -> list[Hold]:
        """Return every present and past legal hold, those in force first."""

    async def import_file(self, file: Path, *, tenant: Name | None = None, dry_run: bool = False) -> MovedCounts:
        """Import everything that `export` wrote to *file*; return the counts, also of scopes imported before.

        Ids and beliefs stay the same; another *tenant* gets new ids. Each scope is imported completely or not at all,
        and only once, even if the import is repeated. A *dry_run* writes nothing. Raises `Incorrect` with every problem
        of the file, and `Conflict` for a scope that already has other memories in this database.
        """

    async def keep_embedding(self, scope: AsyncMemoryScope | None = None, *, tenant: Name | None = None) -> int:
        """Cancel the moves of *scope*, or of a whole tenant, to another embedding space; return how many there were.

        The scopes stay in their current space. The next move deletes the new vectors made so far.
        """

    def on_delta(
        self,
        hear: DeltaCallback,
        *,
        after: Id | None = None,
        since: Instant | None = None,
        kind: Kind | None = None,
        tenant: Name | None = None,
    ) -> AsyncSubscription:
        """Call *hear* with each delta of a tenant, in the background; return the subscription.

        Close the subscription or the memory to end the calls. A separate thread calls *hear*. An `AsyncMemory` calls it
        in a task, and *hear* may be a coroutine function. Order and start are those of `follow`. If *hear* raises, it
        gets the same delta again after a pause.
        """

    async def operator(self, *, tenant: Name | None = None) -> Operator:
        """Return the operator's view of the tenant's installation: people, runs, pending work and dead letters."""

    @property
    def outbox(self) -> Outbox | None:
        """The outbox, if there is one: it stores episodes on this host while Postgres is down, and refused ones."""

    async def promote_to_global(self, fact: Id, reason: Reason, *, tenant: Name | None = None) -> uuid.UUID:
        """Promote a fact of any project channel to `_global`; see `MemoryScope.promote`."""

    async def reembed(self, scope: AsyncMemoryScope | None = None, *, tenant: Name | None = None) -> int:
        """Start moving *scope*, or a whole tenant, to the space of this memory's embedder; return the scopes' count.

        Workers do the move. Recall searches a scope in its old space until the move is complete; then workers delete
        the old vectors. Beliefs do not change. A repeated call is safe, and adds missing vectors; `keep_embedding`
        cancels the move.
        """

    async def release(self, hold: Number, *, tenant: Name | None = None) -> bool:
        """Release a legal hold; return whether it was in force. The jobs of the next night remove what is due."""

    async def review(
        self, *, limit: Limit | None = None, after: Number | None = None, tenant: Name | None = None
    ) -> list[Review]:
        """Return the reviews of a tenant: claims that need a person's decision, oldest first.

        Returns at most *limit*. To continue, pass the number of the last review as *after*.
        """

    async def rewrite_erased(self, *, tenant: Name | None = None) -> int:
        """Rewrite tables, indexes, statistics and log without erased content; return how many erasures it finished.

        This needs the embedded server or SLOWWAVE_OWNER_URL; without either, the method returns 0. Raises `Conflict`
        while a table is in use.
        """

    def scope(
        self, user: Name, *, agent: Name | None = None, channel: Name | None = None, tenant: Name | None = None
    ) -> AsyncMemoryScope:
        """Return the memory that *agent* has of *user* in *channel*.

        Without an agent, `recall`, `facts` and `strategies` read the memories of all the user's agents, in every
        channel, or in *channel* and `_global`; all other verbs, and all writes, use the agent `default`. Without a
        channel, writes go to `_global`.
        """

    async def stats(self, *, tenant: Name | None = None, hours: ArgumentsHours = 24) -> Stats:
        """Return the statistics: sizes, latency and hits of recall, the lag of pending work, and the tiers.

        Covers the events of all processes in the last *hours*. Writes this process's own counts first.
        """

    async def undo(
        self,
        what: What | None = None,
        *,
        since: Instant | None = None,
        by: Name | None = None,
        reason: Note = "",
        preview: bool = False,
        timeout: Timeout = 60.0,
        tenant: Name | None = None,
    ) -> Undone:
        """Undo *what*: beliefs become what they would be without those decisions; return the changes.

        *what* is the number of a run, the id of a delta, PACK@VERSION for all runs of that version, or an earlier undo
        by its id or run. *since* undoes what all runs, or the runs of a pack, decided since then. New deltas end the
        facts that *what* made, and restore the facts that *what* replaced or ended; no stored delta changes. Slowwave
        decides later claims again, and the result names the runs that built on *what*. It reads no episode again. `why`
        shows *by* and *reason*.

        A *preview* writes nothing. To finish an interrupted undo, repeat the call; to repeat a finished undo does
        nothing. Raises `NotFound`, `Incorrect` with every problem or if there is nothing to undo, and `Unavailable`
        after *timeout* seconds if a worker holds a scope.
        """

    async def undos(self, limit: Limit = 20, *, tenant: Name | None = None) -> list[Undone]:
        """Return the latest undos of a tenant, newest first, each with what it changed."""

    async def verify_erasure(
        self, receipt: Annotated[Erasure | dict[str, Any], SkipValidation], *, tenant: Name | None = None
    ) -> bool:
        """Return whether a *receipt*, or its JSON object, was signed with the tenant's key and is unchanged."""

    async def why(self, fact: Id, *, tenant: Name | None = None, session: Name | None = None) -> Explanation:
        """Return why a fact is or was believed, with the original words; *fact* is an id or a unique prefix of one.

        *session* is the caller's session, for the audit log. Raises `NotFound`, and `Incorrect` for an ambiguous
        prefix, with the facts that match it.
        """

    @classmethod
    def connect(
        cls, url: str | None = None, *, key: str | None = None, **settings: Unpack[Options]
    ) -> PendingConnection[Self]:
        """Return a memory that connects like `Memory.connect`: use `await`, or `async with`, which closes it.

        Raises what `Memory.connect` raises, and `Incorrect` if the extra `async` is not installed.
        """

    async def close(self) -> None:
        """Close everything: refuse waiting calls, roll back open transactions, and send outstanding notifications.

        Also stop embedded services that this process started.
        """

    async def __aenter__(self) -> Self: ...
    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
