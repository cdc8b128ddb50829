"""Claims that are never believed, because they have a secret or a misread date."""

from collections.abc import Sequence

from slowwave.core.masking import MASK, tells_secret
from slowwave.domain.claim import Claim
from slowwave.domain.episode import StoredEpisode

__all__ = ["hollow", "secret", "tells_secret"]


def planned_before(claim: Claim, episodes: Sequence[StoredEpisode]) -> bool:
    """Return whether *claim* is about the future, but begins before its source episode. The date of such a claim was
    misread.
    """
    if claim.mode != "assert" or claim.tense != "future":
        return False
    return any(claim.valid_from < one.occurred for one in episodes if one.id == claim.source.episode)


def secret(claim: Claim) -> bool:
    """Return whether *claim* contains a password, a key or a card number."""
    return tells_secret(claim.text) or tells_secret(f"{claim.predicate.replace('_', ' ')}: {claim.object}")


def hollow(claim: Claim, episodes: Sequence[StoredEpisode]) -> bool:
    """Return whether *claim* is a statement whose source words contain only a masked secret, or have a masked secret
    directly beside them.
    """
    source = claim.source
    if claim.form != "statement":
        return False
    content = next((one.content for one in episodes if one.id == source.episode), "")
    beside = (found.span() for found in MASK.finditer(content))
    return any(
        not content[end : source.start].strip() and not content[source.end : start].strip() for start, end in beside
    )
