"""Made by ops/async_faces.py of the faces themselves: edit those."""

import builtins
import uuid
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Annotated, Any, Self, Unpack

from pydantic import Field, SkipValidation

from slowwave.core.capture import Passed
from slowwave.domain.access import Quota
from slowwave.domain.arguments import (
    Cosine,
    Description,
    Id,
    Instant,
    Json,
    Latency,
    Limit,
    Metadata,
    Most,
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
from slowwave.domain.canary import CanaryStatus, DecidedCanary, StoredCanary
from slowwave.domain.claim import Form
from slowwave.domain.consensus import Position, Verdict
from slowwave.domain.context import Part, PromptContext, SourcedAnswer
from slowwave.domain.continuum import MemoryEntry
from slowwave.domain.dead_letter import DeadLetter, Review
from slowwave.domain.dead_letter import Verdict as DeadLetterVerdict
from slowwave.domain.delta import AppliedDelta, Kind, MemoryDelta
from slowwave.domain.embedding_spaces import EmbeddingSpace
from slowwave.domain.encryption import DataKey, Reencrypted, StaleRows
from slowwave.domain.episode import EpisodeFields, EpisodeKind, Item, Role
from slowwave.domain.erasure import Erasure, Token, Words
from slowwave.domain.explanation import Explanation
from slowwave.domain.fact import Fact
from slowwave.domain.finding import Finding
from slowwave.domain.goal import Goal, GoalStatus
from slowwave.domain.graph import ConceptNode, Described, GraphPath, GraphVersion, MemoryGraph, RelationshipEdge
from slowwave.domain.night_report import NightReport
from slowwave.domain.overview import Due, ModelCallsOverview, Moves, Overview, PastRun, Person, Waiting
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
from slowwave.memory.graph.mentions import Hours
from slowwave.memory.graph.queries import Count, Depth, OneGraph, Vector
from slowwave.memory.import_export.counts import MovedCounts
from slowwave.memory.installation import Days as InstallationDays
from slowwave.memory.operations import Days, Letters, Night
from slowwave.memory.profile import Ahead, Facts
from slowwave.memory.queries import Around, Ids, OneConversation
from slowwave.memory.queries.lookup import NamedMemories
from slowwave.memory.scope import Recalled
from slowwave.memory.summaries import MostTokens
from slowwave.memory.verb_group import OneScope
from slowwave.memory.working_memory import Tokens
from slowwave.outbox import Outbox
from slowwave.retrieval.reach import Reads
from slowwave.subscriptions import DeltaCallback
from slowwave.subscriptions.async_deltas import AsyncDeltaIterator, AsyncSubscription
from slowwave.wiring import Options

class AsyncCanaries(AsyncFace):
    """The canaries of the packs: new versions that read in a share of the scopes of all tenants."""

    async def listing(self) -> list[StoredCanary]:
        """Return the present and past canaries of all packs: declared ones first, then the latest version first."""

    async def promote(
        self, pack: Name, *, replay: bool = False, by: Name | None = None, reason: Note = "", timeout: Timeout = 60.0
    ) -> DecidedCanary:
        """Let the canary of *pack* read in all scopes of all tenants, on every host. With *replay*, replay it there.

        Raises `Incorrect` if the pack has no running canary. A repeat changes nothing, and finishes an interrupted
        replay.
        """

    async def roll_back(
        self, pack: Name, *, by: Name | None = None, reason: Note = "", timeout: Timeout = 60.0
    ) -> DecidedCanary:
        """End the canary of *pack* on every host, and take back what it has read, also in replays.

        *pack* is a name, or NAME@VERSION for an earlier canary. The installed version reads again the episodes that the
        canary has read. Afterwards, the beliefs are as if the canary had never run. Each scope of each tenant has its
        own transaction. A tenant's `skipped` names each scope that is not rolled back, with the problem and what to do.
        A repeat changes nothing, and finishes an interrupted roll-back. Raises `Incorrect` if the pack never had this
        canary, or if the installed version is not an earlier one.
        """

    async def status(self, pack: Name, *, tenant: Name | None = None) -> CanaryStatus:
        """Return how the canary of *pack* has read in a tenant, compared with the installed version. Writes nothing.

        *pack* is a name, or NAME@VERSION for an earlier canary. Raises `Incorrect` if the pack never had this canary.
        """

class AsyncConsensus(AsyncFace):
    """The consensus and dissent of one scope. Reads cover all agents of the user, in this channel and in `_global`."""

    async def find_similar(
        self, topic: Description, limit: Limit = 5, *, session: Name | None = None
    ) -> list[Position]:
        """Return the consensus on topics similar to *topic*, sorted by similarity, then the latest first.

        *session* is the caller's session, for the audit log.
        """

    async def get_dissent_for_topic(self, topic_hash: Name, *, session: Name | None = None) -> list[Position]:
        """Return the dissent about the topic with the hash *topic_hash*, latest first."""

    @property
    def scope(self) -> OneScope: ...
    async def store_consensus(self, record: Annotated[Verdict | Mapping[str, Any], SkipValidation]) -> Position:
        """Store a consensus of agents; return the stored consensus. Raises `Incorrect` with every problem."""

    async def store_dissent(self, record: Annotated[Verdict | Mapping[str, Any], SkipValidation]) -> Position:
        """Store the dissent of agents, with their own position; return the stored dissent.

        Raises `Incorrect` with every problem.
        """

    @staticmethod
    def topic_hash(topic: Description) -> str:
        """Return the hash of a topic, which ignores case and white space."""

class AsyncContinuumMemory(AsyncFace):
    """The entries of one agent with one user in one channel, on the configured tiers.

    An entry is an episode. No content is lost when an entry moves to a colder tier.
    """

    async def context(self, limit: Limit = 20, tiers: Names | None = None) -> list[MemoryEntry]:
        """Return the most important entries for the start of an agent's session, most important first.

        Without *tiers*, these are entries on the initial tier and on the tier above.
        """

    async def outcome(
        self, content: Question, *, success: bool, references: Sequence[OneEntry | uuid.UUID] = (), topic: Note = ""
    ) -> MemoryEntry:
        """Store an outcome, record that the entries in *references* helped or failed, and request consolidation.

        Returns the entry of the outcome. The expected usefulness of a retrieved entry is its similarity. Usefulness
        above this value counts as a surprise.
        """

    async def retrieve(
        self, query: Question, tiers: Names | None = None, limit: Limit = 5, min_similarity: Cosine = 0.3
    ) -> list[MemoryEntry]:
        """Return the *limit* entries most similar to *query*, with a cosine of at least *min_similarity*.

        Each returned entry is counted as accessed. If a later call of `outcome` names retrieved entries, the usefulness
        minus the similarity counts as their surprise.
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
        """Store *content* on *tier*; return the entry, which later moves automatically.

        With a *key*, a repeat changes nothing.

        Without *tier*, a higher *importance* selects a hotter tier. Without both, the importance is 0.5 and the entry
        starts on the initial tier. Raises `Incorrect` for an unknown tier or an importance outside 0 to 1. Raises
        `Unavailable` while Postgres is down, because entries never wait in the outbox.
        """

class AsyncEncryption(AsyncFace):
    """The data keys of tenants. Without SLOWWAVE_ENCRYPTION_KEYS, nothing is encrypted."""

    async def destroy(self, *, tenant: Name | None = None, confirm: Name | None = None) -> int:
        """Delete the memories of every user of a tenant permanently, then the tenant's data keys; return their number.

        The call first makes a new data key, and waits until every process uses it, which takes 80 seconds. A backup
        still contains the wrapped keys: whoever also has the master key can read the backup. *confirm* must be the name
        of the tenant. Raises `Incorrect` otherwise, and `Conflict` under a legal hold.
        """

    async def encrypt_stored(self, *, rewrite: bool = False, tenant: Name | None = None) -> Reencrypted:
        """Encrypt all stored words of a tenant with the current data key, while others work; return the counts.

        Also wraps the data keys with the current master key. An interrupted call can be repeated. A later call deletes
        the old data keys, if the current key has been in use for two days and no row needs an old key. With *rewrite*,
        the call then locks and rewrites tables, indexes and statistics, so that the files of Postgres keep no earlier
        rows. Raises `Incorrect` without SLOWWAVE_ENCRYPTION_KEYS, and for *rewrite* on a server of your own without
        SLOWWAVE_OWNER_URL. Raises `Unavailable` if a process may still use an older key, and `Conflict` if a table is
        in use for long.
        """

    async def listing(self, *, tenant: Name | None = None) -> Sequence[DataKey]:
        """Return the data keys of a tenant, oldest first, without the keys themselves.

        The first transaction of a tenant makes its first key.
        """

    @staticmethod
    def new_master_key() -> str:
        """Return a new random master key for SLOWWAVE_ENCRYPTION_KEYS. Slowwave does not store this key."""

    async def rotate(self, *, tenant: Name | None = None) -> DataKey:
        """Add a data key of a tenant; return the key. It is used after a minute, when every process has read it.

        Raises `Incorrect` without SLOWWAVE_ENCRYPTION_KEYS.
        """

    async def status(self, *, tenant: Name | None = None) -> Sequence[StaleRows]:
        """Count the rows of a tenant with readable words, and the rows with words under an older data key, by table.

        Reads every row with words. Tables without such rows are left out. Raises `Incorrect` without
        SLOWWAVE_ENCRYPTION_KEYS.
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
        """Store a goal; return the goal. With a *key*, a repeat changes nothing.

        Raises `Incorrect` with every problem, and `NotFound` if *parent* is not a goal of this scope.
        """

    async def block(self, goal_id: Id, reason: Reason, *, by: Id | None = None) -> Goal:
        """Mark a goal as blocked, with the reason; return the goal.

        *by* is the id of the other goal that blocks this goal.

        Raises `NotFound`, and `Conflict` if the goal has ended.
        """

    async def complete(self, goal_id: Id, status: GoalStatus = "completed", result: Result | None = None) -> Goal:
        """End a goal as `completed` or `abandoned`, with its *result*; return the goal. A repeat changes nothing.

        Raises `NotFound`, and `Conflict` if the goal has already ended with the other status.
        """

    async def get(self, goal_id: Id, *, session: Name | None = None) -> Goal:
        """Return one goal, with its parent. *session* is the caller's session, for the audit log. Raises `NotFound`."""

    async def list(
        self, status: GoalStatus | None = "active", *, limit: Limit = 100, session: Name | None = None
    ) -> builtins.list[Goal]:
        """Return the goals with *status*, or all goals if *status* is None, sorted by descending priority, then oldest
        first.

        *session* is the caller's session, for the audit log.
        """

    async def resume(self, goal_id: Id) -> Goal:
        """Mark a blocked goal as active again; return the goal.

        Raises `NotFound`, and `Conflict` if the goal has ended.
        """

    @property
    def scope(self) -> OneScope: ...

class AsyncGraph(AsyncFace):
    """The graph of the entities around a user, as one agent knows them.

    The graph is a projection of the facts: each run that changes facts also updates the graph. An edge is a fact whose
    object is an entity. The edge ends when the fact ends. `load` and `versions` cover this agent and channel. `query`
    and `find` search the same scopes as `recall`, and each node names its `scope`.
    """

    async def compare(self, before: Count, after: Count) -> tuple[list[RelationshipEdge], list[RelationshipEdge]]:
        """Return the edges that were added between the versions *before* and *after*, and the removed edges.

        Raises `NotFound`.
        """

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
        """Add a relationship from *source* to *target* (names or ids of entities); return the relationship.

        The relationship becomes a fact with the type as predicate (`WORKS_FOR` becomes `works_for`), under the usual
        rules. A repeat adds weight to the edge. If the predicate is single-valued, the new value replaces the old
        value. Raises `Incorrect` for a type that is not a valid predicate, `NotFound` for an unknown id,
        `FactConflictError` if a person has to decide, and the errors of `upsert_entity`.
        """

    async def describe(self, entity: Id, *, session: Name | None = None) -> Described:
        """Return one or two sentences about an entity, with the facts behind the sentences.

        *entity* is the id or any name of the entity. Each sentence is a current fact; the fact with the most weight
        comes first. A description written by hand replaces all sentences. The facts are counted as accessed; the audit
        log records the *session*. Raises `NotFound`.
        """

    async def find(self, words: Question, limit: Limit = 5) -> list[ConceptNode]:
        """Return the entities named in *words*, longest name first, followed by the entities closest in meaning."""

    async def format_as_context(self, graph: OneGraph) -> str:
        """Return *graph* as lines of text for a prompt, with schematic entities marked as core concepts.

        The text is empty for an empty graph.
        """

    async def get_entity_graph(
        self,
        entity_ids: Sequence[Id],
        depth: Depth = 2,
        *,
        limit: Limit = 200,
        at: Instant | None = None,
        session: Name | None = None,
    ) -> MemoryGraph:
        """Return up to *limit* entities within *depth* hops of the entities *entity_ids*, and the edges between them.

        The returned facts are counted as accessed; the audit log records the *session*.
        """

    async def load(self, limit: Count = 20000) -> MemoryGraph:
        """Return the graph of this agent and channel, with at most *limit* entities, most frequent first."""

    async def mentioned_in(self, episode: Id) -> list[ConceptNode]:
        """Return the entities named in a turn, longest name first. *episode* is the turn's id, id prefix or key.

        The result includes the speaker if the turn says "I" or "my". Raises `NotFound`.
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

        *entity* is the id or any name of an entity. A turn mentions an entity if the turn contains the entity's name,
        or if a fact about the entity cites the turn. The words "I" and "my" do not count as mentions of the user. To
        continue, pass the id or key of the last turn as *before*. Archived conversations are left out unless *archived*
        is True. The turns are counted as accessed; the audit log records the *session*. Raises `NotFound` if the
        entity, or the turn *before*, does not exist.
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
        """Return the entities in *question* and their most important neighbours, *top_k* in all.

        If *question* names no entity, the walk starts at the entities nearest in meaning. The walk is breadth-first, up
        to *depth* hops along the heaviest edges. Schematic entities come first, then entities on a path between two
        named entities, then the nearest entities. *at* asks about another time. The graph is empty if no entity
        matches. The returned facts are counted as accessed; the audit log records the *session*.
        """

    @property
    def reads(self) -> Reads: ...
    async def rebuild(self) -> int:
        """Rebuild the graph from the facts, with the currently registered predicates; return the number of edges.

        Names without a vector of this embedder get a vector. Raises `Conflict` while a worker holds the scope.
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

        If an existing fact stays believed instead, `why` with the returned id explains the reason. With a *key*, a
        repeat changes nothing. Raises the errors of `create_relationship`.
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
        """Add or update an entity's type, names, description and properties; return the entity.

        The default of *channel* is this scope's channel. Each value becomes a fact based on an episode, so `why` can
        explain the value, and `undo` can remove it. Omitted values stay unchanged. With a *key*, a repeat changes
        nothing. Raises `Incorrect` if no value is given, `Conflict` while a worker holds the scope, and `Unavailable`
        while Postgres is down.
        """

    async def vector_search_entities(
        self, query_embedding: Vector, top_k: Limit = 10, channels: Names | None = None
    ) -> list[ConceptNode]:
        """Return the *top_k* entities nearest to *query_embedding*, a vector of the memory's embedder, best first.

        The search covers this scope, or the given *channels*.

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
        """Return the *top_k* facts nearest to *query_embedding*, a vector of the memory's embedder, best first.

        The search covers this scope, or the given *channels*.

        The search covers only facts that are believed and true now, with a confidence of at least *min_confidence*. The
        facts are counted as accessed; the audit log records the *session*. Raises `Incorrect` if the vector and the
        embedder differ in dimensions.
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
        """Return the *top_k* turns nearest to *query_embedding*, a vector of the memory's embedder, best first.

        The search covers this scope, or the given *channels*. The search covers only turns of the last
        *time_window_hours* that a worker has embedded. The turns are counted as accessed; the audit log records the
        *session*. Raises `Incorrect` if the vector and the embedder differ in dimensions.
        """

    async def versions(self, limit: Limit = 20) -> list[GraphVersion]:
        """Return the versions of this graph, newest first.

        Each run that makes a decision in this scope makes a version.
        """

    async def walk(
        self, question: Question, limit: Limit = 5, *, at: Instant | None = None, session: Name | None = None
    ) -> list[GraphPath]:
        """Return up to *limit* paths from an entity in *question* along relations named in the question, best first.

        The last fact of each path is the answer. Relations match the names, aliases and sentences of predicates. A path
        has at most five facts. At most one fact of a path may have a relation that the question does not name. *at*
        asks about another time. The list is empty if the question names no entity or no relation. The facts are counted
        as accessed; the audit log records the *session*.
        """

class AsyncMemoryStream(AsyncFace):
    """The episodes of one agent with one user in one channel."""

    async def recall(self, query: Question, limit: Limit = 10, *, session: Name | None = None) -> list[Recollection]:
        """Return the *limit* episodes that answer *query* best, in order of time.

        *session* is the caller's session, for the audit log.
        """

    async def record(self, event: Annotated[Item, SkipValidation], **fields: Unpack[EpisodeFields]) -> Receipt:
        """Store an event; return the receipt. See `MemoryScope.push`."""

    @property
    def scope(self) -> OneScope: ...
    async def summarize(self, time_range: Annotated[Sequence[Instant], Field(min_length=2, max_length=2)]) -> str:
        """Return the most informative sentences that were said in *time_range*, one sentence per line.

        The text is empty if nobody said anything. Raises `Incorrect` unless *time_range* has two times with a zone, the
        earlier time first.
        """

class AsyncOperator(AsyncFace):
    """The queries and actions for an operator of one *tenant*. Reads are not counted as accesses."""

    async def budget(self) -> ModelCallsOverview:
        """Return the pending model calls, today's spending and budget, and each provider's circuit breaker."""

    async def dead_letters(
        self, limit: Limit = 100, *, after: Number | None = None, everything: bool = False, reviews: bool = True
    ) -> list[DeadLetter]:
        """Return at most *limit* open dead letters, oldest first.

        With *everything*, include retried and dropped letters.

        If *reviews* is False, letters that wait for a person's decision are left out. To continue, pass the last
        letter's number as *after*.
        """

    async def drop(self, letters: Letters) -> int:
        """Drop the open dead letters with these numbers; return their number.

        Dropped letters stay stored. Raises `NotFound`.
        """

    async def moves(self, days: Days = 14) -> list[Moves]:
        """Return the moves between tiers on each of the last *days*, including today, oldest first."""

    async def night(self, night: Night | None = None) -> NightReport:
        """Return the report of a night, by default the current one, with the trend of earlier nights.

        A night lasts from noon to noon, UTC. *night* is the date on which the night ends.
        """

    async def overview(self) -> Overview:
        """Return the amount of stored data, the state of the jobs, and the pending model calls."""

    async def people(self, limit: Limit = 50, *, after: Name | None = None) -> list[Person]:
        """Return up to *limit* people with memories, sorted by name. To continue, pass the last name as *after*."""

    async def queue(self) -> list[Waiting]:
        """Return the jobs with pending intents: the job's name, the number of its intents, and the due time of the
        first intent.
        """

    async def retry(self, letters: Letters) -> int:
        """Retry the open dead letters with these numbers; return the number of letters.

        Workers process the episodes of these letters again. Messages that can now be parsed are stored. Raises
        `NotFound` for numbers without an open letter, and `Incorrect` with the letters that cannot be retried or are
        still malformed.
        """

    async def run(self, number: Number) -> PastRun:
        """Return one run. Raises `NotFound`."""

    async def runs(self, limit: Limit = 20, *, before: Number | None = None) -> list[PastRun]:
        """Return the *limit* latest runs of the tenant and of the installation, newest first.

        To continue, pass the number of the last run as *before*.
        """

    @property
    def tenant(self) -> Name: ...

class AsyncQuotas(AsyncFace):
    """The quotas of tenants and their users. Pushes, recalls and model calls beyond a quota are refused, or wait."""

    async def listing(self, *, tenant: Name | None = None) -> Sequence[Quota]:
        """Return the quotas of a tenant, by kind: of the tenant, of each user, and of single users."""

    async def remove(
        self, what: Name, *, user: Name | None = None, each_user: bool = False, tenant: Name | None = None
    ) -> None:
        """Remove the quota *what* of a tenant, of each user, or of one *user*. Raises `NotFound` if there is none."""

    async def set(
        self, what: Name, most: Most, *, user: Name | None = None, each_user: bool = False, tenant: Name | None = None
    ) -> None:
        """Set the quota *what* of a tenant, of each user or of one *user* to *most*.

        Every process applies a new limit within five seconds. Raises `Incorrect` for an unknown quota.
        """

class AsyncStrategies(AsyncFace):
    """The strategies of one agent with one user, and the statistics of the agent's tools.

    Slowwave learns strategies from episodes of kind `tool_call` and `outcome`. A strategy recorded by hand also becomes
    such an episode, which is the source of the facts about the strategy.

    `find_strategies`, `all` and `get` search the same scopes as `recall`; each strategy names its `scope`. All other
    methods cover only this agent and channel.
    """

    async def all(self, *, session: Name | None = None) -> list[Strategy]:
        """Return all strategies, whatever their confidence, sorted by agent, channel, task and tools."""

    async def find_strategies(
        self,
        task_description: Description,
        channels: Names | None = None,
        top_k: Limit = 5,
        *,
        session: Name | None = None,
    ) -> list[Strategy]:
        """Return the *top_k* strategies for a task, sorted by similarity times confidence, best first.

        The method searches the same scopes as `recall`, or exactly *channels*. It leaves out failing and forgotten
        strategies. The field `standing` marks strategies that were tried too rarely to be believed. *session* is the
        caller's session, for the audit log.
        """

    async def get(self, strategy_id: Id, *, session: Name | None = None) -> Strategy:
        """Return one strategy. Raises `NotFound`."""

    async def get_tool_stats(self, task_type: Note | None = None, channel: Name | None = None) -> list[ToolStats]:
        """Return the statistics of tools in this channel or in *channel*, for one type of task or all types, most used
        first.
        """

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

        The call counts as one attempt at *task*, and ends the conversation's current attempt. The default of *task* is
        *context_pattern*. A repeat with the same *key* changes nothing. Raises `Incorrect` for a sequence without
        tools.
        """

    async def paths(self, task: Note | None = None) -> list[tuple[tuple[str, ...], int]]:
        """Return the tool sequences that several successful attempts share, with their counts, most frequent first."""

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
        """Store one call of a tool as an episode; return the receipt. See `Tools.record_invocation`."""

    async def reinforce_strategy(self, strategy_id: Id, success: bool, *, key: Name | None = None) -> None:
        """Store that a strategy of this agent and channel succeeded or failed once more. Raises `NotFound`.

        A repeat with the same *key* changes nothing.
        """

    @property
    def scope(self) -> OneScope: ...

class AsyncTools(AsyncFace):
    """The tool calls of one scope. `calls` also reads the other scopes that `recall` searches."""

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
        """Return the *limit* latest tool calls, newest first, with input, output, success and duration.

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
        """Store a call on the hottest tier and return the receipt; return None if calls of this tool are not captured.

        The transaction that stores the call also sets the tier, even if the call waits in an outbox first.
        `passed_over` has the number of calls that were not captured, by reason.
        """

    async def outcome(
        self, session: Name, success: bool, *, task: Note = "", note: Note = "", key: Name | None = None
    ) -> Receipt:
        """Store the outcome of a session's task; return the receipt.

        The outcome ends the current tool attempt and the task's goal.

        When a worker processes the episode, the goal and its open subgoals become `completed` or `abandoned`. The
        *note* becomes the result of the goal.
        """

    @property
    def passed_over(self) -> Mapping[Passed, int]:
        """The numbers of calls that this process did not capture, by reason."""

    async def plan(
        self, session: Name, task: Description, steps: Sequence[Note] = (), *, note: Note = "", key: Name | None = None
    ) -> Receipt:
        """Store a plan; return the receipt. A worker makes a goal from the *task*, and a subgoal from each step.

        An `outcome` of the same task ends these goals. An episode is also a plan if its metadata have `task` and a list
        `plan`.
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
        """Store one tool call, in this channel or in *channel*; return the receipt.

        *task* is the type of task of the call. Input and output may be any value. Of a long value, only the beginning
        is stored. With a *key*, a repeat changes nothing.
        """

    @property
    def scope(self) -> OneScope: ...

class AsyncTree(AsyncFace):
    """The tree of a scope's session summaries. Similar summaries share a parent node, up to one root.

    Workers update the tree when summaries change. Each node has the most informative sentences of all nodes below it,
    in the speakers' own words. `search` and `nodes` search the same scopes as `recall`.
    """

    async def grow(self) -> int:
        """Rebuild the tree of this scope from its summaries now; return the number of nodes.

        Raises `Conflict` while a worker holds the scope, and `NotFound` if the scope has no memories.
        """

    async def nodes(
        self, limit: Limit = 100, *, under: Id | None = None, max_tokens: MostTokens = 400, session: Name | None = None
    ) -> list[TreeNode]:
        """Return the first *limit* nodes, root first, or the children of the node with the id or id prefix *under*.

        Before a worker has made a summary, the list is empty. After a summary was removed, the root may be missing for
        a while.
        """

    @property
    def reads(self) -> Reads: ...
    @property
    def scope(self) -> OneScope: ...
    async def search(
        self, question: Question, limit: Limit = 5, *, max_tokens: MostTokens = 400, session: Name | None = None
    ) -> list[TreeNode]:
        """Return the *limit* nodes of any level closest in meaning to *question*, nearest first, each within
        *max_tokens*.

        A narrow question finds the session in which the topic was mentioned. A broad question finds nodes nearer to the
        root. *session* is the caller's session, for the audit log.
        """

class AsyncWorkingMemory(AsyncFace):
    """The working memory of one conversation. It expires an hour after its last change (SLOWWAVE_WORKING_SECONDS).

    Turns are stored as episodes first, and can be reloaded from the episodes. Thoughts, values and the goal are only in
    the cache, where they expire. While the cache is down, the methods for thoughts, values and the goal raise
    `Unavailable`.
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
        """Store a message as an episode, then add the message to working memory; return the turn.

        If working memory exceeds its limits, the oldest turns are evicted, and a summary is requested. With a *key*, a
        repeat changes nothing, as with `MemoryScope.push`. The default of *occurred_at* is the time of storage. Raises
        `Incorrect` for an invalid episode, `Conflict` if the key already has other content, and `Unavailable` when
        Postgres is down and there is no outbox. If the cache is unreachable, the method only logs the error, and no
        message is lost.
        """

    async def clear_session(self) -> int:
        """Clear the working memory; return the number of removed turns, which stay stored as episodes.

        While the cache is down or turns wait in an outbox, the method clears nothing and raises `Unavailable`.
        """

    async def delete(self, key: Name) -> bool:
        """Delete the value stored under *key*; return whether a value was stored."""

    async def evict_oldest(self, count: Limit = 1) -> list[Turn]:
        """Evict the oldest *count* turns from working memory; return the evicted turns, oldest first.

        A summary of these turns is requested. The turns stay stored as episodes, which recall finds. While the cache is
        down or one of the turns waits in an outbox, the method evicts nothing and raises `Unavailable`.
        """

    async def get(self, key: Name, default: Any = None) -> Any:
        """Return the value stored under *key*, or *default*."""

    async def get_active_goal(self) -> ActiveGoal | None:
        """Return the conversation's goal, or None."""

    async def get_context(self) -> Context:
        """Return the whole working memory: turns, thoughts, goal and values."""

    async def get_recent_turns(self, limit: Limit | None = None) -> list[Turn]:
        """Return the newest *limit* turns in working memory (all turns if *limit* is None), oldest first.

        If the cache has no turns, the method reads the last messages of the conversation from the episodes, within the
        limits of working memory. Raises `Unavailable` if the cache has no turns and Postgres is down.
        """

    async def get_thoughts(self, limit: Limit = 50) -> list[str]:
        """Return the newest *limit* thoughts, oldest first."""

    @property
    def limits(self) -> Limits:
        """The limits and the lifetime of working memory."""

    async def needs_pruning(self, max_tokens: Tokens | None = None) -> bool:
        """Return whether working memory exceeds *max_tokens*, or its own limits if *max_tokens* is None."""

    @property
    def of(self) -> Conversation:
        """The conversation."""

    async def prune(self, max_tokens: Tokens | None = None) -> list[Turn]:
        """If `needs_pruning`, evict the oldest quarter of the turns, rounded up; return the remaining turns.

        Each call evicts at most once. An agent can call the method before it writes a prompt. `add_turn` enforces the
        limits without this method.
        """

    async def push_thought(self, thought: Question) -> None:
        """Add a thought to working memory. Beyond fifty thoughts, the oldest thoughts are deleted permanently."""

    async def set(self, key: Name, value: Json, *, ttl_seconds: Seconds | None = None) -> None:
        """Store a JSON *value* under *key* for *ttl_seconds*, by default one hour.

        Raises `Incorrect` for an invalid value.
        """

    async def set_active_goal(self, goal_id: Id, description: Description) -> None:
        """Set the conversation's goal, replacing the previous one."""

class AsyncMemoryScope(AsyncFace):
    """The memory that one agent, or all agents together, have of one user in one channel.

    Writes, counts and listings use *scope*. `recall`, `facts` and `strategies` search `reach`, which depends on
    *reads*. Each result names its `scope`. Equal results of different agents are not merged.
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
        """Return an answer in sentences, each with its supporting memories.

        `.known` of the answer is False if no sentence is supported.

        A model answers from the `context` of the question and cites memories. A sentence of the model is kept only if a
        cited memory shares words with the sentence. The cited memories must also contain every name and number of the
        sentence that is not in the question. The model is the same as for model packs. The method calls the model once,
        within *deadline_seconds* and the limits of the model call queue: slots, circuit breaker and the tenant's daily
        budget. No transaction is open during the call. Cited memories are counted as accessed. Raises `Incorrect` if no
        model is set. Raises `Unavailable` if there is no free slot in time, no budget left, or no readable reply.
        """

    async def apply(self, delta: Annotated[MemoryDelta | dict[str, Any], SkipValidation]) -> uuid.UUID:
        """Apply a typed delta; return the id of the delta. If the delta adds or updates a fact, the new fact has the
        same id.

        A repeat with the same delta changes nothing. Raises `Incorrect` with every problem of the delta,
        `FactConflictError` if the fact to replace is ambiguous, `NotFound` for a missing source, and `Conflict` while a
        worker holds the scope.
        """

    async def archive(self, session: Name) -> bool:
        """Archive a conversation: by default, recall leaves out its episodes, but not the facts learned from them.

        Returns False if the conversation was already archived. A later message in the session restores the
        conversation. Raises `NotFound` for an unknown session, and `Conflict` while a legal hold covers the
        conversation.
        """

    async def archived(self) -> list[RetentionConversation]:
        """Return the archived conversations of this scope, most recently archived first."""

    @property
    def consensus(self) -> AsyncConsensus:
        """The consensus and dissent of the user's agents."""

    async def consolidate(self, timeout: Timeout = 60.0) -> list[Report]:
        """Consolidate all pending episodes of this scope into facts now, in this process; return a report per run."""

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
        """Return the context for an answer to *question*, in at most *max_tokens*.

        Each part of the context has its sources.

        With a *session*, the context always starts with the `system_prompt` and `tools` of working memory. The
        remaining tokens go, in this order, to the session's summary, the newest turns (up to half of the tokens), the
        graph around the entities in the question, up to *limit* of the best recollections, and older turns.
        `PromptContext` has the order of the parts in the prompt. A recollection that is too long is skipped. With
        *stop_at_overflow*, no recollection follows a skipped one. `.as_messages()` and `.as_text()` format the context
        for a prompt. Only the memories in the context are counted as accessed.

        With a session and *anticipate*, a separate thread then looks up memories related to the newest turns and the
        active goal. If there is room, the session's next context also has up to ten of these memories, with
        `anticipated` in their reasons. The `.reused` of a context is the share of its recollections that were already
        in working memory or were looked up in advance.

        *count* is a function that returns the number of tokens of a text, such as the model's own tokenizer; each
        message adds four tokens. Without *count*, the number of tokens is estimated, and tends to be too high. By
        default, the context includes the graph if the extra `graph` is installed. Raises `Incorrect` if the system
        prompt and the tools alone exceed *max_tokens*.
        """

    @property
    def continuum(self) -> AsyncContinuumMemory:
        """Memory entries by timescale and importance. Entries move between tiers automatically."""

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
        """Return at most *limit* episodes of a conversation, in order; by default the first episodes.

        To continue, pass the id or key of the last episode as *after*. To go backwards, pass the id or key of the first
        episode as *before*. With *around*, the result is this episode with its neighbours on both sides, *limit*
        episodes in total. Archived conversations are included. Raises `NotFound` for a conversation that is unknown or
        entirely expired.
        """

    async def conversations(
        self,
        limit: Limit = 100,
        *,
        archived: bool | None = None,
        after: OneConversation | Name | None = None,
        session: Name | None = None,
    ) -> list[RetentionConversation]:
        """Return the conversations in `reach`, most recently active first, with start, end and number of episodes.

        If *archived* is True, the result has only archived conversations; if False, only other conversations. To
        continue, pass the last conversation or its session as *after*. Raises `NotFound` for an unknown session, and
        `Incorrect` for a session of several agents or channels.
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
        """Undo a wrong fact and everything derived from the fact; if *object* is given, add a fact with this right
        object.

        Returns the changes. *fact* is an id or a unique prefix of an id. The method undoes the claims that made and
        confirmed the fact. Facts that these claims replaced are believed again. The fact's promotions, summaries and
        relations are withdrawn. For a statement, *object* is the whole right sentence. The right fact cites the same
        words as the wrong fact; the result's `corrected` is the id of the right fact. `why` shows *by* and *reason*. A
        *preview* writes nothing. Raises `NotFound`, `Incorrect` if the fact is already undone, and `Unavailable` after
        *timeout* seconds if a worker holds the scope.
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
        """Decide a review: `accept` the claim, `reject` the claim, or `edit` its *object*; return the id of the delta.

        *by* is the person who decides; the delta records this name. If the claim could replace several facts,
        *replaces* selects one of these facts. Raises `NotFound` for a review that is not open in this scope,
        `Incorrect` for an invalid decision, `FactConflictError` if the fact to replace is no longer believed, and
        `Conflict` while a worker holds the scope.
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
        """Return the deltas that changed beliefs of this scope, in the order of application; see `Memory.deltas`."""

    async def digest(self) -> str:
        """Return a hash over all beliefs of this scope."""

    async def end_session(self, session: Name) -> list[Due]:
        """End a session: make the packs due that wait for the end of sessions, once; return the work that is now due.

        A pack waits for the end if its cadence (its schedule) has `session_end: true`. An episode of kind `outcome`
        with the metadata `{"session_end": true}` has the same effect as this method. Raises `Unavailable` when Postgres
        is down.
        """

    async def entries(self, ids: Ids, *, session: Name | None = None) -> list[NamedMemories]:
        """Return the episodes and facts with these *ids* in full, in the order of *ids*.

        An id may be shortened to a unique prefix. The key of an episode is also accepted. Facts are returned as they
        are currently believed. Raises `NotFound` with the ids that match no memory.
        """

    async def episode(self, episode: Id, *, session: Name | None = None) -> RememberedEpisode:
        """Return one episode in full, by its id, a unique prefix of the id, or its key.

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
        """Return the facts believed in `reach` that are true now, or at the time *as_of*.

        With *known_at*, the result has the facts that were believed at that time. Facts are sorted by subject,
        predicate and object. A fact that several agents or channels believe appears once per agent and channel. *form*
        selects `typed` facts or statements. Returns at most *limit* facts. To continue, pass the id of the last fact as
        *after*. *session* is the caller's session, for the audit log. Raises `NotFound` if *after* is not among the
        facts.
        """

    async def feedback(self, recollection: Recalled, useful: Share | bool = 0.5) -> Standing:
        """Report how useful a recollection was, from 0 to 1 or as a boolean; return the memory's new standing.

        Usefulness above the recollection's score counts as a surprise. Usefulness above 0 counts as a success. Both may
        raise the memory's tier. Raises `Incorrect` for a number outside 0 to 1.
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
        """Erase a *session*, a *fact*, all memories that contain the words *matching*, or this whole scope.

        `Memory.forget` describes the arguments. The method also deletes facts that were promoted from this scope to
        `_global`.
        """

    @property
    def goals(self) -> AsyncGoals:
        """The agent's goals in this scope."""

    @property
    def graph(self) -> AsyncGraph:
        """The knowledge graph of this scope: entities and their relations."""

    async def history(
        self,
        *,
        known_at: Instant | None = None,
        limit: Limit = 100,
        after: Id | None = None,
        session: Name | None = None,
    ) -> list[Fact]:
        """Return the facts believed in `reach` that are true now, and the facts that were true in the past.

        With *known_at*, the result has the facts that were known at that time. Facts are sorted by subject, predicate,
        object and time. To continue, pass the id of the last fact as *after*. *session* is the caller's session, for
        the audit log. Raises `NotFound` if *after* is not among the facts.
        """

    async def hold(self, reason: Reason) -> int:
        """Place a legal hold on all memories of this scope; return the number of the hold. See `Memory.hold`."""

    def in_channel(self, channel: Name) -> AsyncMemoryScope:
        """Return the memory of the same user and agent (or all agents, if none was named) in another channel."""

    def on_delta(
        self, hear: DeltaCallback, *, after: Id | None = None, since: Instant | None = None, kind: Kind | None = None
    ) -> AsyncSubscription:
        """Call *hear* with each delta of this scope, in the background; see `Memory.on_delta`."""

    async def outlook(self, facts: Facts, days: Ahead = (0,)) -> Mapping[uuid.UUID, Sequence[Standing]]:
        """Return the expected standings of each fact, by the fact's id: one standing for each number of *days* from
        now.

        The forecast assumes that no episode or recall is added. Zero days means now. Facts without a standing are left
        out. The method first writes the accesses that this process has counted.
        """

    async def pin(self, recollection: Recalled) -> None:
        """Pin a memory. A pinned memory does not fade, does not move to another tier, and is not evicted."""

    async def profile(self, *, limit: Limit = 20, session: Name | None = None) -> Profile:
        """Return the user's profile: preferences, expertise areas, communication style, and more.

        The profile consists of the typed facts that are now believed about the user in `reach`. Only the 1 000 latest
        facts are read. Each part has at most *limit* entries, strongest first, then newest first. Each entry has a fact
        and reasons. `policies/profile.yaml` assigns facts to parts. *session* is the caller's session, for the audit
        log.
        """

    async def promote(self, fact: Id, *, reason: Reason) -> uuid.UUID:
        """Promote a fact of this project channel to `_global`; return the id of the fact there.

        The method ignores the thresholds of automatic promotion, and stores the *reason*. A repeat changes nothing.
        Slowwave revokes the promotion when the fact is no longer believed in this channel. Raises `NotFound`,
        `Incorrect` for a fact of `_global`, and `Conflict` while a worker holds `_global`. Raises `FactConflictError`
        if the fact is not believed and true now, or if `_global` has a newer fact.
        """

    async def push(self, item: Annotated[Item, SkipValidation], **fields: Unpack[EpisodeFields]) -> Receipt:
        """Store one episode durably, then notify a worker; return its receipt.

        *item* is an `Episode`, a mapping with its fields, or its content, with other *fields* as arguments:

            scope.push("I moved to Oslo last week", role="user", session="s1")

        The receipt is `stored` once the episode is committed in Postgres, even if the broker is down. A second push
        with the same key stores nothing. Raises `Incorrect` with every problem of the episode, `Conflict` if the key
        already has other content, and `Unavailable` when Postgres is down. After `Unavailable`, push again with the
        same key.

        If SLOWWAVE_OUTBOX is set and Postgres is down, the receipt is `spooled`. Such an episode is on this host's
        disk, and is stored under the same key once Postgres is back. The default of `occurred_at` is the time of
        storage.
        """

    async def push_many(self, items: Annotated[Iterable[Item], SkipValidation]) -> list[Receipt]:
        """Store episodes in order; return one receipt per episode, which is `refused` for an invalid episode.

        Raises `Incorrect` if episodes without keys exceed a full quota together, and `Crowded` while a quota is used
        up. After each error, a repeat of the call stores no episode twice.
        """

    async def quietly(self) -> Self:
        """Return the same memory for monitoring. Reads of the result are not counted as accesses."""

    async def reach(self) -> list[Scope]:
        """The scopes that reads search. The scope for writes comes first."""

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

        The method searches `reach`: this channel and `_global`, or more scopes if no agent was named. *channels* and
        *agents* replace the channels and agents of `reach`. *as_of* asks about another time. Relative dates in the
        question, such as "yesterday", are relative to *as_of*, in the time zone of *as_of*.

        The other filters apply before the best are chosen. *kinds* selects typed facts, statements or episodes. *roles*
        selects the speakers of episodes, and of the source episodes of facts. *sessions* selects the sessions of
        episodes, and of the source episodes of facts; *exclude_sessions* leaves out sessions, such as the running
        session, whose turns are already in the prompt. *since* (inclusive) and *until* (exclusive) limit the time when
        an episode happened, or when a fact became true. Archived conversations are searched only with *archived*. Facts
        learned from archived conversations are always searched.

        Of the episodes that no worker has processed yet, this call embeds the newest 100. The other unprocessed
        episodes are found only by their words; the result's `.by_words_alone` is their number. *session* is the
        caller's session, for the audit log.

        *min_score* leaves out memories with a lower score. Scores are comparable between questions. Of the memories
        with a score of 0.4, two in five answer their question. Of the memories with a score of 0.1, one in eight
        answers its question. In dialogue, a *min_score* of 0.02 keeps five in six memories that answer the question,
        and a quarter of the other memories. A *min_score* of 0.1 keeps more than half of the memories that answer, and
        one in fourteen of the other memories. For topics that were never mentioned, one score in a thousand reaches
        0.1.

        *explain* fills the result's `.explained`. This object has the time of each stage, and the number of memories
        left after the stage. For each recollection, it has the value and weight of each measure, and the amount that
        the measure adds to `match`.

        For a question without a topic ("What did we discuss last time?"), the result has the latest episodes of
        sessions other than the caller's session. The reason of these episodes is `sequential`.
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

        To continue, pass the id or key of the last episode as *before*. With *after*, the method returns the episodes
        directly after the episode with this id or key, also newest first. *since* and *until* select episodes that
        happened from *since* on and before *until*. Archived conversations are left out unless *archived* is True.
        Raises `NotFound` if the episode in *before* or *after* does not exist.
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
        """Return the memories relevant to *question*, grouped by kind, at most *top_k* per kind, best first.

        Turns are episodic memories. Facts, entities, goals and the profile are semantic memories. Strategies are
        procedural memories. Excluded kinds are not searched. *time_window_hours* leaves out older turns and facts.
        *channels* limits the search for turns, facts and strategies. *session* is the caller's session, for the audit
        log.
        """

    async def replay(
        self,
        pack: Name,
        *,
        by: Name | None = None,
        reason: Note = "",
        preview: bool = False,
        ask: bool = False,
        timeout: Timeout = 60.0,
    ) -> Undone:
        """Read all episodes of this scope again with an installed *pack*, and replace the pack's earlier claims.

        Returns the changes. *pack* is a name. With NAME@VERSION, the call fails if another version is installed. One
        transaction undoes the claims that the pack no longer makes, and decides the pack's new claims as of the times
        of their episodes. Stored deltas do not change. Claims that the pack still makes stay. Corrections, undone
        decisions, decided reviews, erasures and beliefs from dropped episodes also stay. To revert the replay, pass the
        `id` of the result to `undo`. A pack with a model uses stored replies. With *ask*, the model is first
        asked for the replies that are missing: through the queue of all model calls, within its budgets and quotas.

        A *preview* changes no belief. A repeat of a replay changes nothing. Raises `Incorrect` if the version is not
        installed, if the pack has read no episode of this scope, or if replies are missing or unreadable. Raises
        `Unavailable` after *timeout* seconds if a worker holds the scope or replies are still missing, and at once if a
        budget or quota is used up. No belief has changed then; replies are stored, and a repeat continues.
        """

    async def restore(self, session: Name) -> bool:
        """Restore a conversation from the archive; return False if the conversation was not archived.

        The retention period starts again, as if a message had arrived now. Raises `NotFound` for an unknown or expired
        session.
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

        The summary of the *session* comes first, and counts towards *max_tokens*. Facts and episodes follow, best
        first.
        """

    async def review(self, *, limit: Limit | None = None, after: Number | None = None) -> list[Review]:
        """Return the open reviews of this scope (claims that need a person's decision), oldest first; see
        `Memory.review`.
        """

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
        """Return an index of the memories that `recall` finds, best first, each with its id, first 80 characters,
        number of tokens, and tier.

        `timeline` reads the surroundings of an entry, and `entries` reads chosen memories in full. Entries of the index
        are not counted as accessed. *include_external* also searches the external memories of the setting `sources`,
        concurrently and for at most `source_seconds`. The external entries follow Slowwave's entries, each with its
        `source`. `.failed` names the external memories that did not answer. *explain* fills `.explained` as in
        `recall`, without external entries.
        """

    async def standing(self, memory: Recalled | uuid.UUID) -> Standing:
        """Return the standing of a memory: tier, accesses and surprise. Raises `NotFound` if there is no standing.

        *memory* is a recollection, or the id of a memory of this scope. The method first writes the accesses that this
        process has counted.
        """

    async def store_turn(self, item: Annotated[Item, SkipValidation], **fields: Unpack[EpisodeFields]) -> Receipt:
        """Store one message as `push` does, then add the message to the session's working memory; return the receipt.

        If there is a cache, `scope.working("s1")` then has the turn. Without a reachable cache, the message is still
        stored. Raises the errors of `push`, and `Incorrect` for an episode of a kind other than `message`.
        """

    @property
    def strategies(self) -> AsyncStrategies:
        """The agent's strategies in this scope, and statistics of the agent's tools."""

    @property
    def stream(self) -> AsyncMemoryStream:
        """The agent's episodes in this scope, in order of time."""

    async def summary(
        self, conversation: Name, *, max_tokens: MostTokens = 400, session: Name | None = None
    ) -> Summary:
        """Return the summary of a conversation: the most informative sentences, with dates, in the speakers' own words.

        The sentences are in order, and have at most *max_tokens* tokens by the estimate of `Summary.tokens`. A sentence
        that does not fit is left out. The summary combines the stored summary with sentences of later messages. If a
        summariser from another package made the stored summary, the later messages are left out. Each line names its
        source episode. Archived conversations are included, but expired conversations are not. The summary is empty if
        the conversation has only tool calls. *session* is the caller's session, for the audit log. Raises `NotFound`
        for an unknown conversation.
        """

    async def sweep(self) -> dict[str, int]:
        """Move due memories to another tier now; return the counts of memories that were checked and moved.

        A sweep covers this scope, and the other scopes of its slice (a sixteenth of the tenant). Workers sweep every
        hour, and at the start of a session. The method first writes the accesses that this process has counted.
        """

    async def timeline(
        self, anchor: Id, *, before: Around = 5, after: Around = 5, session: Name | None = None
    ) -> list[IndexEntry]:
        """Return an index of an episode with *before* earlier and *after* later episodes of its scope, in the order
        stored.

        *anchor* is the id, a prefix of the id, or the key of the episode. The id of a fact selects the latest source
        episode of the fact. Raises `NotFound`.
        """

    @property
    def tools(self) -> AsyncTools:
        """The agent's tool calls in this scope."""

    @property
    def tree(self) -> AsyncTree:
        """The tree of summaries of this scope.

        The root covers all sessions, a node covers similar sessions, a leaf covers one session.
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
    ) -> Undone:
        """Undo a run, a delta, a pack's version or all decisions *since* a time in this scope; see `Memory.undo`."""

    async def undos(self, limit: Limit = 20) -> list[Undone]:
        """Return the latest undos of this scope, newest first, each with its changes."""

    async def unpin(self, recollection: Recalled) -> None:
        """Unpin a memory. From now on, the memory fades and moves between tiers again."""

    async def unread(self, limit: Limit = 20, *, before: Id | None = None, session: Name | None = None) -> UnreadTurns:
        """Return the unread user turns in `reach`, newest first.

        A turn is unread if no pack or model could read the turn's language when the turn arrived. Slowwave learns no
        facts from unread turns, but `recall` finds these turns. The result's `.languages` has the number of all unread
        turns by language. `.sentence` has these numbers in words, and `.remedy` names the setting to change. If the
        extra `languages` is installed, languages are detected from whole sentences. To continue, pass the id or key of
        the last turn as *before*. Raises `NotFound` if the turn *before* does not exist.
        """

    async def versions(self, fact: Id, *, limit: Limit = 200, session: Name | None = None) -> list[Fact]:
        """Return every version of the belief behind *fact*, with valid time and recorded time, in the order of
        recording.

        For a single-valued predicate, the versions include the successive values. Returns at most *limit* versions.
        *session* is the caller's session, for the audit log. Raises `NotFound`.
        """

    async def why(self, fact: Id, *, session: Name | None = None) -> Explanation:
        """Return why a fact is or was believed, with the original words.

        *fact* is an id or a unique prefix of an id.

        *session* is the caller's session, for the audit log. Raises `NotFound`.
        """

    async def working(self, conversation: Name) -> AsyncWorkingMemory:
        """Return the working memory of one conversation. Raises `Unavailable` if no cache is configured."""

class AsyncMemory(AsyncFace):
    """The memories of an installation, for async callers. The class has every verb of `Memory`.

    The verbs never block an event loop, and any number of loops and tasks can share one memory. `push`, `recall`,
    `context`, `facts` and other verbs that only read use connections of the async driver. All other verbs use a limited
    number of threads. Make one memory per process, and `close` the memory at the end. A forked process must make its
    own memory.
    """

    async def archive_preview(self, days: InstallationDays = 30, *, tenant: Name | None = None) -> Preview:
        """Return the memories that jobs would archive, withdraw, drop or tombstone within *days*. Writes nothing.

        The preview assumes that until then no memory is added, recalled or placed under a legal hold. Raises
        `Incorrect` for negative *days* or more than a century.
        """

    async def archived(
        self, scope: AsyncMemoryScope | None = None, *, tenant: Name | None = None
    ) -> list[RetentionConversation]:
        """Return the archived conversations of one scope or of a tenant, most recently archived first."""

    @property
    def canaries(self) -> AsyncCanaries:
        """The canaries of the packs: new versions that read in a share of the scopes."""

    async def check(self, *, rebuild: bool = False) -> list[Finding]:
        """Return the violations of invariants in all tenants; a sound installation has none. Writes nothing.

        With *rebuild*, the method rebuilds the facts of every scope from the ledger, and checks every seal and every
        episode, instead of a daily selection of scopes.
        """

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
        """Decide a review: `accept` the claim, `reject` the claim, or `edit` its *object*; return the id of the delta.

        *by* is the person who decides; the delta records this name. If the claim could replace several facts,
        *replaces* selects one of these facts. Raises `NotFound` for a review that is not open, `Incorrect` for an
        invalid decision, `FactConflictError` if the fact to replace is no longer believed, and `Conflict` while a
        worker holds the scope.
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
        id as *after*. Within one scope, the pages miss no delta. Across scopes, a run that commits late may add deltas
        that belong before deltas already returned. `follow` waits for such runs. Raises `NotFound` if *after* is not
        the id of a delta.
        """

    async def digest(self, *, tenant: Name | None = None) -> str:
        """Return a hash over all present and past beliefs of the tenant, without ids, counters and recording times."""

    async def drain(self, timeout: Timeout = 60.0) -> list[Report]:
        """Do all due work in this process until no work is left; return a report per run.

        The method first stores the episodes of the outbox, and waits for work that other workers hold. Raises
        `Unavailable` after *timeout* seconds.
        """

    async def embedding_spaces(self, *, tenant: Name | None = None) -> list[EmbeddingSpace]:
        """Return the embedding spaces that scopes of a tenant use, and the spaces to which scopes are being moved."""

    @property
    def encryption(self) -> AsyncEncryption:
        """The data keys of tenants, which encrypt words at rest."""

    async def erasures(self, limit: Limit = 20, *, tenant: Name | None = None) -> list[Erasure]:
        """Return the receipts of a tenant's latest erasures, newest first."""

    async def export(
        self,
        file: Path | Description,
        *,
        user: Name | None = None,
        agent: Name | None = None,
        channel: Name | None = None,
        tenant: Name | None = None,
    ) -> MovedCounts:
        """Write all memories of a tenant, or of one user, agent or channel, to *file*; return the counts.

        The file has the format JSON Lines, and is a snapshot of one instant. The file appears when it is complete, and
        only its owner can read it. Raises `Unavailable` when Postgres is down.
        """

    def follow(
        self,
        *,
        after: Id | None = None,
        since: Instant | None = None,
        kind: Kind | None = None,
        tenant: Name | None = None,
    ) -> AsyncDeltaIterator:
        """Return an iterator over the deltas of a tenant as they are applied. It yields each delta once.

        By default, the iterator starts with the deltas applied from now on. With *since*, it starts with the deltas
        applied from *since* on. To continue, pass the id of the last received delta as *after*. The iterator misses no
        delta: if a run has applied a delta but has not committed it, later deltas wait for this run. The iterator
        survives outages of Postgres. Close the iterator at the end. Raises `NotFound` if *after* is not the id of a
        delta, and `Unavailable` if Postgres is down at the start.
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
        """Erase a *user*, a *session*, a *fact* or all memories that contain the words *matching*; return the receipt.

        The method deletes episodes and all data made from these episodes: facts, vectors, summaries, graph, patterns,
        model requests, dead letters, audit texts, working memory and waiting messages. With a *fact*, the method
        deletes the whole episodes that support the fact. With *session* or *matching*, *user* limits the erasure to
        this user's memories. The ledger keeps the ids and times of its deltas, and other facts can still be rebuilt
        from the ledger. Slowwave does not learn erased facts again, unless *learn_again* is set.

        A *preview* deletes nothing; it returns the memories that would be deleted, and a token. A second call with the
        token as *confirm* deletes exactly these memories. With *rewrite*, the call also locks and rewrites tables,
        statistics and log. Without *rewrite*, call `rewrite_erased` later. To finish an interrupted erasure, repeat the
        call. Raises `Incorrect` with every problem, `NotFound` if nothing matches, `Conflict` under a legal hold, and
        `Unavailable` after *timeout* seconds if a worker holds a scope.
        """

    async def hold(self, scope: AsyncMemoryScope | None, reason: Reason, *, tenant: Name | None = None) -> int:
        """Place a legal hold on *scope*, or on the whole tenant if *scope* is None; return the number of the hold.

        While the hold is in force, no job archives, expires, drops, tombstones or forgets a memory there. Raises
        `Incorrect` without a *reason*, and `NotFound` for a scope without memories.
        """

    async def holds(self, *, tenant: Name | None = None) -> list[Hold]:
        """Return every present and past legal hold; holds in force come first."""

    async def import_file(
        self, file: Path | Description, *, tenant: Name | None = None, dry_run: bool = False
    ) -> MovedCounts:
        """Import all memories that `export` wrote to *file*; return the counts, which include scopes imported before.

        Beliefs stay the same. Ids stay the same too, unless *tenant* differs from the tenant of the export. Each scope
        is imported completely or not at all, and only once, even if the import is repeated. A *dry_run* writes nothing.
        Raises `Incorrect` with every problem of the file, and `Conflict` if a scope already has other memories in this
        database.
        """

    async def keep_embedding(self, scope: AsyncMemoryScope | None = None, *, tenant: Name | None = None) -> int:
        """Cancel the moves of *scope*, or of a whole tenant, to another embedding space; return the number of cancelled
        moves.

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
        """Call *hear* with each new delta of a tenant, in the background; return the subscription.

        Close the subscription or the memory to end the calls. A separate thread calls *hear*. An `AsyncMemory` calls
        *hear* in a task, and *hear* may be a coroutine function. The order and the first delta are the same as in
        `follow`. If *hear* raises an error, *hear* is called again with the same delta after a pause.
        """

    async def operator(self, *, tenant: Name | None = None) -> AsyncOperator:
        """Return the operator's queries and actions for a tenant: people, runs, pending work and dead letters."""

    @property
    def outbox(self) -> Outbox | None:
        """The outbox, or None.

        The outbox stores episodes on this host while Postgres is down, and keeps refused episodes.
        """

    async def promote_to_global(self, fact: Id, reason: Reason, *, tenant: Name | None = None) -> uuid.UUID:
        """Promote a fact of any project channel to `_global`; return the id of the fact there.

        See `MemoryScope.promote`.
        """

    @property
    def quotas(self) -> AsyncQuotas:
        """The quotas of tenants and their users."""

    async def reembed(self, scope: AsyncMemoryScope | None = None, *, tenant: Name | None = None) -> int:
        """Start to move *scope*, or a whole tenant, to the space of this memory's embedder; return the number of
        scopes.

        Workers embed the memories of these scopes again. Recall searches a scope in its old space until the move is
        complete; then workers delete the old vectors. Beliefs do not change. A repeated call is safe, and adds missing
        vectors. `keep_embedding` cancels the move.
        """

    async def release(self, hold: Number, *, tenant: Name | None = None) -> bool:
        """Release a legal hold; return whether the hold was in force.

        The jobs of the next night remove memories that are due.
        """

    async def replay(
        self,
        pack: Name,
        *,
        by: Name | None = None,
        reason: Note = "",
        preview: bool = False,
        ask: bool = False,
        timeout: Timeout = 60.0,
        tenant: Name | None = None,
    ) -> Undone:
        """Replay an installed *pack* in every scope of a tenant in which the pack has read; see `MemoryScope.replay`.

        Returns the changes of all scopes. Each scope has its own transaction. The result's `skipped` names each scope
        that was not replayed, with the problem: replies of a model are missing, words were erased, or a worker held the
        scope for *timeout* seconds. The other scopes are replayed. To finish an interrupted replay, repeat the call:
        scopes that are already replayed do not change. To revert the replay in all scopes, pass the `id` of the result
        to `undo`.

        With *ask*, a model is first asked for the missing replies, as in `MemoryScope.replay`, scope by scope. A
        *preview* changes no belief. Raises `Incorrect` if the version is not installed, or if the pack has read no
        episode of the tenant.
        """

    async def review(
        self, *, limit: Limit | None = None, after: Number | None = None, tenant: Name | None = None
    ) -> list[Review]:
        """Return the open reviews of a tenant, oldest first. A review is a claim that needs a person's decision.

        Returns at most *limit*. To continue, pass the number of the last review as *after*.
        """

    async def rewrite_erased(self, *, tenant: Name | None = None) -> int:
        """Rewrite tables, indexes, statistics and log without erased content; return the number of finished erasures.

        The method needs the embedded server or SLOWWAVE_OWNER_URL. Without both, the method returns 0. Raises
        `Conflict` while a table is in use.
        """

    def scope(
        self, user: Name, *, agent: Name | None = None, channel: Name | None = None, tenant: Name | None = None
    ) -> AsyncMemoryScope:
        """Return the memory that *agent* has of *user* in *channel*.

        Without an agent, `recall`, `facts` and `strategies` read the memories of all the user's agents. These verbs
        search every channel or, if *channel* is given, *channel* and `_global`. All other verbs, and all writes, use
        the agent `default`. Without a channel, writes go to `_global`.
        """

    async def stats(self, *, tenant: Name | None = None, hours: ArgumentsHours = 24) -> Stats:
        """Return statistics: sizes, latency and hits of recall, the lag of pending work, and the tiers.

        The statistics cover the events of all processes in the last *hours*. The method writes this process's own
        counts first.
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
        """Undo *what*; return the changes. Beliefs are computed again as if the undone decisions had never been made.

        *what* is the number of a run, the id of a delta, PACK@VERSION for all runs of that version, or the id or run of
        an earlier undo. *since* is the time of the first decision to undo. Without *what*, decisions of all runs are
        undone; with PACK@VERSION, only decisions of that version. New deltas end the facts that *what* made, and
        restore the facts that *what* replaced or ended. Stored deltas do not change. Slowwave decides later claims
        again, and the result names the runs that built on *what*. No episode is read again. `why` shows *by* and
        *reason*.

        A *preview* writes nothing. To finish an interrupted undo, repeat the call. A repeat of a finished undo changes
        nothing. Raises `NotFound` if *what* does not exist. Raises `Incorrect` with every problem, or if there is
        nothing to undo. Raises `Unavailable` after *timeout* seconds if a worker holds a scope.
        """

    async def undos(self, limit: Limit = 20, *, tenant: Name | None = None) -> list[Undone]:
        """Return the latest undos of a tenant, newest first, each with its changes."""

    async def verify_erasure(
        self, receipt: Annotated[Erasure | dict[str, Any], SkipValidation], *, tenant: Name | None = None
    ) -> bool:
        """Return whether a *receipt* was signed with the tenant's key and is unchanged.

        *receipt* may also be a JSON object.
        """

    async def verify_export(self, file: Path | Description, *, signed: bool = False) -> tuple[MovedCounts, str]:
        """Return the counts and the SHA-256 of an export that is complete and consistent.

        If this installation signed *file*, the method also checks the signature, which shows every later change. If
        *signed* is true, a file without a signature of this installation is refused. Raises `Incorrect` with every
        problem, and `Unavailable` when Postgres is down and *file* has a signature.
        """

    async def why(self, fact: Id, *, tenant: Name | None = None, session: Name | None = None) -> Explanation:
        """Return why a fact is or was believed, with the original words.

        *fact* is an id or a unique prefix of an id.

        *session* is the caller's session, for the audit log. Raises `NotFound`. Raises `Incorrect` for an ambiguous
        prefix, with the facts that match the prefix.
        """

    @classmethod
    def connect(
        cls, url: str | None = None, *, key: str | None = None, **settings: Unpack[Options]
    ) -> PendingConnection[Self]:
        """Return a memory that connects like `Memory.connect`.

        Use `await`, or `async with`, which closes the memory at the end.

        Raises what `Memory.connect` raises, and `Incorrect` if the extra `async` is not installed.
        """

    async def close(self) -> None:
        """Close the memory: refuse waiting calls, roll back open transactions, and send pending notifications.

        Also stops embedded services that this process started.
        """

    async def __aenter__(self) -> Self: ...
    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
