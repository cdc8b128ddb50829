"""Versions of beliefs that repeat a claim, in the same words or another spelling."""

from collections.abc import Sequence

from slowwave.core.beliefs.decision import Version
from slowwave.core.beliefs.identity import normal, said
from slowwave.core.beliefs.spelling import every_spelling, same_thing
from slowwave.domain.claim import Claim


def saying(claim: Claim, held: Sequence[Version]) -> list[bool]:
    """Return for each of these versions whether it says the same as *claim*; compares each version once."""
    words = said(claim)
    if claim.form != "typed":
        return [said(version) == words for version in held]
    spelled, named = every_spelling(claim.object), [normal(version.object) for version in held]
    return [
        name == words or (name in spelled and repeats(version, claim))
        for version, name in zip(held, named, strict=True)
    ]


def repeats(version: Version, claim: Claim) -> bool:
    """Return whether a typed *claim* names the same object, in any spelling."""
    return claim.form == "typed" and same_thing(version.object, claim.object)
