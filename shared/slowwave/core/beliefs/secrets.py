"""Claims that tell a secret, or told one that was masked, which nobody is to believe."""

from slowwave.core.masking import tells_secret
from slowwave.domain.claim import Claim

__all__ = ["secret", "tells_secret"]


def secret(claim: Claim) -> bool:
    """True for a claim that tells a password, a key or a card number, which is never believed."""
    return tells_secret(claim.text) or tells_secret(f"{claim.predicate.replace('_', ' ')}: {claim.object}")
