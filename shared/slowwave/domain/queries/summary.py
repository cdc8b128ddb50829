"""The summary of a session, as dated lines with their source words."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from slowwave.domain.claim import Source
from slowwave.domain.scope import Scope
from slowwave.formatting import brief

SUMMARY_TOKENS = 400
"""The default size of a summary in tokens, which is a tenth of a context."""

QUOTING = "extractive"
"""The name of the summariser that quotes the speakers, as in the rule of a summary."""
EXTRACT = "extract"
"""The author (`by`) of a summary that quotes the speakers."""


@dataclass(frozen=True, slots=True)
class SummaryLine:
    """A line of a summary: the day and a sentence, with the *source* of the sentence.

    *occurred* is the time by the speaker's own clock. For a model's sentence, *source* is the newest source, and
    *more_sources* are all other sources.
    """

    text: str
    occurred: datetime
    source: Source
    more_sources: tuple[Source, ...] = ()

    def __repr__(self) -> str:
        return brief(self, self.text)


def resting(lines: Sequence[SummaryLine]) -> tuple[Source, ...]:
    """Return the source words on which *lines* are based, without repeats, in the order of the lines."""
    return tuple(dict.fromkeys(source for line in lines for source in (line.source, *line.more_sources)))


@dataclass(frozen=True, slots=True)
class Summary:
    """The summary of a *session* of a *scope*: its *lines* in the order they were said.

    *text* has the lines joined by line breaks, and *tokens* is its approximate length. *text* is empty if nothing was
    said. The summary covers the session up to the scope's position *covered*, and *at* is the time when the episode at
    this position occurred. *fact* is the fact that stores the summary, or None if the summary is not stored yet. The
    author (*by*) is `extract` (the speakers' own words), `model NAME`, or another summariser. Newer turns are quoted
    below a model's summary.
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
        """The source words of the lines, without repeats, in the order of the lines."""
        return resting(self.lines)

    def __repr__(self) -> str:
        return brief(self, self.session, self.text, id=self.fact)
