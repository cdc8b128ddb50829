"""News that rules found in turns that a model also read: added to its claims, unless the model reported it too."""

from collections.abc import Iterable
from dataclasses import replace
from itertools import groupby

from slowwave.core.contradiction.people import EVERY
from slowwave.domain.claim import Claim


def changes(claims: Iterable[Claim]) -> list[Claim]:
    """Return those of *claims* that say that a belief no longer holds, or never did."""
    return [claim for claim in claims if claim.mode in ("end", "forget") or claim.predicate == EVERY]


def with_rule_news(claims: Iterable[Claim], news: Iterable[Claim]) -> list[Claim]:
    """Return the *claims* of a model with *news* of the same turns, in belief order, with new ordinals.

    News is dropped if the model ends or corrects something by the same words; a correction that does not say what was
    wrong is dropped if the model claims anything by its words. Within a turn news come first, so that claims from the
    same turn stay.
    """
    mine = list(claims)
    left = [one for one in news if not any(_reports_same(claim, one) for claim in mine)]
    ordered = sorted([*left, *mine], key=lambda claim: claim.source.position)
    return [
        claim if claim.ordinal == number else replace(claim, ordinal=number)
        for _, turn in groupby(ordered, key=lambda claim: claim.source.position)
        for number, claim in enumerate(turn)
    ]


def _reports_same(claim: Claim, news: Claim) -> bool:
    mine, other = claim.source, news.source
    if mine.position != other.position or not (mine.start < other.end and other.start < mine.end):
        return False
    return claim.mode != "assert" or (news.mode == "correct" and not news.wrong)
