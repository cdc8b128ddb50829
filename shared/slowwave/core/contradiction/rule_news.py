"""News that rules found in turns that a model also read: added to its claims, unless the model reported it too."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby

from slowwave.core.contradiction.people import EVERY
from slowwave.core.contradiction.stemming import words_of
from slowwave.domain.claim import Claim


def changes(claims: Iterable[Claim]) -> list[Claim]:
    """Return those of *claims* that say that a belief no longer holds, or never did."""
    return [claim for claim in claims if claim.mode in ("end", "forget") or claim.predicate == EVERY]


def with_rule_news(claims: Iterable[Claim], news: Iterable[Claim]) -> list[Claim]:
    """Return the *claims* of a model with *news* of the same turns, in belief order, with new ordinals.

    News is dropped if the model ends or corrects something by the same words; a correction that does not say what was
    wrong is dropped if the model claims anything by its words. That somebody left is no belief beside the end of their
    role and another claim: the end tells it. Within a turn news come first, so that claims from the same turn stay.
    """
    mine = list(claims)
    left = [one for one in news if not any(_reports_same(claim, one) for claim in mine)]
    ordered = sorted([*left, *mine], key=lambda claim: claim.source.position)
    return [
        claim if claim.ordinal == number else replace(claim, ordinal=number)
        for _, turn in groupby(ordered, key=lambda claim: claim.source.position)
        for number, claim in enumerate(_without_leaving(list(turn)))
    ]


def _reports_same(claim: Claim, news: Claim) -> bool:
    if not _share_words(claim, news):
        return False
    return claim.mode != "assert" or (news.mode == "correct" and not news.wrong)


def _share_words(one: Claim, other: Claim) -> bool:
    mine, its = one.source, other.source
    return mine.position == its.position and mine.start < its.end and its.start < mine.end


def _without_leaving(turn: Sequence[Claim]) -> list[Claim]:
    """Return the claims of a turn without those that say only that somebody left, if the turn says anything else."""
    kept = [claim for claim in turn if not _only_leaves(claim, turn)]
    return kept if any(claim.mode == "assert" for claim in kept) else list(turn)


def _only_leaves(claim: Claim, turn: Sequence[Claim]) -> bool:
    """Return whether *claim* names nothing but people of the turn, one of whose roles ends by the same words."""
    people = {word for one in turn for word in words_of(one.subject)}
    names = " ".join(word for word in claim.object.split() if word[:1].isupper())
    if claim.mode != "assert" or not people.issuperset(words_of(names)):
        return False
    person = set(words_of(claim.subject))
    return any(
        one.mode == "end" and one.effect in ("", "leave") and _share_words(one, claim)
        and person <= set(words_of(one.object)) and person.isdisjoint(words_of(one.subject))
        for one in turn
    )  # fmt: skip
