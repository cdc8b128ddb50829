"""The summary of a session as it is handed out: dated lines, each with the words it rests on."""

import uuid
from dataclasses import dataclass
from datetime import datetime

from slowwave.brief import brief
from slowwave.domain.claim import Source
from slowwave.domain.scope import Scope

SUMMARY_TOKENS = 400
"""Tokens of a summary unless somebody asks for more or less: a tenth of what a context holds."""


@dataclass(frozen=True, slots=True)
class SummaryLine:
    """A sentence of a summary: the day, who said it, and the words, which stand in *source*.

    It *occurred* by the speaker's own clock.
    """

    text: str
    occurred: datetime
    source: Source

    def __repr__(self) -> str:
        return brief(self, self.text)


@dataclass(frozen=True, slots=True)
class Summary:
    """The summary of a *session* of a *scope*: its *lines* in the order they were said.

    *text* is the lines below one another, about so many *tokens*, and empty where nobody said anything. It sums up what
    was said there up to the position *covered* of the scope, the last of it *at* that time. *fact* is the belief that a
    run has kept of it, None where none has yet: `why` explains it.
    """

    session: str
    scope: Scope
    text: str
    tokens: int
    lines: tuple[SummaryLine, ...]
    covered: int
    at: datetime
    fact: uuid.UUID | None

    @property
    def sources(self) -> tuple[Source, ...]:
        """The words of the episodes that the lines rest on, a line each."""
        return tuple(line.source for line in self.lines)

    def __repr__(self) -> str:
        return brief(self, self.session, self.text, id=self.fact)
