"""The verbs that read a scope: recall, and listings of stored memories."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Self

from pydantic import Field

from slowwave.domain.arguments import Id, Instance, Instant, Limit, Name, Names, Question, Share, checked, checked_type
from slowwave.domain.claim import Form
from slowwave.domain.episode import EpisodeKind, Role
from slowwave.domain.fact import Fact
from slowwave.domain.limits import MOST_RESULTS
from slowwave.domain.queries.episode import EpisodeFilters, RememberedEpisode
from slowwave.domain.queries.filters import Filters
from slowwave.domain.queries.index import Index, IndexEntry
from slowwave.domain.queries.unread import UnreadTurns
from slowwave.domain.recollection import Recollections, Remembered
from slowwave.domain.retention import Conversation
from slowwave.domain.scope import Scope
from slowwave.memory import counted_recall
from slowwave.memory.queries import pages
from slowwave.memory.queries.access_tracking import counted_read
from slowwave.memory.queries.lookup import NamedMemories, episode_named, fact_id, memories_named
from slowwave.memory.queries.pages import external, indexed
from slowwave.memory.queries.unread import unread
from slowwave.memory.verb_group import VerbGroup
from slowwave.retrieval.reach import Reads, reach_of
from slowwave.store.beliefs.facts import facts as stored_facts

OneConversation = Instance[Conversation]
Around = Annotated[int, Field(ge=0, le=MOST_RESULTS)]
Ids = Annotated[Sequence[Id], Field(min_length=1, max_length=MOST_RESULTS)]


@checked_type
@dataclass(frozen=True, slots=True, repr=False)
class QueryVerbs(VerbGroup):
    """The verbs that read memories from the scopes in `reach`. *reads* selects these scopes."""

    reads: Reads = "agent"
    counted: bool = True

    @checked
    def quietly(self) -> Self:
        """Return the same memory for monitoring. Reads of the result are not counted as accesses."""
        return replace(self, counted=False)

    @property
    def reach(self) -> list[Scope]:
        """The scopes that reads search. The scope for writes comes first."""
        return reach_of(self._parts.records, self.scope, self.reads)

    @checked
    def recall(
        self, question: Question, *, limit: Limit = 10, as_of: Instant | None = None, archived: bool = False,
        kinds: Sequence[Remembered] | None = None, roles: Sequence[Role] | None = None, sessions: Names | None = None,
        exclude_sessions: Names | None = None, since: Instant | None = None, until: Instant | None = None,
        channels: Names | None = None, agents: Names | None = None, session: Name | None = None,
        min_score: Share = 0.0, explain: bool = False,
    ) -> Recollections:  # fmt: skip
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
        filters = Filters(kinds, roles, sessions, exclude_sessions, since, until, archived=archived)
        reach = reach_of(self._parts.records, self.scope, self.reads, channels=channels, agents=agents)
        return counted_recall.counted_recall(
            self._parts, reach, question, limit=limit, at=as_of, filters=filters, session=session,
            accessed=self.counted, min_score=min_score, explain=explain,
        )  # fmt: skip

    @checked
    def facts(
        self, *, as_of: Instant | None = None, known_at: Instant | None = None, form: Form | None = None,
        limit: Limit | None = None, after: Id | None = None, session: Name | None = None,
    ) -> Sequence[Fact]:  # fmt: skip
        """Return the facts believed in `reach` that are true now, or at the time *as_of*.

        With *known_at*, the result has the facts that were believed at that time. Facts are sorted by subject,
        predicate and object. A fact that several agents or channels believe appears once per agent and channel. *form*
        selects `typed` facts or statements. Returns at most *limit* facts. To continue, pass the id of the last fact as
        *after*. *session* is the caller's session, for the audit log. Raises `NotFound` if *after* is not among the
        facts.
        """
        reach = self.reach
        last = None if after is None else fact_id(self._parts, after, self.scope.tenant)

        def read(connection: Any) -> Sequence[Fact]:
            scopes = [one.id for one in reach]
            return stored_facts(
                connection, scopes, as_of=as_of, known_at=known_at, form=form, after=last, most=limit
            )  # fmt: skip

        return counted_read(self._parts, reach, read, verb="facts", session=session, accessed=self.counted)

    @checked
    def search_index(
        self, question: Question, *, limit: Limit = 20, archived: bool = False,
        kinds: Sequence[Remembered] | None = None, exclude_sessions: Names | None = None, since: Instant | None = None,
        until: Instant | None = None, include_external: bool = False, session: Name | None = None,
        explain: bool = False,
    ) -> Index:  # fmt: skip
        """Return an index of the memories that `recall` finds, best first, each with its id, first 80 characters,
        number of tokens, and tier.

        `timeline` reads the surroundings of an entry, and `entries` reads chosen memories in full. Entries of the index
        are not counted as accessed. *include_external* also searches the external memories of the setting `sources`,
        concurrently and for at most `source_seconds`. The external entries follow Slowwave's entries, each with its
        `source`. `.failed` names the external memories that did not answer. *explain* fills `.explained` as in
        `recall`, without external entries.
        """
        filters = Filters(kinds, None, None, exclude_sessions, since, until, archived=archived)
        found = counted_recall.counted_recall(
            self._parts, self.reach, question, limit=limit, at=None, filters=filters, session=session, accessed=False,
            explain=explain,
        )  # fmt: skip
        own = indexed(self._parts, self.scope.tenant, found)
        theirs, failed = external(self._parts, self.scope, question, limit) if include_external else ([], {})
        return Index([*own, *theirs], failed=failed, explained=found.explained)

    @checked
    def timeline(
        self, anchor: Id, *, before: Around = 5, after: Around = 5, session: Name | None = None
    ) -> list[IndexEntry]:
        """Return an index of an episode with *before* earlier and *after* later episodes of its scope, in the order
        stored.

        *anchor* is the id, a prefix of the id, or the key of the episode. The id of a fact selects the latest source
        episode of the fact. Raises `NotFound`.
        """
        reach = self.reach
        anchored = pages.anchor(self._parts, reach, anchor)
        everything = EpisodeFilters(archived=True)
        found = counted_read(
            self._parts, reach, lambda connection: pages.around(connection, anchored, everything, before, after),
            verb="timeline", session=session, accessed=False,
        )  # fmt: skip
        return indexed(self._parts, self.scope.tenant, found)

    @checked
    def entries(self, ids: Ids, *, session: Name | None = None) -> list[NamedMemories]:
        """Return the episodes and facts with these *ids* in full, in the order of *ids*.

        An id may be shortened to a unique prefix. The key of an episode is also accepted. Facts are returned as they
        are currently believed. Raises `NotFound` with the ids that match no memory.
        """
        reach = self.reach
        found = memories_named(self._parts, reach, ids)
        return counted_read(self._parts, reach, lambda _: found, verb="entries", session=session, accessed=self.counted)

    @checked
    def recent(
        self, limit: Limit = 20, *, before: Id | None = None, after: Id | None = None,
        kinds: Sequence[EpisodeKind] | None = None, roles: Sequence[Role] | None = None, sessions: Names | None = None,
        since: Instant | None = None, until: Instant | None = None, archived: bool = False,
        session: Name | None = None,
    ) -> list[RememberedEpisode]:  # fmt: skip
        """Return the *limit* latest episodes, newest first, from all of `reach`.

        To continue, pass the id or key of the last episode as *before*. With *after*, the method returns the episodes
        directly after the episode with this id or key, also newest first. *since* and *until* select episodes that
        happened from *since* on and before *until*. Archived conversations are left out unless *archived* is True.
        Raises `NotFound` if the episode in *before* or *after* does not exist.
        """
        filters = EpisodeFilters(kinds, roles, sessions, since, until, archived=archived)
        page = pages.page(self._parts, self.reach, filters, limit, before=before, after=after, newest_first=True)
        return counted_read(self._parts, self.reach, page, verb="recent", session=session, accessed=self.counted)

    @checked
    def unread(self, limit: Limit = 20, *, before: Id | None = None, session: Name | None = None) -> UnreadTurns:
        """Return the unread user turns in `reach`, newest first.

        A turn is unread if no pack or model could read the turn's language when the turn arrived. Slowwave learns no
        facts from unread turns, but `recall` finds these turns. The result's `.languages` has the number of all unread
        turns by language. `.sentence` has these numbers in words, and `.remedy` names the setting to change. If the
        extra `languages` is installed, languages are detected from whole sentences. To continue, pass the id or key of
        the last turn as *before*. Raises `NotFound` if the turn *before* does not exist.
        """
        return unread(self._parts, self.reach, limit, before=before, session=session)

    @checked
    def conversations(
        self, limit: Limit = 100, *, archived: bool | None = None, after: OneConversation | Name | None = None,
        session: Name | None = None,
    ) -> list[Conversation]:  # fmt: skip
        """Return the conversations in `reach`, most recently active first, with start, end and number of episodes.

        If *archived* is True, the result has only archived conversations; if False, only other conversations. To
        continue, pass the last conversation or its session as *after*. Raises `NotFound` for an unknown session, and
        `Incorrect` for a session of several agents or channels.
        """
        return pages.conversations(self._parts, self.reach, limit, archived=archived, after=after, session=session)

    @checked
    def conversation(
        self, conversation: Name, *, limit: Limit = 100, before: Id | None = None, after: Id | None = None,
        around: Id | None = None, kinds: Sequence[EpisodeKind] | None = None, session: Name | None = None,
    ) -> list[RememberedEpisode]:  # fmt: skip
        """Return at most *limit* episodes of a conversation, in order; by default the first episodes.

        To continue, pass the id or key of the last episode as *after*. To go backwards, pass the id or key of the first
        episode as *before*. With *around*, the result is this episode with its neighbours on both sides, *limit*
        episodes in total. Archived conversations are included. Raises `NotFound` for a conversation that is unknown or
        entirely expired.
        """
        return pages.conversation(
            self._parts, self.reach, conversation, limit, before=before, after=after, middle=around, kinds=kinds,
            session=session, accessed=self.counted,
        )  # fmt: skip

    @checked
    def episode(self, episode: Id, *, session: Name | None = None) -> RememberedEpisode:
        """Return one episode in full, by its id, a unique prefix of the id, or its key.

        Raises `NotFound`, also for expired episodes.
        """
        reach = self.reach
        found = episode_named(self._parts, reach, episode)
        episodes = counted_read(
            self._parts, reach, lambda _: [found], verb="episode", session=session, accessed=self.counted
        )  # fmt: skip
        return episodes[0]
