"""Outdated memories: turns of which all that was believed has ended, and what was told anew since."""

import re
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from slowwave.core.recall.candidate import Candidate, Ranked

LEFT = 0.7
"""The share of its score that an outdated turn keeps: it tells of what was, where a question asks for what is."""

AMONG = 5
"""Of so many of the best memories, what was said later goes before what was said earlier in the same words."""
ALIKE = 0.6
"""The least share of the earlier one's match that the later one has."""
NEARLY = 0.6
"""The least share of a statement's score with which its own words go before it."""
AS_MUCH = 0.9
"""The least share of each of those words that the later one says: one near it says less."""
SAID = 0.15
"""The least of a question's words that an earlier memory says for a later one to say the same."""

_OF_PAST = re.compile(
    r"\b(?:did|was|were|wasn't|weren't|used to|previous(?:ly)?|former(?:ly)?|before|earlier|originally|at first"
    r"|back then|in the past|ago|last (?:night|week|month|year)|yesterday|in (?:19|20)\d\d|history)\b",
    re.IGNORECASE,
)
_OF_NOW = re.compile(
    r"\b(?:now|still|current(?:ly)?|today|these days|any ?more|at the moment|nowadays)\b", re.IGNORECASE
)


_OF_PRESENT = re.compile(r"\b(?:does|do|is|are|has|have|must|should|may|can|will)\b|'s\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Ended:
    """The end of what was believed of a turn and is asked for: until when it held, and the turn that ended it last.

    *whole* says that nothing else that the turn told is believed either.
    """

    until: datetime
    by: Candidate
    whole: bool = True


def asks_of_past(question: str) -> bool:
    """Return whether *question* asks for what was, rather than for what holds.

    >>> asks_of_past("Where did she live before?"), asks_of_past("Is the car she was driving still hers?")
    (True, False)
    """
    return _OF_PAST.search(question) is not None and _OF_NOW.search(question) is None


def asks_of_present(question: str) -> bool:
    """Return whether *question* asks for what holds.

    >>> asks_of_present("What car does she drive?"), asks_of_present("What car did she drive before that?")
    (True, False)
    """
    return _OF_PRESENT.search(question) is not None and not asks_of_past(question)


def last_first(ranked: Sequence[Ranked]) -> list[Ranked]:
    """Return *ranked* with each newer memory moved before an older one that matches the same words of the question.

    People seldom say that something changed; they say what is so now. Only the best memories are compared, and the
    newer one must match about as well.
    """
    order: list[Ranked] = []
    for one in ranked[:AMONG]:
        place = next((at for at, other in enumerate(order) if _says_again(one, other)), len(order))
        if place < len(order):
            one = replace(one, score=order[place].score, reasons={**one.reasons, "newer": 1.0})
        order.insert(place, one)
    return [*order, *ranked[AMONG:]]


def own_words_first(ranked: Sequence[Ranked]) -> list[Ranked]:
    """Return *ranked* with what a person said before a statement that retells it, where both answer about as well."""
    order = list(ranked)
    for one in ranked[:AMONG]:
        if one.candidate.form == "statement":
            place = next(at for at, other in enumerate(order) if other is one)
            sources = {source.episode for source in one.candidate.sources}
            for own in order[place + 1 : AMONG]:
                if own.candidate.id in sources and own.score >= NEARLY * one.score:
                    order = [other for other in order if other is not own]
                    order.insert(place, replace(own, score=max(own.score, one.score)))
                    break
    return order


def _says_again(one: Ranked, other: Ranked) -> bool:
    """True for what a person told after another memory, saying as much of the question's words."""
    later, earlier = one.candidate, other.candidate
    if (
        later.role == "assistant"
        or later.asks
        or _is_retold(later)
        or (later.occurred, later.position) <= (earlier.occurred, earlier.position)
    ):
        return False
    return (
        all(later.shares.get(word, 0.0) >= AS_MUCH * share for word, share in earlier.shares.items())
        and sum(earlier.shares.values()) >= SAID
        and _match(one) >= ALIKE * _match(other)
    )


def _is_retold(one: Candidate) -> bool:
    """True for a summary, which says again what was told before it."""
    return one.kind == "fact" and (one.speaker or "").startswith("session/")


def _match(one: Ranked) -> float:
    return one.score if one.match is None else one.match


def below(ranked: Sequence[Ranked], ended: Mapping[uuid.UUID, Ended]) -> list[Ranked]:
    """Return *ranked* with each outdated turn below the one that ended it; the last of these answers as well as it did.

    All others stay in their order.
    """
    order, found = [one.candidate.id for one in ranked], {one.candidate.id: one for one in ranked}
    outdated = {id_: end for id_, end in ended.items() if id_ in found}
    for id_ in sorted(outdated, key=lambda id_: (outdated[id_].until, id_), reverse=True):
        was, by, last = found[id_], outdated[id_].by, outdated[id_].by
        while last.id in outdated:
            last = outdated[last.id].by
        place = order.index(id_)
        if last.id not in order or order.index(last.id) > place:
            reasons = found[last.id].reasons if last.id in found else {}
            found[last.id] = Ranked(last, was.score, {**reasons, "ends": was.score}, was.match)
            order = [one for one in order if one != last.id]
            order.insert(place, last.id)
        score = min(was.score * LEFT, found[by.id].score)
        reasons = {**was.reasons, "outdated": 1 - LEFT}
        until = outdated[id_].until if outdated[id_].whole else None
        found[id_] = replace(was, score=score, until=until, reasons=reasons)
        order.remove(id_)
        behind = order[order.index(by.id) + 1 :]
        under = next((one for one in behind if found[one].score < score), None)
        order.insert(len(order) if under is None else order.index(under), id_)
    return [found[id_] for id_ in order]
