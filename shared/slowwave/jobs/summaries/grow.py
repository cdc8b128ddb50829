"""Grow the tree over a scope's summaries. Changed nodes and all nodes above them are summarised again."""

import uuid
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from slowwave.core.summaries.extractive_summary import join
from slowwave.core.summaries.tree import Grown, NodeText, Summed, node_lines, nodes_over
from slowwave.domain.job_table import RETELL, pack_of
from slowwave.domain.run import Run
from slowwave.jobs.run import JobWithoutCases
from slowwave.ports import Embedder, IntentRequest, Plan
from slowwave.store.runs.runs import PostgresRuns
from slowwave.store.summaries.tree import PostgresTrees


@dataclass(frozen=True, slots=True)
class Grow(JobWithoutCases):
    """A `Job` that builds the tree of a scope from its summaries.

    A repeat is safe: unchanged nodes are not written. If *retold* is True, the job then requests model summaries of the
    nodes.
    """

    trees: PostgresTrees
    embedder: Embedder
    retold: bool = False

    def think(self, run: Run, store: PostgresRuns) -> Plan:  # noqa: ARG002  # its own store is enough
        """Return the tree of the scope's summaries.

        The count `nodes` is the number of nodes that are summarised again.
        """
        leaves, stored_ids = self.trees.leaves(run.tenant, run.scope), self.trees.node_ids(run.tenant, run.scope)
        grown = tree(run.scope, leaves, stored_ids, self.embedder)
        if {node.id for node in grown.nodes} == set(stored_ids):
            return Plan()
        asks = [IntentRequest(RETELL, pack_of(RETELL), at_once=True)] if self.retold else []
        return Plan(effects=[grown, *asks], counts={"nodes": len(grown.node_texts)})


def tree(scope: uuid.UUID, leaves: Sequence[Summed], stored_ids: Collection[uuid.UUID], embedder: Embedder) -> Grown:
    """Return the tree over *leaves*; nodes in *stored_ids* are not summarised again."""
    nodes = nodes_over(scope, leaves, embedder.space, embedder.dimensions)
    lines, whence = node_lines(nodes, leaves)
    new = [node.id for node in nodes if node.level and node.id not in stored_ids]
    vectors = embedder.embed([join(lines[node]) for node in new]) if new else ()
    node_texts = {
        node: NodeText(lines[node], [whence[line] for line in lines[node]], vector)
        for node, vector in zip(new, vectors, strict=True)
    }
    return Grown(nodes, node_texts, (embedder.space, embedder.dimensions))
