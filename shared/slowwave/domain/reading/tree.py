"""Nodes of the tree over summaries, as they are handed out."""

import uuid
from dataclasses import dataclass

from slowwave.brief import brief
from slowwave.domain.claim import Source
from slowwave.domain.reading.summary import EXTRACT, SummaryLine, resting
from slowwave.domain.scope import Scope


@dataclass(frozen=True, slots=True)
class TreeNode:
    """A node of the tree over the summaries of a *scope*: what says most of all that lies under it.

    At *level* 0 it is the summary of a *session*, and its *id* that of the fact; the root has no *parent*. *text* is
    its *lines* below one another, about so many *tokens*, told *by* `extract` or `model NAME`. *score* is the cosine to
    what was asked, None where nothing was.
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
        """The words of the episodes that the lines rest on, each once, in the order of the lines."""
        return resting(self.lines)

    def __repr__(self) -> str:
        return brief(self, f"level {self.level}", self.session, self.text, id=self.id)
