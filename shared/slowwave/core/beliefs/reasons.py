"""Reasons of decisions, in words."""

from collections.abc import Sequence

from slowwave.core.beliefs.identity import compared_words
from slowwave.core.beliefs.versions import Version
from slowwave.domain.claim import Claim

FORGOTTEN = "forgotten on request, so it is not learned again"
LESS_SURE = "less certain than the current fact"
UNSURE = "news that is less certain than the current fact; a person must decide"
NOTHING = "it names nothing specific"
KEPT = "the earlier value is kept"
KNOWN = "already known"
ASKED = "a person is asked about the same words already"
SAME_TURN = "its own turn says that it holds then, too"
NAMESAKE = "news of a name that two people or things may bear"
CONTRARY = "contradicts a current fact; a person must decide"


def replacing(claim: Claim, closes: Sequence[Version]) -> str:
    """Return the reason why *claim* replaces the versions in *closes*."""
    if not closes:
        return "new"
    if closes[0].predicate != claim.predicate:
        return f"{claim.predicate} is the opposite of {closes[0].predicate}"
    if all(compared_words(version) == compared_words(claim) for version in closes):
        return "said outright, where it was only guessed"
    return f"{claim.predicate} holds one value at a time"
