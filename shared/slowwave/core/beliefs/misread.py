"""Claims whose date was misread."""

from collections.abc import Sequence

from slowwave.domain.claim import Claim
from slowwave.domain.episode import StoredEpisode


def planned_before(claim: Claim, episodes: Sequence[StoredEpisode]) -> bool:
    """Return whether *claim* is about the future but begins before one of *episodes* told it."""
    if claim.mode != "assert" or claim.tense != "future":
        return False
    return any(claim.valid_from < one.occurred for one in episodes if one.id == claim.source.episode)
