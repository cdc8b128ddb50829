"""Versions that say what a claim says, in its words or in another spelling of the same thing."""

from collections.abc import Sequence

from slowwave.core.beliefs.decision import Version
from slowwave.core.beliefs.identity import normal, said
from slowwave.core.beliefs.spelling import every_spelling, same_thing
from slowwave.domain.claim import Claim


def saying(claim: Claim, held: Sequence[Version]) -> list[bool]:
    """Return of each of these versions whether it says what *claim* says; a long history takes one look at each."""
    words = said(claim)
    if claim.form != "typed":
        return [said(version) == words for version in held]
    spelled, named = every_spelling(claim.object), [normal(version.object) for version in held]
    return [
        name == words or (name in spelled and repeats(version, claim))
        for version, name in zip(held, named, strict=True)
    ]


def repeats(version: Version, claim: Claim) -> bool:
    """Return whether a typed *claim* names the same thing, in whatever spelling."""
    return claim.form == "typed" and same_thing(version.object, claim.object)
