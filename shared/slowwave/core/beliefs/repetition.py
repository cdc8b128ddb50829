"""Versions of beliefs that repeat a claim, in the same words or another spelling."""

from collections.abc import Sequence

from slowwave.core.beliefs.identity import compared_words, normal
from slowwave.core.beliefs.spelling import coated, every_spelling, same_thing
from slowwave.core.beliefs.versions import Version
from slowwave.domain.claim import Claim


def match_versions(claim: Claim, believed: Sequence[Version]) -> list[bool]:
    """Return for each of these versions whether it says the same as *claim*; compares each version once."""
    words = compared_words(claim)
    if claim.form != "typed":
        return [compared_words(version) == words for version in believed]
    spelled, named = every_spelling(claim.object) | {*coated(claim)}, [normal(version.object) for version in believed]
    return [
        name == words or (name in spelled and names_same_object(version, claim))
        for version, name in zip(believed, named, strict=True)
    ]


def names_same_object(version: Version, claim: Claim) -> bool:
    """Return whether a typed *claim* names the same object, in any spelling, or says less of it."""
    said = same_thing(version.object, claim.object) or normal(version.object) in coated(claim)
    return claim.form == "typed" and said
