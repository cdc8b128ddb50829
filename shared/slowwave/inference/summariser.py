"""A summary without a model: what was said, chosen, never rephrased."""

from collections.abc import Sequence
from dataclasses import dataclass

from slowwave.core.summaries.rolling import QUOTING, Line, quoted
from slowwave.domain.claim import Certainty
from slowwave.domain.episode import StoredEpisode


@dataclass(frozen=True, slots=True)
class ExtractiveSummariser:
    """A `Summariser` that keeps the sentences that say most. The same messages give the same summary, always."""

    name: str = QUOTING
    version: int = 1
    certainty: Certainty = "explicit"

    def summarise(self, previous: Sequence[Line], messages: Sequence[StoredEpisode]) -> list[Line]:
        """Return the lines of the summary of *previous* and *messages*, in the order things were said."""
        return quoted(previous, messages)
