"""Reading of a scope: questions answered, and what is remembered told again."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Self

from pydantic import Field

from slowwave.domain.arguments import Id, Instance, Instant, Limit, Name, Names, Question, Share, checked, checked_type
from slowwave.domain.claim import Form
from slowwave.domain.episode import EpisodeKind, Role
from slowwave.domain.fact import Fact
from slowwave.domain.limits import MOST_RESULTS
from slowwave.domain.reading.episode import EpisodeFilters, RememberedEpisode
from slowwave.domain.reading.filters import Filters
from slowwave.domain.reading.index import Index, IndexEntry
from slowwave.domain.reading.unread import UnreadTurns
from slowwave.domain.recollection import Recollections, Remembered
from slowwave.domain.retention import Conversation
from slowwave.domain.scope import Scope
from slowwave.memory import answers
from slowwave.memory.face import Face
from slowwave.memory.reach import Reads, reach_of
from slowwave.memory.reading import paging
from slowwave.memory.reading.handing import handed_out
from slowwave.memory.reading.index import external, indexed
from slowwave.memory.reading.naming import Named, episode_named, fact_id, memories_named
from slowwave.memory.reading.unread import unread
from slowwave.store.beliefs.facts import facts as stored_facts

OneConversation = Instance[Conversation]
Around = Annotated[int, Field(ge=0, le=MOST_RESULTS)]
Ids = Annotated[Sequence[Id], Field(min_length=1, max_length=MOST_RESULTS)]


@checked_type
@dataclass(frozen=True, slots=True, repr=False)
class Reading(Face):
    """A face on which what is remembered is read: in `reach`, which *reads* decides."""

    reads: Reads = "agent"
    counted: bool = True

    @checked
    def quietly(self) -> Self:
        """Return the same memory for who only looks: what `recall` and what is read here tell counts as no access."""
        return replace(self, counted=False)

    @property
    def reach(self) -> list[Scope]:
        """The scopes in which it is looked, first the one that is written to."""
        return reach_of(self._parts, self.scope, self.reads)

    @checked
    def recall(
        self, question: Question, *, limit: Limit = 10, as_of: Instant | None = None, archived: bool = False,
        kinds: Sequence[Remembered] | None = None, roles: Sequence[Role] | None = None, sessions: Names | None = None,
        exclude_sessions: Names | None = None, since: Instant | None = None, until: Instant | None = None,
        channels: Names | None = None, agents: Names | None = None, session: Name | None = None,
        min_score: Share = 0.0, explain: bool = False,
    ) -> Recollections:  # fmt: skip
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
        filters = Filters(kinds, roles, sessions, exclude_sessions, since, until, archived=archived)
        reach = reach_of(self._parts, self.scope, self.reads, channels=channels, agents=agents)
        return answers.answer(
            self._parts, reach, question, limit=limit, at=as_of, filters=filters, session=session,
            accessed=self.counted, min_score=min_score, explain=explain,
        )  # fmt: skip

    @checked
    def facts(
        self, *, as_of: Instant | None = None, known_at: Instant | None = None, form: Form | None = None,
        limit: Limit | None = None, after: Id | None = None, session: Name | None = None,
    ) -> Sequence[Fact]:  # fmt: skip
        """Return the facts believed in `reach`, as of any time in the world and as known at any time.

        By subject, predicate and object; what several agents or channels believe is told once for each. *form* asks
        for `typed` facts or for statements alone. Of many take *limit* at once, and go on with *after*, the id of the
        last one. *session* is the one in which you ask: it stands in the audit. Raises `NotFound` for an
        *after* that is not among them.
        """
        reach = self.reach
        last = None if after is None else fact_id(self._parts, after, self.scope.tenant)

        def read(connection: Any) -> Sequence[Fact]:
            scopes = [one.id for one in reach]
            return stored_facts(
                connection, scopes, as_of=as_of, known_at=known_at, form=form, after=last, most=limit
            )  # fmt: skip

        return handed_out(self._parts, reach, read, verb="facts", session=session, accessed=self.counted)

    @checked
    def search_index(
        self, question: Question, *, limit: Limit = 20, archived: bool = False,
        kinds: Sequence[Remembered] | None = None, exclude_sessions: Names | None = None, since: Instant | None = None,
        until: Instant | None = None, include_external: bool = False, session: Name | None = None,
        explain: bool = False,
    ) -> Index:  # fmt: skip
        """Return what `recall` would, best first, as an index: an id, the first 80 characters, tokens and tier of each.

        Read what surrounds an entry with `timeline`, and what you choose with `entries`. What is only shown here does
        not count as accessed. *include_external* asks the other memories of the setting `sources`, too, all at once and
        for `source_seconds` at most: theirs stand behind ours, each with its `source`; `.failed` of the answer names
        those that did not answer. *explain* has `.explained` say how a question came to ours, as that of `recall`.
        """
        filters = Filters(kinds, None, None, exclude_sessions, since, until, archived=archived)
        found = answers.answer(
            self._parts,
            self.reach,
            question,
            limit=limit,
            at=None,
            filters=filters,
            session=session,
            accessed=False,
            explain=explain,
        )
        own = indexed(self._parts, self.scope.tenant, found)
        theirs, failed = external(self._parts, self.scope, question, limit) if include_external else ([], {})
        return Index([*own, *theirs], failed=failed, explained=found.explained)

    @checked
    def timeline(
        self, anchor: Id, *, before: Around = 5, after: Around = 5, session: Name | None = None
    ) -> list[IndexEntry]:
        """Return what was told *before* and *after* an episode, with it in between, as an index in the order told.

        *anchor* is the id of an episode, the beginning of it, or its key; that of a fact means the episode it was last
        drawn from. Raises `NotFound`.
        """
        reach = self.reach
        anchored = paging.anchor(self._parts, reach, anchor)
        everything = EpisodeFilters(archived=True)
        found = handed_out(
            self._parts, reach, lambda connection: paging.around(connection, anchored, everything, before, after),
            verb="timeline", session=session, accessed=False,
        )  # fmt: skip
        return indexed(self._parts, self.scope.tenant, found)

    @checked
    def entries(self, ids: Ids, *, session: Name | None = None) -> list[Named]:
        """Return the episodes and facts with these *ids*, in that order, each in full.

        An id may be cut to a beginning that is no other's; an episode may be named by its key. Of a fact you get what
        is believed of it now. Raises `NotFound` naming those under which nothing is remembered.
        """
        reach = self.reach
        found = memories_named(self._parts, reach, ids)
        return handed_out(self._parts, reach, lambda _: found, verb="entries", session=session, accessed=self.counted)

    @checked
    def recent(
        self, limit: Limit = 20, *, before: Id | None = None, after: Id | None = None,
        kinds: Sequence[EpisodeKind] | None = None, roles: Sequence[Role] | None = None, sessions: Names | None = None,
        since: Instant | None = None, until: Instant | None = None, archived: bool = False,
        session: Name | None = None,
    ) -> list[RememberedEpisode]:  # fmt: skip
        """Return the *limit* episodes that were told last, the newest first, from all of `reach`.

        Go on with *before*, the id or key of the last one; *after* gives those told next after one, the newest of them
        first as well. From *since* up to *until*, itself left out, they happened. Conversations that are put away are
        left out unless *archived*. Raises `NotFound` for an episode to go on from that is not there.
        """
        filters = EpisodeFilters(kinds, roles, sessions, since, until, archived=archived)
        page = paging.page(self._parts, self.reach, filters, limit, before=before, after=after, newest_first=True)
        return handed_out(self._parts, self.reach, page, verb="recent", session=session, accessed=self.counted)

    @checked
    def unread(self, limit: Limit = 20, *, before: Id | None = None, session: Name | None = None) -> UnreadTurns:
        """Return the turns of users in `reach` in languages that nothing read when they came, the newest first.

        No fact comes from them, and `recall` finds them. `.languages` of the answer counts all of them by language,
        `.sentence` says so in words, and `.remedy` says what to set. What a model has read is not among them. Languages
        are told apart where the extra `languages` is installed, of whole sentences. Go on with *before*, the id or key
        of the last one. Raises `NotFound` for an episode to go on from that is not there.
        """
        return unread(self._parts, self.reach, limit, before=before, session=session)

    @checked
    def conversations(
        self, limit: Limit = 100, *, archived: bool | None = None, after: OneConversation | Name | None = None,
        session: Name | None = None,
    ) -> list[Conversation]:  # fmt: skip
        """Return the conversations in `reach`, those spoken in last first: since when, until when, how many episodes.

        *archived* asks for those that are put away, or with False for those that are not. Go on with *after*, the last
        one or its session. Raises `NotFound` for a session nothing was said in, and `Incorrect` for one of several
        agents or channels.
        """
        return paging.conversations(self._parts, self.reach, limit, archived=archived, after=after, session=session)

    @checked
    def conversation(
        self, conversation: Name, *, limit: Limit = 100, before: Id | None = None, after: Id | None = None,
        around: Id | None = None, kinds: Sequence[EpisodeKind] | None = None, session: Name | None = None,
    ) -> list[RememberedEpisode]:  # fmt: skip
        """Return what was said in a conversation, in order: its first *limit* episodes, or those next to one.

        Go on with *after*, the id or key of the last one, or back with *before*, that of the first. *around* gives the
        episode and what was said on both sides of it; widen it with a higher *limit*. What is put away is told as
        well. Raises `NotFound` for a conversation in which nothing was said, or of which all has expired.
        """
        return paging.conversation(
            self._parts, self.reach, conversation, limit, before=before, after=after, middle=around, kinds=kinds,
            session=session, accessed=self.counted,
        )  # fmt: skip

    @checked
    def episode(self, episode: Id, *, session: Name | None = None) -> RememberedEpisode:
        """Return one episode word for word, by its id, a beginning of it that is no other's, or its key.

        Raises `NotFound`, also for what has expired.
        """
        reach = self.reach
        found = episode_named(self._parts, reach, episode)
        told = handed_out(
            self._parts, reach, lambda _: [found], verb="episode", session=session, accessed=self.counted
        )  # fmt: skip
        return told[0]
