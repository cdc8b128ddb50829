"""The summary of a session as it is handed out: dated lines, each with the words it rests on."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from slowwave.brief import brief
from slowwave.domain.claim import Source
from slowwave.domain.scope import Scope

SUMMARY_TOKENS = 400
"""Tokens of a summary unless somebody asks for more or less: a tenth of what a context holds."""

EXTRACT = "extract"
"""By whom a summary is told that quotes."""


@dataclass(frozen=True, slots=True)
class SummaryLine:
    """A sentence of a summary: the day, who said it, and the words, which stand in *source*.

    It *occurred* by the speaker's own clock. A model's sentence rests on its newest source, and on *more_sources*.
    """

    text: str
    occurred: datetime
    source: Source
    more_sources: tuple[Source, ...] = ()

    def __repr__(self) -> str:
        return brief(self, self.text)


def resting(lines: Sequence[SummaryLine]) -> tuple[Source, ...]:
    """Return the words that *lines* rest on, each once, in the order of the lines."""
    return tuple(dict.fromkeys(source for line in lines for source in (line.source, *line.more_sources)))


@dataclass(frozen=True, slots=True)
class Summary:
    """The summary of a *session* of a *scope*: its *lines* in the order they were said.

    *text* is the lines below one another, about so many *tokens*, and empty where nobody said anything. It sums up what
    was said there up to the position *covered* of the scope, the last of it *at* that time. *fact* is the belief that a
    run has kept of it, None where none has yet: `why` explains it. It is told *by* `extract`, in the speakers' own
    words, by `model NAME`, or by another summariser; what was said since a model told of it is quoted below.
    """

    session: str
    scope: Scope
    text: str
    tokens: int
    lines: tuple[SummaryLine, ...]
    covered: int
    at: datetime
    fact: uuid.UUID | None
    by: str = EXTRACT

    @property
    def sources(self) -> tuple[Source, ...]:
        """The words of the episodes that the lines rest on, each once, in the order of the lines."""
        return resting(self.lines)

    def __repr__(self) -> str:
        return brief(self, self.session, self.text, id=self.fact)
