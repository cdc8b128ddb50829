"""News that rules read in the turns that a model has read: told beside its claims, unless it has told it itself."""

from collections.abc import Iterable
from dataclasses import replace
from itertools import groupby

from slowwave.core.contradiction.matters import EVERY
from slowwave.domain.claim import Claim


def changes(claims: Iterable[Claim]) -> list[Claim]:
    """Return those of *claims* that say of something believed that it holds no longer, or never did."""
    return [claim for claim in claims if claim.mode in ("end", "forget") or claim.predicate == EVERY]


def told_beside(claims: Iterable[Claim], news: Iterable[Claim]) -> list[Claim]:
    """Return the *claims* of a model with *news* of the same turns, in the order of belief, numbered anew.

    News whose words the model ends or corrects something by is told already, as is a correction that does not say what
    was wrong and whose words the model claims anything by. Of one turn news come first: what is told with them stays.
    """
    mine = list(claims)
    left = [one for one in news if not any(_tells(claim, one) for claim in mine)]
    ordered = sorted([*left, *mine], key=lambda claim: claim.source.position)
    return [
        claim if claim.ordinal == number else replace(claim, ordinal=number)
        for _, turn in groupby(ordered, key=lambda claim: claim.source.position)
        for number, claim in enumerate(turn)
    ]


def _tells(claim: Claim, news: Claim) -> bool:
    mine, other = claim.source, news.source
    if mine.position != other.position or not (mine.start < other.end and other.start < mine.end):
        return False
    return claim.mode != "assert" or (news.mode == "correct" and not news.wrong)
