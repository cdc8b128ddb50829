"""`scope.tree`: the tree of session summaries, up to one root."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field

from slowwave.core.summaries.lines import fitting
from slowwave.core.tokens import tokens
from slowwave.domain.arguments import Id, Limit, Name, Question, checked, checked_type
from slowwave.domain.queries.summary import SUMMARY_TOKENS
from slowwave.domain.queries.tree import TreeNode
from slowwave.jobs.summaries.grow import tree
from slowwave.memory.reach import Reads, reach_of
from slowwave.memory.verb_group import VerbGroup
from slowwave.ports.question_embedding import embed_questions
from slowwave.runtime import clock
from slowwave.store.audit.reads import log_lookup
from slowwave.store.embedding_spaces import space_number
from slowwave.store.queries.episodes import by_ids
from slowwave.store.summaries import tree_nodes
from slowwave.store.summaries.tree import leaves, rewrite
from slowwave.store.summaries.tree_nodes import StoredNode
from slowwave.store.work_queue import leases

MostTokens = Annotated[int, Field(ge=1, le=2**31 - 1)]
Read = Callable[[Any], Sequence[StoredNode]]


@checked_type
@dataclass(frozen=True, slots=True, repr=False)
class Tree(VerbGroup):
    """The tree of a scope's session summaries: similar ones share a parent node, up to one root.

    Workers update the tree when summaries change. Each node has the most informative sentences of all nodes below it,
    in the speakers' own words. `search` and `nodes` search the same scopes as `recall`.
    """

    reads: Reads = "agent"

    @checked
    def search(
        self, question: Question, limit: Limit = 5, *, max_tokens: MostTokens = SUMMARY_TOKENS,
        session: Name | None = None,
    ) -> list[TreeNode]:  # fmt: skip
        """Return the *limit* nodes of any level closest in meaning, nearest first, each within *max_tokens*.

        A narrow question finds the session where its topic came up; a broad question finds nodes nearer to the root.
        *session* is the caller's session, for the audit log.
        """
        embedder = self._parts.embedder_for(self.scope)
        vector = embed_questions(embedder, [question])[0]
        if not vector.any():
            return []
        scopes = reach_of(self._parts, self.scope, self.reads)
        return self._told(
            lambda connection: tree_nodes.search(connection, scopes, vector, embedder, most=limit),
            max_tokens, verb="tree.search", session=session,
        )  # fmt: skip

    @checked
    def nodes(
        self, limit: Limit = 100, *, under: Id | None = None, max_tokens: MostTokens = SUMMARY_TOKENS,
        session: Name | None = None,
    ) -> list[TreeNode]:  # fmt: skip
        """Return the first *limit* nodes, root first; or the children of the node *under*, given by id or prefix.

        There are no nodes before a worker has made a summary, and for a while no root after a summary was removed.
        """
        scopes, below = reach_of(self._parts, self.scope, self.reads), None if under is None else str(under).lower()
        return self._told(
            lambda connection: tree_nodes.nodes(connection, scopes, under=below, most=limit),
            max_tokens, verb="tree.nodes", session=session,
        )  # fmt: skip

    @checked
    def grow(self) -> int:
        """Rebuild the tree of this scope from its summaries now; return its number of nodes.

        Raises `Conflict` while a worker holds the scope, and `NotFound` if there are no memories.
        """
        embedder, scope = self._parts.embedder_for(self.scope), self.scope
        with self._parts.database.tenant(scope.tenant) as connection:
            found = leaves(connection, scope.id, space_number(connection, embedder.space, embedder.dimensions))
        grown = tree(scope.id, found, (), embedder)
        with self._parts.database.tenant(scope.tenant) as connection:
            leases.take_by_hand(connection, scope)
            rewrite(connection, scope.id, grown)
        return len(grown.nodes)

    def _told(self, read: Read, most: int, *, verb: str, session: str | None) -> list[TreeNode]:
        began = clock.monotonic()
        with self._parts.database.tenant(self.scope.tenant) as connection:
            found = read(connection)
            scopes = list({node.scope.id: node.scope for node in found}.values())
            episodes = by_ids(
                connection, scopes, {source.episode for node in found for line in node.lines for source in line.sources}
            )
            occurred = {one.id: one.occurred for one in episodes}
            told = [_node(node, fitting(node.lines, occurred, most=most)) for node in found]
            quoted = dict.fromkeys(source.episode for node in told for source in node.sources)
            log_lookup(
                connection, list(quoted), memory_type="episodic", scope=self.scope, verb=verb, session=session,
                latency_ms=(clock.monotonic() - began) * 1000,
            )  # fmt: skip
        return told


def _node(one: StoredNode, lines: Sequence[Any]) -> TreeNode:
    text = "\n".join(line.text for line in lines)
    return TreeNode(
        one.id, one.scope, one.level, one.parent, one.session, text, tokens(text), tuple(lines), one.score, one.by
    )  # fmt: skip
