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
from slowwave.domain.context import Part, PromptContext
from slowwave.domain.context.answer import SourcedAnswer
from slowwave.domain.continuum import MemoryEntry
from slowwave.domain.dead_letter import Review
from slowwave.domain.dead_letter import Verdict as DeadLetterVerdict
from slowwave.domain.delta import AppliedDelta, Kind, MemoryDelta
from slowwave.domain.episode import EpisodeFields, EpisodeKind, Item, Role
from slowwave.domain.explanation import Explanation
from slowwave.domain.fact import Fact
from slowwave.domain.goal import Goal, GoalStatus
from slowwave.domain.graph import ConceptNode, Described, GraphPath, GraphVersion, MemoryGraph, RelationshipEdge
from slowwave.domain.metrics.overview import Due
from slowwave.domain.metrics.stats import Stats
from slowwave.domain.pattern import Strategy, ToolStats
from slowwave.domain.reading.bundle import MemoryBundle
from slowwave.domain.reading.episode import RememberedEpisode
from slowwave.domain.reading.index import Index, IndexEntry
from slowwave.domain.reading.invocation import ToolInvocation
from slowwave.domain.reading.mention import Mention
from slowwave.domain.reading.profile import Profile
from slowwave.domain.reading.summary import Summary
from slowwave.domain.reading.tree import TreeNode
from slowwave.domain.reading.unread import UnreadTurns
from slowwave.domain.receipt import Receipt
from slowwave.domain.recollection import Recollection, Recollections, Remembered
from slowwave.domain.retention import Conversation as RetentionConversation
from slowwave.domain.retention import Hold, Preview
from slowwave.domain.run import Report
from slowwave.domain.scope import Scope
from slowwave.domain.spaces import EmbeddingSpace
from slowwave.domain.standing import Standing
from slowwave.domain.working import ActiveGoal, Context, Conversation, Limits, Turn
from slowwave.hearing import Hear
from slowwave.hearing.awaited import AsyncFollowing, AsyncListening
from slowwave.memory.asynchronous.connecting import Opening
from slowwave.memory.asynchronous.twin import AsyncFace
from slowwave.memory.context import Count as ContextCount
from slowwave.memory.context import Deadline
from slowwave.memory.context import Tokens as ContextTokens
from slowwave.memory.continuum import OneEntry
from slowwave.memory.face import OneScope
from slowwave.memory.graph.asking import Count, Depth, OneGraph, Vector
from slowwave.memory.graph.speaking import Hours
from slowwave.memory.holdings.lives import Ahead, Facts
from slowwave.memory.installation import Days
from slowwave.memory.moving.moved import Moved
from slowwave.memory.operating import Operator
from slowwave.memory.reach import Reads
from slowwave.memory.reading import Around, Ids, OneConversation
from slowwave.memory.reading.naming import Named
from slowwave.memory.scope import Recalled
from slowwave.memory.summaries.arguments import MostTokens
from slowwave.memory.working import Tokens
from slowwave.outbox import Outbox
from slowwave.wiring import Options

class AsyncConsensus(AsyncFace):
    """The consensus and dissent of one scope. Reading spans all agents of the user, here and in the global channel."""

    async def find_similar(
        self, topic: Description, limit: Limit = 5, *, session: Name | None = None
    ) -> list[Position]:
        """Return what was agreed on about topics like *topic*, the most alike first, then the latest.

        *session* is the one in which you ask: it stands in the audit.
        """

    async def get_dissent_for_topic(self, topic_hash: Name, *, session: Name | None = None) -> list[Position]:
        """Return who did not agree about the topic with this hash, the latest first."""

    @property
    def scope(self) -> OneScope: ...
    async def store_consensus(self, record: Annotated[Verdict | Mapping[str, Any], SkipValidation]) -> Position:
        """Store what agents agreed on; return it as it is held. Raises `Incorrect` with every problem."""

    async def store_dissent(self, record: Annotated[Verdict | Mapping[str, Any], SkipValidation]) -> Position:
        """Store who did not agree, and what they say instead. Raises `Incorrect` with every problem."""

    @staticmethod
    def topic_hash(topic: Description) -> str:
        """Return the hash of a topic: the same for topics that differ in case and white space alone."""

class AsyncContinuumMemory(AsyncFace):
    """The entries of one agent with one user in one channel, on the tiers of the ladder in force.

    An entry is an episode: nothing of it is lost when it falls.
    """

    async def context(self, limit: Limit = 20, tiers: Names | None = None) -> list[MemoryEntry]:
        """Return the entries an agent begins with, the most important first.

        That is what stands where memories begin and one tier above, unless *tiers* are named.
        """

    async def outcome(
        self, content: Question, *, success: bool, references: Sequence[OneEntry | uuid.UUID] = (), topic: Note = ""
    ) -> MemoryEntry:
        """Store how something ended, credit the entries it referred to, and ask for consolidation.

        What was retrieved was expected to be as useful as it is alike; more is a surprise.
        """

    async def retrieve(
        self, query: Question, tiers: Names | None = None, limit: Limit = 5, min_similarity: Cosine = 0.3
    ) -> list[MemoryEntry]:
        """Return the *limit* entries most like *query*, of all tiers or some, none below *min_similarity* (a cosine).

        Each counts as accessed. Who then tells how it ended (`outcome`), naming what was retrieved, updates its
        surprise: how much more useful it was than alike.
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
        """Store *content* on *tier*; it rises and falls from there. With a *key*, a repeat changes nothing.

        Where no tier is named, *importance* decides: the more important, the hotter. Where neither is, it is taken for
        0.5 and the entry begins where the ladder does. Raises `Incorrect` for a tier that is none and an importance
        outside 0 to 1, and `Unavailable` while Postgres is away: an entry is never left to the outbox.
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
        """Store a goal; return it. With a *key*, adding it again changes nothing.

        Raises `Incorrect` with every problem, and `NotFound` for a *parent* that is no goal here.
        """

    async def block(self, goal_id: Id, reason: Reason, *, by: Id | None = None) -> Goal:
        """Mark a goal as blocked for now, with the reason and, where that is one, the goal it is blocked *by*.

        Raises `NotFound`, and `Conflict` once it has ended.
        """

    async def complete(self, goal_id: Id, status: GoalStatus = "completed", result: Result | None = None) -> Goal:
        """End a goal, as `completed` or `abandoned`, with its outcome. Ending it so again changes nothing.

        Raises `NotFound`, and `Conflict` when it ended in another way.
        """

    async def get(self, goal_id: Id, *, session: Name | None = None) -> Goal:
        """Return one goal, with its parent. *session* is where you ask, for the audit. Raises `NotFound`."""

    async def list(
        self, status: GoalStatus | None = "active", *, limit: Limit = 100, session: Name | None = None
    ) -> builtins.list[Goal]:
        """Return the goals of a *status*, or all: those of the highest priority first, then the oldest.

        *session* is the one in which you ask: it stands in the audit.
        """

    async def resume(self, goal_id: Id) -> Goal:
        """Mark a blocked goal as active again. Raises `NotFound`, and `Conflict` once it has ended."""

    @property
    def scope(self) -> OneScope: ...

class AsyncGraph(AsyncFace):
    """The graph of the entities around a user, as one agent knows them.

    A projection of the facts, kept by the runs that make them: an edge is a fact whose object is an entity, and ends
    when the fact does. `load` and `versions` are of this agent and channel; `query` and `find` look where recall does,
    and each node has the `scope` it is of.
    """

    async def compare(self, before: Count, after: Count) -> tuple[list[RelationshipEdge], list[RelationshipEdge]]:
        """Return the edges that version *after* has and *before* has not, and the reverse. Raises `NotFound`."""

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
        """Tell that *source* has a relationship to *target*, both by name or id; return it.

        It becomes a fact, with the type as predicate (`WORKS_FOR` is `works_for`), by the rules of any: told again its
        edge gains weight, and where the predicate holds one value it replaces the other. Raises `Incorrect` for a type
        that is no predicate, `NotFound` for an id nobody knows, `FactConflictError` where a person has to decide, and
        what `upsert_entity` does.
        """

    async def describe(self, entity: Id, *, session: Name | None = None) -> Described:
        """Return a sentence or two about an entity, by its id or any of its names, and the facts that they are.

        Each is a fact that is believed and so now, told as it is, the weightiest first; of one that was described by
        hand, that description. The facts count as accessed, and are audited with the *session*. Raises `NotFound`.
        """

    async def find(self, words: Question, limit: Limit = 5) -> list[ConceptNode]:
        """Return the entities that *words* name, the longest name first, then those that they mean most nearly."""

    async def format_as_context(self, graph: OneGraph) -> str:
        """Return *graph* as lines for a prompt, core concepts marked as such; nothing where it is empty."""

    async def get_entity_graph(
        self,
        entity_ids: Sequence[Id],
        depth: Depth = 2,
        *,
        limit: Limit = 200,
        at: Instant | None = None,
        session: Name | None = None,
    ) -> MemoryGraph:
        """Return the at most *limit* entities within *depth* hops of others, by their ids, and what joins them.

        The facts it returns count as accessed, and are audited with the *session*.
        """

    async def load(self, limit: Count = 20000) -> MemoryGraph:
        """Return the graph of this agent and channel: at most *limit* entities, the most frequent first."""

    async def mentioned_in(self, episode: Id) -> list[ConceptNode]:
        """Return the entities that a turn names, by its id, the beginning of it, or its key; the longest name first.

        The speaker is among them where they say "I" or "my". Raises `NotFound`.
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
        """Return the *limit* turns that spoke of an entity last, the newest first, from all of `reach`.

        *entity* is its id or any of its names. A turn speaks of it where it names it, from the moment it is stored, and
        where what is believed of it rests on the turn: of the user that alone counts, and their own name. Go on with
        *before*, the id or key of the last turn. Conversations that are put away are left out unless *archived*. The
        turns count as accessed, and are audited with the *session*. Raises `NotFound` for an entity that nobody knows,
        and for a turn to go on from that is not there.
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
        """Return the *top_k* most important entities around what *question* names, or means, and what joins them.

        Walks breadth first at most *depth* hops, along the weightiest edges: schematic entities come first, then those
        on a path between two that are named, then the nearest. *at* asks about another time in the world. Empty where
        nothing is named or meant. The facts it returns count as accessed, and are audited with the *session*.
        """

    @property
    def reads(self) -> Reads: ...
    async def rebuild(self) -> int:
        """Make the graph anew from the facts, as the predicates are registered now; return the count of its edges.

        Names that have no vector of this embedder get one. Raises `Conflict` while a worker holds the scope.
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
        """Tell that *subject* has *object* as its *predicate*, by the rules of any; return the fact that is held of it.

        Where another fact stays believed in its place, `why` of the returned id says so. With a *key*, a repeat changes
        nothing. Raises what `create_relationship` does.
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
        """Tell of an entity, in this channel or another: its type, other names, description, properties; return it.

        Each becomes a fact that rests on an episode of what was told: it can be asked why, and undone. What is left out
        stays as it is. With a *key*, a repeat changes nothing. Raises `Incorrect` for an entity of which nothing is
        told, `Conflict` while a worker holds the scope, and `Unavailable` while Postgres is away.
        """

    async def vector_search_entities(
        self, query_embedding: Vector, top_k: Limit = 10, channels: Names | None = None
    ) -> list[ConceptNode]:
        """Return the *top_k* entities nearest to a vector of this embedder, best first; here, or in *channels*.

        Raises `Incorrect` for a vector of another number of dimensions than the embedder has.
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
        """Return the *top_k* facts nearest to a vector of this embedder, best first; here, or in *channels*.

        Those that are believed and so now, and at least as sure as *min_confidence*. They count as accessed, and are
        audited with the *session*. Raises `Incorrect` for a vector of another number of dimensions than the embedder
        has.
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
        """Return the *top_k* turns nearest to a vector of this embedder, best first; here, or in *channels*.

        Those that happened in the last *time_window_hours*, and that a worker has prepared. They count as accessed, and
        are audited with the *session*. Raises `Incorrect` for a vector of another number of dimensions than the
        embedder has.
        """

    async def versions(self, limit: Limit = 20) -> list[GraphVersion]:
        """Return the versions of this graph, the newest first: one a run that decided anything here."""

    async def walk(
        self, question: Question, limit: Limit = 5, *, at: Instant | None = None, session: Name | None = None
    ) -> list[GraphPath]:
        """Return at most *limit* ways from what *question* names, along the relations that its words name, best first.

        The last fact of each answers. Relations go by the names, aliases and sentences of the predicates; at most five
        facts one after the other, one of which may go unnamed. *at* asks about another time in the world. Empty where
        nothing is named, or no relation. The facts count as accessed, and are audited with the *session*.
        """

class AsyncMemoryStream(AsyncFace):
    """The episodes of one agent with one user in one channel."""

    async def recall(self, query: Question, limit: Limit = 10, *, session: Name | None = None) -> list[Recollection]:
        """Return the *limit* episodes that answer *query* best, in the order they happened.

        *session* is the one in which you ask: it stands in the audit.
        """

    async def record(self, event: Annotated[Item, SkipValidation], **fields: Unpack[EpisodeFields]) -> Receipt:
        """Store what happened; see `MemoryScope.push`."""

    @property
    def scope(self) -> OneScope: ...
    async def summarize(self, time_range: Annotated[Sequence[Instant], Field(min_length=2, max_length=2)]) -> str:
        """Return the sentences that say most of what was said from one time up to another, a line each.

        It is empty when nobody said anything. Raises `Incorrect` for what is no pair of times with a zone, the earlier
        first.
        """

class AsyncStrategies(AsyncFace):
    """The strategies of one agent with one user, and the record of its tools.

    Strategies are learned from episodes of kind `tool_call` and `outcome`. What is told here by hand becomes such an
    episode too: it is as durable as any, counted once, and cited by what is believed because of it.

    `find_strategies`, `all` and `get` look where recall does; each strategy has the `scope` it is of. What is told, and
    what is counted over many (`paths`, `get_tool_stats`), is of this agent and channel.
    """

    async def all(self, *, session: Name | None = None) -> list[Strategy]:
        """Return every strategy, by agent, channel, task and tools, whatever is thought of it."""

    async def find_strategies(
        self,
        task_description: Description,
        channels: Names | None = None,
        top_k: Limit = 5,
        *,
        session: Name | None = None,
    ) -> list[Strategy]:
        """Return the *top_k* strategies for a task, best first: by likeness to it times how surely they work.

        Looks where recall does, or in *channels*, of every agent where none was named. What is known to fail or was
        forgotten is left out; what has not been tried often enough to be believed says so by its `standing`. *session*
        is the one in which you ask: it stands in the audit.
        """

    async def get(self, strategy_id: Id, *, session: Name | None = None) -> Strategy:
        """Return one strategy. Raises `NotFound`."""

    async def get_tool_stats(self, task_type: Note | None = None, channel: Name | None = None) -> list[ToolStats]:
        """Return the record of the tools here, or in *channel*, in one kind of task or in all, the most used first."""

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
        """Store in your own words that *tool_sequence* worked or not in a conversation; return the strategy's id.

        It counts as one attempt at *task*, by default the *context_pattern*, and ends what the conversation was trying.
        Telling it again under the same *key* changes nothing. Raises `Incorrect` for a sequence without tools.
        """

    async def paths(self, task: Note | None = None) -> list[tuple[tuple[str, ...], int]]:
        """Return the parts of sequences that several successes shared, with how many did, the most first."""

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
        """Store that a strategy of this agent and channel did or did not work once more. Raises `NotFound`.

        Telling it again under the same *key* changes nothing.
        """

    @property
    def scope(self) -> OneScope: ...

class AsyncTools(AsyncFace):
    """The calls of tools in one scope; `calls` reads them back from where recall looks."""

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
        """Return the *limit* calls that were told last, the newest first: input, output, how it went, how long it took.

        Of *tools* with these names, in *sessions*, those that were a *success* or with False those that were not; they
        happened from *since* up to *until*, itself left out. Go on with *before*, the id of the last one. *session* is
        the one in which you ask: it stands in the audit.
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
        """Store a call as it happens, on the hottest rung, if calls of this tool are captured; else return None.

        It is placed in the transaction that stores it, be it later, out of an outbox.
        `passed_over` counts the calls that were not, by reason.
        """

    async def outcome(
        self, session: Name, success: bool, *, task: Note = "", note: Note = "", key: Name | None = None
    ) -> Receipt:
        """Store how a session's task ended: with it end the calls that led there, and the goal that was the *task*.

        The goal, and those open that serve it, are `completed` or `abandoned` once a worker has seen it; its result is
        the *note*.
        """

    @property
    def passed_over(self) -> Mapping[Passed, int]:
        """The number of calls this process did not capture, by reason."""

    async def plan(
        self, session: Name, task: Description, steps: Sequence[Note] = (), *, note: Note = "", key: Name | None = None
    ) -> Receipt:
        """Store a plan: a worker makes a goal of the *task*, and of each step one that serves it.

        `outcome`, told of the same task, ends the goals. Any episode whose metadata have `task` and a list `plan` is a
        plan, too.
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
        """Store one call of a tool, in this channel or another; return its receipt.

        *task* says for what kind of task it was called. Input and output may be anything; of what is long the
        beginning is kept. With a *key*, telling of the same call again changes nothing.
        """

    @property
    def scope(self) -> OneScope: ...

class AsyncTree(AsyncFace):
    """The tree over the summaries of a scope's sessions: near ones lie together under a node, up to one root.

    Workers grow it when summaries change. Each node is what says most of all that lies under it, in the speakers' own
    words. `search` and `nodes` look where `recall` does.
    """

    async def grow(self) -> int:
        """Grow the tree of this scope anew from its summaries, now; return how many nodes it has.

        Raises `Conflict` while a worker holds the scope, and `NotFound` where nothing is remembered.
        """

    async def nodes(
        self, limit: Limit = 100, *, under: Id | None = None, max_tokens: MostTokens = 400, session: Name | None = None
    ) -> list[TreeNode]:
        """Return the first *limit* nodes, the root first; or those right *under* one, by its id or its beginning.

        There are none before a worker has summed anything up, and no root while a summary was just taken out of it.
        """

    @property
    def reads(self) -> Reads: ...
    @property
    def scope(self) -> OneScope: ...
    async def search(
        self, question: Question, limit: Limit = 5, *, max_tokens: MostTokens = 400, session: Name | None = None
    ) -> list[TreeNode]:
        """Return the *limit* nodes of any level that mean what is asked, nearest first, each within *max_tokens*.

        A question about one matter finds the session in which it came up, a broad one the nodes above. *session* is
        the one in which you ask: it stands in the audit.
        """

class AsyncWorkingMemory(AsyncFace):
    """The working memory of one conversation; after an hour (SLOWWAVE_WORKING_SECONDS) of silence it is empty.

    Turns are episodes before they are in mind, and come back to it from there. Thoughts, values and the goal are in
    the cache alone: they end with it, and their methods raise `Unavailable` while it is away.
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
        """Store what was said as an episode, then keep it in mind; return the turn.

        Where it gets too much in mind the oldest turns leave it, and a summary is asked for. With a *key*, saying the
        same again changes nothing, as with `MemoryScope.push`. Without *occurred_at* it happened when it was stored.
        Raises `Incorrect` for what could never be an episode, `Conflict` for a key that is taken, and `Unavailable`
        when Postgres is away and there is no outbox; a cache that is away is logged, and costs nothing that was said.
        """

    async def clear_session(self) -> int:
        """Forget everything in mind; return how many turns that were. What was said stays said: they are episodes.

        Raises `Unavailable`, and forgets nothing, while the cache is away or turns wait in an outbox.
        """

    async def delete(self, key: Name) -> bool:
        """Forget the value kept by *key*; return whether there was one."""

    async def evict_oldest(self, count: Limit = 1) -> list[Turn]:
        """Let the oldest *count* turns leave what is in mind; return them, oldest first.

        A summary of them is asked for, and they stay episodes, found as before. Raises `Unavailable`, and evicts none,
        while the cache is away or one of them waits in an outbox.
        """

    async def get(self, key: Name, default: Any = None) -> Any:
        """Return the value kept by *key*, or *default*."""

    async def get_active_goal(self) -> ActiveGoal | None:
        """Return the goal that the conversation pursues, or None."""

    async def get_context(self) -> Context:
        """Return everything in working memory."""

    async def get_recent_turns(self, limit: Limit | None = None) -> list[Turn]:
        """Return the newest *limit* turns in mind, or all, oldest first.

        What the cache has forgotten is read from the episodes: the last messages of the conversation, as many as stay
        in mind. Raises `Unavailable` when neither the cache has any nor Postgres answers.
        """

    async def get_thoughts(self, limit: Limit = 50) -> list[str]:
        """Return the newest *limit* thoughts in mind, oldest first."""

    @property
    def limits(self) -> Limits:
        """The most that stays in mind, and for how long."""

    async def needs_pruning(self, max_tokens: Tokens | None = None) -> bool:
        """Return whether more is in mind than its limits allow, or than *max_tokens*."""

    @property
    def of(self) -> Conversation:
        """The conversation."""

    async def prune(self, max_tokens: Tokens | None = None) -> list[Turn]:
        """Evict the oldest quarter of the turns, rounded up, where it `needs_pruning`; return what is in mind then.

        Once a call, as an agent does before it writes a prompt; `add_turn` prunes to the limits by itself.
        """

    async def push_thought(self, thought: Question) -> None:
        """Keep a thought in mind. Of more than fifty the oldest go, for good."""

    async def set(self, key: Name, value: Json, *, ttl_seconds: Seconds | None = None) -> None:
        """Keep a JSON *value* by *key* for *ttl_seconds*, an hour if nothing is said. Raises `Incorrect`."""

    async def set_active_goal(self, goal_id: Id, description: Description) -> None:
        """Set the goal that the conversation pursues, in place of the one before."""

class AsyncMemoryScope(AsyncFace):
    """The memory that one agent has of one user in one channel, or that all agents have.

    What is written, and whatever counts or lists, is of *scope*. `recall`, `facts` and `strategies` look in `reach`,
    which *reads* decides; each answer has the `scope` it is of, and those of different agents are not merged.
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
        """Return an answer in sentences, each with the memories that carry it; `.known` is False where none does.

        A model answers from the `context` of the question and cites it; what it cites is checked, and a sentence is
        left out unless a memory shares its words and every name and number in it stands there or in the question. The
        model is the one that packs read with, asked once, within *deadline_seconds*, on the terms of the desk: its
        slots, its breaker, the tenant's budget of the day. No transaction is open meanwhile. What is cited counts as
        accessed. Raises `Incorrect` where
        no model is set, and `Unavailable` where it has no time, no budget, or says nothing readable.
        """

    async def apply(self, delta: Annotated[MemoryDelta | dict[str, Any], SkipValidation]) -> uuid.UUID:
        """Apply a typed delta by hand; return its id, which is also the id of the fact an add or update makes.

        Applying the same delta again changes nothing. Raises `Incorrect` with every problem of the delta,
        `FactConflictError` when what it replaces cannot be told for certain, `NotFound` for a source that is not
        there, and `Conflict` while a worker holds the scope.
        """

    async def archive(self, session: Name) -> bool:
        """Archive a conversation: out of recall, unless asked for, while what was learned from it stays believed.

        Returns False when it was archived already. Whatever is said there later brings it back. Raises `NotFound` for a
        session nothing was said in, and `Conflict` while a legal hold covers it.
        """

    async def archived(self) -> list[RetentionConversation]:
        """Return the archived conversations here, those archived last first."""

    @property
    def consensus(self) -> AsyncConsensus:
        """The consensus of the user's agents, and the dissent."""

    async def consolidate(self, timeout: Timeout = 60.0) -> list[Report]:
        """Turn everything pending here into facts now, in this process; return how each run ended."""

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
        """Return what a prompt needs to know before *question*, each part with its sources; never over *max_tokens*.

        Of the *session*, if you name the one you ask in: its `system_prompt` and `tools` in working memory, always; its
        summary; its newest turns, at first up to half of the room. Then the graph around what is named, and the at most
        *limit* best recollections, of which one that is too long is skipped and the next one tried; with
        *stop_at_overflow* the first that is too long ends them. What is left goes to older turns. `.as_messages()` and
        `.as_text()` are what a prompt says of it. What it tells counts as accessed, and nothing else.

        With a session it also *anticipates*: once it has answered, it looks up on a thread of its own what the newest
        turns and the active goal bring to mind. Of that the next context tells up to ten memories, after its own and
        marked `anticipated` in their reasons, where there is room; `.reused` says how much was at hand before.

        *count* says how many tokens a text takes, as the model's own tokenizer does; each message takes four more.
        Without it they are estimated on the high side. *include_graph* is where the extra `graph` is installed, if you
        do not say. Raises `Incorrect` where prompt and tools alone take more than *max_tokens*.
        """

    @property
    def continuum(self) -> AsyncContinuumMemory:
        """Entries by timescale and importance, which rise and fall by themselves."""

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
        """Return what was said in a conversation, in order: its first *limit* episodes, or those next to one.

        Go on with *after*, the id or key of the last one, or back with *before*, that of the first. *around* gives the
        episode and what was said on both sides of it; widen it with a higher *limit*. What is put away is told as
        well. Raises `NotFound` for a conversation in which nothing was said, or of which all has expired.
        """

    async def conversations(
        self,
        limit: Limit = 100,
        *,
        archived: bool | None = None,
        after: OneConversation | Name | None = None,
        session: Name | None = None,
    ) -> list[RetentionConversation]:
        """Return the conversations in `reach`, those spoken in last first: since when, until when, how many episodes.

        *archived* asks for those that are put away, or with False for those that are not. Go on with *after*, the last
        one or its session. Raises `NotFound` for a session nothing was said in, and `Incorrect` for one of several
        agents or channels.
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
        """Decide a review: `accept` what it claims, `reject` it, or `edit` its *object*; return the delta's id.

        The delta names the person *by* whom it was decided. Where several beliefs could be meant, *replaces* says which
        gives way. Raises `NotFound` for a review that does not wait here, `Incorrect`, `FactConflictError` when what it
        would replace is believed no longer, and `Conflict` while a worker holds the scope.
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
        """Say that a session is over, and return the work that is due because of it; once for what is stored now.

        What waits for sessions to end is named by cadences (`session_end: true`). An episode of kind `outcome` with
        the metadata `{"session_end": true}` says the same. Raises `Unavailable` when Postgres is away.
        """

    async def entries(self, ids: Ids, *, session: Name | None = None) -> list[Named]:
        """Return the episodes and facts with these *ids*, in that order, each in full.

        An id may be cut to a beginning that is no other's; an episode may be named by its key. Of a fact you get what
        is believed of it now. Raises `NotFound` naming those under which nothing is remembered.
        """

    async def episode(self, episode: Id, *, session: Name | None = None) -> RememberedEpisode:
        """Return one episode word for word, by its id, a beginning of it that is no other's, or its key.

        Raises `NotFound`, also for what has expired.
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
        """Return the facts believed in `reach`, as of any time in the world and as known at any time.

        By subject, predicate and object; what several agents or channels believe is told once for each. *form* asks
        for `typed` facts or for statements alone. Of many take *limit* at once, and go on with *after*, the id of the
        last one. *session* is the one in which you ask: it stands in the audit. Raises `NotFound` for an
        *after* that is not among them.
        """

    async def feedback(self, recollection: Recalled, useful: Share | bool = 0.5) -> Standing:
        """Tell how useful a recollection was, from 0 to 1, or whether it was; return its standing then.

        More useful than its score had promised is a surprise, and useful at all a success: both may lift it. Raises
        `Incorrect` for another number.
        """

    def follow(
        self, *, after: Id | None = None, since: Instant | None = None, kind: Kind | None = None
    ) -> AsyncFollowing:
        """Return the deltas of this scope as they come, each once, to iterate over; see `Memory.follow`."""

    @property
    def goals(self) -> AsyncGoals:
        """The goals the agent has here."""

    @property
    def graph(self) -> AsyncGraph:
        """The graph of what is known here: entities, and what holds between them."""

    async def history(
        self,
        *,
        known_at: Instant | None = None,
        limit: Limit = 100,
        after: Id | None = None,
        session: Name | None = None,
    ) -> list[Fact]:
        """Return the facts believed in `reach` of any time in the world, what was so before beside what is so now.

        By subject, predicate, object and time; as known now, or *known_at* another time. Go on with *after*, the id of
        the last one. *session* is the one in which you ask, for the audit. Raises `NotFound` for an *after* that is not
        among them.
        """

    async def hold(self, reason: Reason) -> int:
        """Place a legal hold on all that is remembered here; return its number. See `Memory.hold`."""

    def in_channel(self, channel: Name) -> AsyncMemoryScope:
        """Return the same agent's memory of the same user in another channel, or all agents' where none was named."""

    def on_delta(
        self, hear: Hear, *, after: Id | None = None, since: Instant | None = None, kind: Kind | None = None
    ) -> AsyncListening:
        """Have *hear* called with each delta of this scope as it comes; see `Memory.on_delta`."""

    async def outlook(self, facts: Facts, days: Ahead = (0,)) -> Mapping[uuid.UUID, Sequence[Standing]]:
        """Return by the ids of *facts* how each stands so many *days* from now, if nobody asks or tells till then.

        0 is now. What has no standing is left out. What was just recalled is counted first.
        """

    async def pin(self, recollection: Recalled) -> None:
        """Keep a memory from fading, moving and being evicted, until it is unpinned."""

    async def profile(self, *, limit: Limit = 20, session: Name | None = None) -> Profile:
        """Return the user's profile: preferences, expertise areas, communication style, and what else is known.

        It is made of the typed facts that are believed of the user in `reach` now, at most 1 000 of them, those told
        last, and at most *limit* in each part: by strength, the newest first. Each entry has its fact and its reasons;
        `policies/profile.yaml` says which facts stand where. *session* is the one in which you ask, for the audit.
        """

    async def promote(self, fact: Id, *, reason: Reason) -> uuid.UUID:
        """Promote a fact of this project channel to `_global`; return the fact that it is there.

        What the thresholds ask for is waived; the *reason* is kept. Promoting what is promoted changes nothing. It is
        taken back when the fact is believed here no longer. Raises `NotFound`, `Incorrect` for a fact of `_global`,
        `FactConflictError` for one that is not believed and so now, or about which something newer is known
        everywhere, and `Conflict` while a worker holds `_global`.
        """

    async def push(self, item: Annotated[Item, SkipValidation], **fields: Unpack[EpisodeFields]) -> Receipt:
        """Store one episode durably, then ring a worker; return its receipt.

        *item* is an `Episode`, a mapping with its fields, or its content with the other *fields* beside it:

            scope.push("I moved to Oslo last week", role="user", session="s1")

        The receipt says `stored` once it is committed in Postgres, whatever state the broker is in. Pushing the same
        key again is a repeat. Raises `Incorrect` with every problem of the episode, `Conflict` when the key is taken
        by another content, and `Unavailable` when Postgres is away: push again, by the same key.

        With SLOWWAVE_OUTBOX set, the receipt says `spooled` while Postgres is away: the episode is safe on this host,
        and is stored by the same key once Postgres is back. Say `occurred_at` if it matters when it happened: without
        one it counts as having happened when it was stored.
        """

    async def push_many(self, items: Annotated[Iterable[Item], SkipValidation]) -> list[Receipt]:
        """Store many episodes in their order; return one receipt each, `refused` with its error for a bad one."""

    async def quietly(self) -> Self:
        """Return the same memory for who only looks: what `recall` and what is read here tell counts as no access."""

    async def reach(self) -> list[Scope]:
        """The scopes in which it is looked, first the one that is written to."""

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

        Looks in `reach`: in this channel and in `_global`, or further where no agent was named; or in exactly these
        *channels*, or of these *agents*, as far as anything is remembered there. *as_of* asks about another time; the
        question's "yesterday" is told from its day, too, by its own clock.

        The other filters leave out what is not asked for before the best are chosen: *kinds* of memories (facts of one
        form or of both, or episodes), *roles* of who spoke (of a fact, in an episode behind it), *sessions* in which
        it was said or learned. *exclude_sessions* leaves sessions out, as the running one whose turns are in the prompt
        anyhow. From *since* up to *until*, itself left out, it happened or began to be so. Conversations that are put
        away answer only if *archived* is set; what was learned from them answers anyhow.

        What was just said is found by meaning before a worker has seen it: the newest 100 such episodes are embedded
        here, and `.by_words_alone` of the answer counts the others. *session* is the one in which you ask: it stands in
        the audit. Nothing whose score lies below *min_score*
        answers. A score means the same for every question: at 0.4 two of five memories answer, at 0.1 one of eight. In
        dialogue 0.02 keeps five of six memories that answer and a quarter of the rest, 0.1 more than half and one in
        fourteen; of what was never told nothing comes to 0.1 but once in a thousand.

        *explain* has `.explained` of the answer say how it came to them: what each stage took, how many memories there
        were after it, and what each measure, by value and weight, adds to each answer's `match`.

        A question that names nothing ("What did we discuss last time?") is answered with what was told last, of other
        sessions than the one you ask in; its reason is `sequential`.
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
        """Return the *limit* episodes that were told last, the newest first, from all of `reach`.

        Go on with *before*, the id or key of the last one; *after* gives those told next after one, the newest of them
        first as well. From *since* up to *until*, itself left out, they happened. Conversations that are put away are
        left out unless *archived*. Raises `NotFound` for an episode to go on from that is not there.
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
        """Return everything that bears on *question*, kind by kind, at most *top_k* of each, best first.

        Turns are episodic; facts, entities, goals and the profile semantic; strategies procedural: what is not to be
        included is not looked for. *time_window_hours* leaves out turns and facts of before; *channels* names where
        turns, facts and strategies are looked for. *session* is the one in which you ask, for the audit.
        """

    async def restore(self, session: Name) -> bool:
        """Take a conversation out of the archive; return False when it was not there.

        It is archived again no sooner than if somebody had spoken there now. Raises `NotFound` for a session nothing
        was said in, and for one that expired because its retention has passed.
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
        """Return what is remembered that answers *question*, as `context` tells it, without what is in mind.

        The summary of the *session* first, counted against *max_tokens*, then facts and episodes, best first.
        """

    async def review(self, *, limit: Limit | None = None, after: Number | None = None) -> list[Review]:
        """Return the reviews here: claims that nobody could decide for certain, oldest first; see `Memory.review`."""

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
        """Return what `recall` would, best first, as an index: an id, the first 80 characters, tokens and tier of each.

        Read what surrounds an entry with `timeline`, and what you choose with `entries`. What is only shown here does
        not count as accessed. *include_external* asks the other memories of the setting `sources`, too, all at once and
        for `source_seconds` at most: theirs stand behind ours, each with its `source`; `.failed` of the answer names
        those that did not answer. *explain* has `.explained` say how a question came to ours, as that of `recall`.
        """

    async def standing(self, memory: Recalled | uuid.UUID) -> Standing:
        """Return the standing of a memory: tier, accesses, surprise. Raises `NotFound` if that is not known.

        *memory* is what recall returned, or the id of a memory of this scope. What was just recalled is counted first.
        """

    async def store_turn(self, item: Annotated[Item, SkipValidation], **fields: Unpack[EpisodeFields]) -> Receipt:
        """Store one message as `push` does, then keep it in mind of its session; return its receipt.

        It is in mind in `scope.working("s1")` then, where there is a cache; one that is away costs the copy alone.
        Raises what `push` raises, and `Incorrect` for an episode of another kind than `message`.
        """

    @property
    def strategies(self) -> AsyncStrategies:
        """The strategies for getting things done here, and how the tools have done."""

    @property
    def stream(self) -> AsyncMemoryStream:
        """The episodes of the agent here, in the order of time."""

    async def summary(
        self, conversation: Name, *, max_tokens: MostTokens = 400, session: Name | None = None
    ) -> Summary:
        """Return the summary of a conversation: the sentences that say most, dated, in the speakers' own words.

        In the order they were said, at most *max_tokens* by the estimate of `Summary.tokens`: what does not fit is
        left out whole. It is what runs have kept, and what was said since; where a summariser that rephrases is set,
        what runs have kept alone. Each line names the words of the episode it rests on. What is put away is summed up
        as well, what has expired is not. Empty where only tools were called. *session* is the one in which you ask: it
        stands in the audit. Raises `NotFound` for a conversation in which nothing was said.
        """

    async def sweep(self) -> dict[str, int]:
        """Move the memories that are due on their ladder now; return how many were looked at, and went which way.

        Those of this scope, and of others that lie in the same sixteenth of the tenant. Workers do so every hour, and
        where a session begins. What this process has counted is written first.
        """

    async def timeline(
        self, anchor: Id, *, before: Around = 5, after: Around = 5, session: Name | None = None
    ) -> list[IndexEntry]:
        """Return what was told *before* and *after* an episode, with it in between, as an index in the order told.

        *anchor* is the id of an episode, the beginning of it, or its key; that of a fact means the episode it was last
        drawn from. Raises `NotFound`.
        """

    @property
    def tools(self) -> AsyncTools:
        """The calls of the agent's tools here."""

    @property
    def tree(self) -> AsyncTree:
        """The tree over the summaries here: what says most of all, of what is alike, and of each session."""

    async def unpin(self, recollection: Recalled) -> None:
        """End the pin of a memory: it fades and moves again."""

    async def unread(self, limit: Limit = 20, *, before: Id | None = None, session: Name | None = None) -> UnreadTurns:
        """Return the turns of users in `reach` in languages that nothing read when they came, the newest first.

        No fact comes from them, and `recall` finds them. `.languages` of the answer counts all of them by language,
        `.sentence` says so in words, and `.remedy` says what to set. What a model has read is not among them. Languages
        are told apart where the extra `languages` is installed, of whole sentences. Go on with *before*, the id or key
        of the last one. Raises `NotFound` for an episode to go on from that is not there.
        """

    async def versions(self, fact: Id, *, limit: Limit = 200, session: Name | None = None) -> list[Fact]:
        """Return every version of the belief that *fact* is of, on both axes of time, in the order they were recorded.

        Of a predicate that holds one value that is whatever was believed of it in turn. At most *limit*. *session* is
        the one in which you ask, for the audit. Raises `NotFound`.
        """

    async def why(self, fact: Id, *, session: Name | None = None) -> Explanation:
        """Return why a fact is or was believed, by its id or the beginning of it; asked in *session*, for the audit.

        Raises `NotFound`.
        """

    async def working(self, conversation: Name) -> AsyncWorkingMemory:
        """Return the working memory of one conversation. Raises `Unavailable` where there is no cache."""

class AsyncMemory(AsyncFace):
    """The memories of an installation, for who awaits; see `Memory`, of which it has every verb.

    Its verbs let no loop wait: any number of loops and tasks share one. `push`, `recall`, `context`, `facts` and what
    else only reads wait for Postgres on connections of the async driver; the others have a bounded number of threads.
    Make one a process and `close` it; a process that was forked makes its own.
    """

    async def archive_preview(self, days: Days = 30, *, tenant: Name | None = None) -> Preview:
        """Return what would be archived, fade, be dropped or tombstoned within *days*; nothing is written.

        It is decided as the jobs do, as if nobody said, asked or held anything meanwhile. Raises `Incorrect` for days
        before today or beyond a century.
        """

    async def archived(
        self, scope: AsyncMemoryScope | None = None, *, tenant: Name | None = None
    ) -> list[RetentionConversation]:
        """Return the archived conversations of one scope or of a tenant, those archived last first."""

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
        """Decide a review: `accept` what it claims, `reject` it, or `edit` its *object*; return the delta's id.

        The delta names the person *by* whom it was decided. Where several beliefs could be meant, *replaces* says which
        gives way. Raises `NotFound` for a review that does not wait, `Incorrect`, `FactConflictError` when what it
        would replace is believed no longer, and `Conflict` while a worker holds the scope.
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
        """Return at most *limit* deltas, everything that changed what is believed, in the order they were applied.

        Those of one *run*, of one *kind*, applied at *since* or later. Go on behind the last one by handing its id back
        as *after*: within a scope that misses none. Over several scopes a run that ends late may appear before what
        was seen already: `follow` waits for it. Raises `NotFound` for an *after* that is no delta.
        """

    async def digest(self, *, tenant: Name | None = None) -> str:
        """Return a hash over everything the tenant believes or believed, free of ids, counters and recorded times."""

    async def drain(self, timeout: Timeout = 60.0) -> list[Report]:
        """Run everything that is due in this process until nothing is; return how each run ended.

        What waits in the outbox is stored first, and what other workers hold is waited for. Raises `Unavailable` after
        *timeout* seconds.
        """

    async def embedding_spaces(self, *, tenant: Name | None = None) -> list[EmbeddingSpace]:
        """Return the embedding spaces in which scopes of a tenant answer, and those that scopes are on the way to."""

    async def export(
        self,
        file: Path,
        *,
        user: Name | None = None,
        agent: Name | None = None,
        channel: Name | None = None,
        tenant: Name | None = None,
    ) -> Moved:
        """Write everything that is remembered of a tenant, or of one user, agent or channel, to *file*; count it.

        JSON Lines of one instant, whatever happens meanwhile. The file appears when it is whole, readable by its owner
        alone. Raises `Unavailable` when Postgres is away.
        """

    def follow(
        self,
        *,
        after: Id | None = None,
        since: Instant | None = None,
        kind: Kind | None = None,
        tenant: Name | None = None,
    ) -> AsyncFollowing:
        """Return the deltas of a tenant as they come, each once, to iterate over; from now on, or from where you say.

        Go on behind the last one you were handed by its id as *after*, or begin with what was applied at *since*. Over
        several scopes, too, none is missed: one that a run applied and has not committed holds back what others applied
        after it. The iteration survives that Postgres is away; close it when you have heard enough. Raises `NotFound`
        for an *after* that is no delta, and `Unavailable` when Postgres is away as you begin.
        """

    async def hold(self, scope: AsyncMemoryScope | None, reason: Reason, *, tenant: Name | None = None) -> int:
        """Place a legal hold on *scope*, or on all of a tenant where it is None; return its number.

        While it is in force nothing there is archived, expired, dropped, tombstoned or forgotten by any job. Raises
        `Incorrect` without a *reason*, and `NotFound` for a scope in which nothing is remembered.
        """

    async def holds(self, *, tenant: Name | None = None) -> list[Hold]:
        """Return every legal hold there is or was, those in force first."""

    async def import_file(self, file: Path, *, tenant: Name | None = None, dry_run: bool = False) -> Moved:
        """Bring in everything that `export` wrote to *file*; return what arrived, and which scopes had before.

        Ids and beliefs are the same as there; in another *tenant* ids are derived anew. A scope arrives whole or not
        at all, and once, however often the file is read. With *dry_run* nothing is written. Raises `Incorrect` with all
        that is wrong with the file, and `Conflict` for a scope that has other memories here.
        """

    async def keep_embedding(self, scope: AsyncMemoryScope | None = None, *, tenant: Name | None = None) -> int:
        """Call off the moves of *scope*, or of all of a tenant, to another space; return how many there were.

        They go on answering in the space they are in. What was made of the other goes when they are moved next.
        """

    def on_delta(
        self,
        hear: Hear,
        *,
        after: Id | None = None,
        since: Instant | None = None,
        kind: Kind | None = None,
        tenant: Name | None = None,
    ) -> AsyncListening:
        """Have *hear* called with each delta of a tenant as it comes, beside the caller; return what ends it.

        On a thread of its own; of an `AsyncMemory` in a task, and *hear* may be a coroutine function. Once each, in the
        order of `follow`, which says where it begins; one that *hear* raises at is told again after a pause. It ends
        with `close` of what is returned, or of the memory.
        """

    async def operator(self, *, tenant: Name | None = None) -> Operator:
        """Return the tenant's installation as its operator sees it: people, runs, what waits, what was not used."""

    @property
    def outbox(self) -> Outbox | None:
        """The outbox, which keeps episodes on this host while Postgres is away, and those that were refused."""

    async def promote_to_global(self, fact: Id, reason: Reason, *, tenant: Name | None = None) -> uuid.UUID:
        """Promote a fact of any project channel to `_global`; see `MemoryScope.promote`."""

    async def reembed(self, scope: AsyncMemoryScope | None = None, *, tenant: Name | None = None) -> int:
        """Begin to move *scope*, or all of a tenant, to the space of this memory's embedder; return how many scopes.

        Workers do it. A scope answers in the space it is in until all of it is in the other; then it answers in that
        one, and the vectors nobody asks any more go. What is believed does not change. Repeating it is safe, and makes
        whole what is not; `keep_embedding` calls it off.
        """

    async def release(self, hold: Number, *, tenant: Name | None = None) -> bool:
        """Release a legal hold; return whether it was in force. What is due by then goes with the next night."""

    async def review(
        self, *, limit: Limit | None = None, after: Number | None = None, tenant: Name | None = None
    ) -> list[Review]:
        """Return the reviews of a tenant: claims that nobody could decide for certain, oldest first.

        Of many take *limit* at once, and go on with *after*, the number of the last one.
        """

    def scope(
        self, user: Name, *, agent: Name | None = None, channel: Name | None = None, tenant: Name | None = None
    ) -> AsyncMemoryScope:
        """Return the memory that *agent* has of *user* in *channel*.

        Where no agent is named, `recall`, `facts` and `strategies` read what all agents know of the user, in every
        channel, or in *channel* and `_global`; whatever is written, and all else, is of the agent `default`. Where no
        channel is named, that is in `_global`.
        """

    async def stats(self, *, tenant: Name | None = None, hours: ArgumentsHours = 24) -> Stats:
        """Return the statistics: sizes, latency of recalls and hits, the lag of the work, and the tiers.

        What happens is counted by the hour, of all processes; *hours* says how far back. This process's own counts are
        written down first.
        """

    async def why(self, fact: Id, *, tenant: Name | None = None, session: Name | None = None) -> Explanation:
        """Return why a fact is or was believed, down to the words, by its id or a beginning that is no other's.

        *session* is the one in which you ask: it stands in the audit. Raises `NotFound`, and `Incorrect` naming the
        facts that a beginning could mean.
        """

    @classmethod
    def connect(cls, url: str | None = None, *, key: str | None = None, **settings: Unpack[Options]) -> Opening[Self]:
        """Return a memory being connected as `Memory.connect` does: `await` it, or `async with` it, which closes it.

        Raises what that raises, and `Incorrect` where the extra `async` is not installed.
        """

    async def close(self) -> None:
        """End everything: what waits is refused, what is open is rolled back, what is to be rung is rung.

        Embedded services that this process started end, too.
        """

    async def __aenter__(self) -> Self: ...
    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
