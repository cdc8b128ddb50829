"""Summaries: the summary of one session within a token limit, and the tree of summaries over all sessions."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field

from slowwave.core.summaries.extractive_summary import Line, by_model, fitting, quoted, subject
from slowwave.core.tokens import tokens
from slowwave.domain.arguments import Id, Limit, Name, Question, checked, checked_type
from slowwave.domain.episode import StoredEpisode
from slowwave.domain.queries.summary import EXTRACT, QUOTING, SUMMARY_TOKENS, Summary
from slowwave.domain.queries.tree import TreeNode
from slowwave.domain.retention import Conversation
from slowwave.domain.scope import Scope
from slowwave.errors import NotFound
from slowwave.jobs.summaries.grow import tree
from slowwave.memory.queries import QueryVerbs
from slowwave.memory.verb_group import VerbGroup
from slowwave.ports.recall import embed_questions
from slowwave.retrieval.reach import Reads, reach_of
from slowwave.runtime import clock
from slowwave.store.audit.reads_and_deltas import log_lookup
from slowwave.store.queries.conversation_turns import conversations
from slowwave.store.queries.episodes import by_ids
from slowwave.store.recall.timeline import latest_messages
from slowwave.store.summaries import tree as tree_nodes
from slowwave.store.summaries.model_summaries import (
    ModelSummary,
    SessionSummary,
    latest_summaries,
    summaries_by_subject,
    summarised_until,
)
from slowwave.store.summaries.tree import StoredNode, leaves, rewrite
from slowwave.store.transaction import space_number
from slowwave.store.work_queue import leases
from slowwave.wiring import Parts

PAGE = 500
"""The number of messages per page."""
MostTokens = Annotated[int, Field(ge=1, le=2**31 - 1)]
Read = Callable[[Any], Sequence[StoredNode]]


def summary(parts: Parts, scopes: Sequence[Scope], name: str, *, max_tokens: int, session: str | None) -> Summary:
    """Return the summary of a session of *scopes*; see `Summaries.summary`."""
    began = clock.monotonic()
    with parts.database.tenant(scopes[0].tenant) as connection:
        known = {one.scope: one for one in conversations(connection, scopes, sessions=[name], most=len(scopes))}
        first = next((known[scope] for scope in scopes if scope in known), None)
        if first is None:
            raise NotFound(f"there is no conversation {name!r} here", hint="`slowwave conversations` lists them")
        found = _summary(connection, first, max_tokens)
        quoted = dict.fromkeys(source.episode for source in found.sources)
        log_lookup(
            connection, list(quoted), memory_type="episodic", scope=found.scope, verb="summary", session=session,
            latency_ms=(clock.monotonic() - began) * 1000,
        )  # fmt: skip
    return found


def _summary(connection: Any, conversation: Conversation, max_tokens: int) -> Summary:
    scope, session = conversation.scope, conversation.session
    before = latest_summaries(connection, scope.id, [session]).get(session)
    summed_up, head = summarised_until(connection, scope.id)

    model_summary = summaries_by_subject(connection, scope.id, [subject(session)]).get(subject(session))
    by, covered, at = _by(before, model_summary), head, conversation.last_at
    if model_summary is not None:
        quotes = _quoted([], _messages_since(connection, scope, session, after=model_summary.covered))
        lines = [*model_summary.lines, *quotes]
    elif before is None or by == EXTRACT:
        lines = _quoted(before.lines if before else [], _messages_since(connection, scope, session, after=summed_up))
    else:
        lines, covered, at = list(before.lines), summed_up, before.since

    episodes = by_ids(connection, [scope], {source.episode for line in lines for source in line.sources})
    chosen = fitting(lines, {one.id: one.occurred for one in episodes}, most=max_tokens)
    text = "\n".join(line.text for line in chosen)
    return Summary(session, scope, text, tokens(text), tuple(chosen), covered, at, before.fact if before else None, by)


def _quoted(lines: Sequence[Line], pages: Iterable[Sequence[StoredEpisode]]) -> list[Line]:
    for page in pages:
        lines = quoted(lines, page)
    return list(lines)


def _messages_since(connection: Any, scope: Scope, session: str, *, after: int) -> Iterator[list[StoredEpisode]]:
    """Yield the messages of a session after a position, page by page, the last page first."""
    before: int | None = None
    while page := latest_messages(connection, scope.id, session, after=after, before=before, most=PAGE):
        yield page
        before = page[0].position


def _by(before: SessionSummary | None, model_summary: ModelSummary | None) -> str:
    """Return the name of the method or model that made a summary; see `Summary.by`."""
    if model_summary is not None and model_summary.model is not None:
        return by_model(model_summary.model)
    name = before.rule.partition("/")[2] if before else QUOTING
    return EXTRACT if name == QUOTING else name


@checked_type
@dataclass(frozen=True, slots=True, repr=False)
class Tree(VerbGroup):
    """The tree of a scope's session summaries. Similar summaries share a parent node, up to one root.

    Workers update the tree when summaries change. Each node has the most informative sentences of all nodes below it,
    in the speakers' own words. `search` and `nodes` search the same scopes as `recall`.
    """

    reads: Reads = "agent"

    @checked
    def search(
        self, question: Question, limit: Limit = 5, *, max_tokens: MostTokens = SUMMARY_TOKENS,
        session: Name | None = None,
    ) -> list[TreeNode]:  # fmt: skip
        """Return the *limit* nodes of any level closest in meaning to *question*, nearest first, each within
        *max_tokens*.

        A narrow question finds the session in which the topic was mentioned. A broad question finds nodes nearer to the
        root. *session* is the caller's session, for the audit log.
        """
        embedder = self._parts.embedder_for(self.scope)
        vector = embed_questions(embedder, [question])[0]
        if not vector.any():
            return []
        scopes = reach_of(self._parts.records, self.scope, self.reads)
        return self._read_nodes(
            lambda connection: tree_nodes.search(connection, scopes, vector, embedder, most=limit),
            max_tokens, verb="tree.search", session=session,
        )  # fmt: skip

    @checked
    def nodes(
        self, limit: Limit = 100, *, under: Id | None = None, max_tokens: MostTokens = SUMMARY_TOKENS,
        session: Name | None = None,
    ) -> list[TreeNode]:  # fmt: skip
        """Return the first *limit* nodes, root first, or the children of the node with the id or id prefix *under*.

        Before a worker has made a summary, the list is empty. After a summary was removed, the root may be missing for
        a while.
        """
        scopes = reach_of(self._parts.records, self.scope, self.reads)
        below = None if under is None else str(under).lower()
        return self._read_nodes(
            lambda connection: tree_nodes.nodes(connection, scopes, under=below, most=limit),
            max_tokens, verb="tree.nodes", session=session,
        )  # fmt: skip

    @checked
    def grow(self) -> int:
        """Rebuild the tree of this scope from its summaries now; return the number of nodes.

        Raises `Conflict` while a worker holds the scope, and `NotFound` if the scope has no memories.
        """
        embedder, scope = self._parts.embedder_for(self.scope), self.scope
        with self._parts.database.tenant(scope.tenant) as connection:
            found = leaves(connection, scope.id, space_number(connection, embedder.space, embedder.dimensions))
        grown = tree(scope.id, found, (), embedder)
        with self._parts.database.tenant(scope.tenant) as connection:
            leases.take_by_hand(connection, scope)
            rewrite(connection, scope.id, grown)
        return len(grown.nodes)

    def _read_nodes(self, read: Read, most: int, *, verb: str, session: str | None) -> list[TreeNode]:
        began = clock.monotonic()

        def audited(connection: Any) -> list[TreeNode]:
            found = read(connection)
            scopes = list({node.scope.id: node.scope for node in found}.values())
            episodes = by_ids(
                connection, scopes, {source.episode for node in found for line in node.lines for source in line.sources}
            )
            occurred = {one.id: one.occurred for one in episodes}
            nodes = [_node(node, fitting(node.lines, occurred, most=most)) for node in found]
            quoted = dict.fromkeys(source.episode for node in nodes for source in node.sources)
            log_lookup(
                connection, list(quoted), memory_type="episodic", scope=self.scope, verb=verb, session=session,
                latency_ms=(clock.monotonic() - began) * 1000,
            )  # fmt: skip
            return nodes

        return self._parts.database.read(self.scope.tenant, audited)


def _node(one: StoredNode, lines: Sequence[Any]) -> TreeNode:
    text = "\n".join(line.text for line in lines)
    return TreeNode(
        one.id, one.scope, one.level, one.parent, one.session, text, tokens(text), tuple(lines), one.score, one.by
    )  # fmt: skip


@checked_type
@dataclass(frozen=True, slots=True, repr=False)
class Summaries(QueryVerbs):
    """The verbs that read summaries, in addition to the verbs that read episodes."""

    @checked
    def summary(
        self, conversation: Name, *, max_tokens: MostTokens = SUMMARY_TOKENS, session: Name | None = None
    ) -> Summary:
        """Return the summary of a conversation: the most informative sentences, with dates, in the speakers' own words.

        The sentences are in order, and have at most *max_tokens* tokens by the estimate of `Summary.tokens`. A sentence
        that does not fit is left out. The summary combines the stored summary with sentences of later messages. If a
        summariser from another package made the stored summary, the later messages are left out. Each line names its
        source episode. Archived conversations are included, but expired conversations are not. The summary is empty if
        the conversation has only tool calls. *session* is the caller's session, for the audit log. Raises `NotFound`
        for an unknown conversation.
        """
        return summary(self._parts, self.reach, conversation, max_tokens=max_tokens, session=session)

    @property
    def tree(self) -> Tree:
        """The tree of summaries of this scope.

        The root covers all sessions, a node covers similar sessions, a leaf covers one session.
        """
        return Tree(self._parts, self.scope, self.reads)
