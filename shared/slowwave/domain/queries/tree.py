"""Nodes of the summary tree, as results of queries."""

import uuid
from dataclasses import dataclass

from slowwave.domain.claim import Source
from slowwave.domain.queries.summary import EXTRACT, SummaryLine, resting
from slowwave.domain.scope import Scope
from slowwave.formatting import brief


@dataclass(frozen=True, slots=True)
class TreeNode:
    """A node of the tree over the summaries of a *scope*, with the most informative sentences of all nodes below it.

    A node of *level* 0 is the summary of a *session*, and its *id* is the id of the summary's fact. The root has no
    *parent*. *text* has the *lines* joined by line breaks, and *tokens* is its approximate length. The author (*by*) is
    `extract` or `model NAME`. *score* is the cosine similarity to the query, or None without a query.
    """

    id: uuid.UUID
    scope: Scope
    level: int
    parent: uuid.UUID | None
    session: str | None
    text: str
    tokens: int
    lines: tuple[SummaryLine, ...]
    score: float | None = None
    by: str = EXTRACT

    @property
    def sources(self) -> tuple[Source, ...]:
        """The source words of the lines, without repeats, in the order of the lines."""
        return resting(self.lines)

    def __repr__(self) -> str:
        return brief(self, f"level {self.level}", self.session, self.text, id=self.id)
