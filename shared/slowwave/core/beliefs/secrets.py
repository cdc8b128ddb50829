"""Claims that tell a secret, or told one that was masked, which nobody is to believe."""

from collections.abc import Sequence

from slowwave.core.masking import MASK, tells_secret
from slowwave.domain.claim import Claim
from slowwave.domain.episode import StoredEpisode

__all__ = ["hollow", "secret", "tells_secret"]


def secret(claim: Claim) -> bool:
    """True for a claim that tells a password, a key or a card number, which is never believed."""
    return tells_secret(claim.text) or tells_secret(f"{claim.predicate.replace('_', ' ')}: {claim.object}")


def hollow(claim: Claim, episodes: Sequence[StoredEpisode]) -> bool:
    """True for a statement out of *episodes* with a mask among or beside its words: brackets are passed over."""
    source = claim.source
    if claim.form != "statement":
        return False
    said = next((one.content for one in episodes if one.id == source.episode), "")
    beside = (found.span() for found in MASK.finditer(said))
    return any(not said[end : source.start].strip() and not said[source.end : start].strip() for start, end in beside)
