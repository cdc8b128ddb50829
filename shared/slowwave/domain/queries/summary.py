"""The summary of a session as it is returned: dated lines, each with its source words."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from slowwave.domain.claim import Source
from slowwave.domain.scope import Scope
from slowwave.formatting.summary_lines import brief

SUMMARY_TOKENS = 400
"""The default size of a summary in tokens: a tenth of a context."""

EXTRACT = "extract"
"""The author of a summary that quotes."""


@dataclass(frozen=True, slots=True)
class SummaryLine:
    """A sentence of a summary: the day, the speaker, and the words, which are in *source*.

    It *occurred* by the speaker's own clock. *source* of a model's sentence is its newest source; *more_sources* are
    the others.
    """

    text: str
    occurred: datetime
    source: Source
    more_sources: tuple[Source, ...] = ()

    def __repr__(self) -> str:
        return brief(self, self.text)


def resting(lines: Sequence[SummaryLine]) -> tuple[Source, ...]:
    """Return the source words of *lines*, each once, in the order of the lines."""
    return tuple(dict.fromkeys(source for line in lines for source in (line.source, *line.more_sources)))


@dataclass(frozen=True, slots=True)
class Summary:
    """The summary of a *session* of a *scope*: its *lines* in the order they were said.

    *text* is the lines joined by line breaks, about *tokens* tokens, and empty if nothing was said. It covers the
    session up to the scope's position *covered*, which occurred *at* that time. *fact* is the belief in which a run
    stored it, None if it is not stored yet: `why` explains it. Its author (*by*) is `extract` (the speakers' own
    words), `model NAME`, or another summariser; turns newer than a model's summary are quoted below it.
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
        """The source words of the lines, each once, in the order of the lines."""
        return resting(self.lines)

    def __repr__(self) -> str:
        return brief(self, self.session, self.text, id=self.fact)
