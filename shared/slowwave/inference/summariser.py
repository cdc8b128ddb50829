"""A summariser without a model. It selects sentences that were said, and never rephrases them."""

from collections.abc import Sequence
from dataclasses import dataclass

from slowwave.core.summaries.extractive_summary import Line, quoted
from slowwave.domain.claim import Certainty
from slowwave.domain.episode import StoredEpisode
from slowwave.domain.queries.summary import QUOTING


@dataclass(frozen=True, slots=True)
class ExtractiveSummariser:
    """A `Summariser` that keeps the most informative sentences. The same messages always give the same summary."""

    name: str = QUOTING
    version: int = 1
    certainty: Certainty = "explicit"

    def summarise(self, previous: Sequence[Line], messages: Sequence[StoredEpisode]) -> list[Line]:
        """Return the lines of the summary of *previous* and *messages*, in the order they were said."""
        return quoted(previous, messages)
