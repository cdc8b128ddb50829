"""Outdated memories: turns whose beliefs have all ended rank below the turns that ended them."""

import re
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from slowwave.core.recall.candidate import Candidate, Ranked
from slowwave.core.recall.newer import AMONG, matched

LEFT = 0.7
"""The factor for an outdated turn's score, if a question asks about the present."""

NEARLY = 0.6
"""The least score of a person's own words, as a share of the statement's, for moving before it."""

AS_WELL = 0.5
"""The least match of an earlier state, as a share of the current state's match, for ranking above it."""

_OF_PAST = re.compile(
    r"\b(?:did|was|were|wasn't|weren't|used to|previous(?:ly)?|former(?:ly)?|before|earlier|originally|at first"
    r"|back then|in the past|ago|last (?:night|week|month|year)|yesterday|in (?:19|20)\d\d|history)\b",
    re.IGNORECASE,
)
_OF_BEFORE = re.compile(
    r"\b(?:use[d]? to|previous(?:ly)?|former(?:ly)?|originally|at first|back then|in the past)\b|\bbefore\W*$"
    r"|\bbefore (?:that|this|then)\b|\bearlier\W*$",
    re.IGNORECASE,
)
_OF_NOW = re.compile(
    r"\b(?:now|still|current(?:ly)?|today|these days|any ?more|at the moment|nowadays)\b", re.IGNORECASE
)
_NO_MATTER = re.compile(
    r",? ?\b(?:right now|now(?:adays)?|still|currently|these days|any ?more|at (?:the moment|present))\b", re.IGNORECASE
)
"""Words of a question that say only that it is about now."""

_OF_PRESENT = re.compile(r"\b(?:does|do|is|are|has|have|must|should|may|can|will)\b|'s\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Ended:
    """The end of the beliefs of a turn that the question asks about: when they ended, and the turn that ended them
    last.

    *whole* is True if no belief from the turn is held any more, and the ended ones were true until then.
    """

    until: datetime
    by: Candidate
    whole: bool = True


def matter_of(question: str) -> str:
    """Return *question* without the words that say only that it is about now: no memory need contain them.

    >>> matter_of("Where does Ann live these days?"), matter_of("Does Ann still ski?"), matter_of("What now?")
    ('Where does Ann live?', 'Does Ann ski?', 'What?')
    """
    matter = _NO_MATTER.sub("", question)
    return matter if matter.strip() else question


def asks_of_past(question: str) -> bool:
    """Return whether *question* asks about the past rather than the present.

    >>> asks_of_past("Where did she live before?"), asks_of_past("Is the car she was driving still hers?")
    (True, False)
    """
    return _OF_PAST.search(question) is not None and _OF_NOW.search(question) is None


def asks_of_present(question: str) -> bool:
    """Return whether *question* asks about the present.

    >>> asks_of_present("What car does she drive?"), asks_of_present("What car did she drive before that?")
    (True, False)
    """
    return _OF_PRESENT.search(question) is not None and not asks_of_past(question)


def asks_of_before(question: str) -> bool:
    """Return whether *question* asks about the state before another state.

    >>> [asks_of_before(asked) for asked in ("Where did she use to live?", "Who was it before?", "Where did she go?")]
    [True, True, False]
    """
    return _OF_BEFORE.search(question) is not None and _OF_NOW.search(question) is None


def told_later(best: Sequence[Candidate]) -> list[Candidate]:
    """Return the facts, told after one of these turns, that were already true then: they may correct it."""
    turns = [one for one in best if one.kind == "episode"]
    return [
        fact
        for fact in best
        if fact.kind == "fact"
        and any(
            one.scope == fact.scope and one.position < fact.position and fact.occurred <= one.occurred for one in turns
        )
    ]


def own_words_first(ranked: Sequence[Ranked]) -> list[Ranked]:
    """Return *ranked* with a person's own words before the statement drawn from them, if both match about as well."""
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


def below(ranked: Sequence[Ranked], ended: Mapping[uuid.UUID, Ended]) -> list[Ranked]:
    """Return *ranked* with each outdated turn below the one that ended it; the latest one takes over its score.

    All others keep their order.
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


def above(ranked: Sequence[Ranked], ended: Mapping[uuid.UUID, Ended]) -> list[Ranked]:
    """Return *ranked* with each outdated turn above the turn that ended it and the facts of that turn, if it matches
    about as well. All others keep their order.
    """
    order = list(ranked)
    for one in ranked:
        end = ended.get(one.candidate.id)
        if end is None:
            continue
        place = order.index(one)
        before = next(
            (
                at
                for at, other in enumerate(order[:place])
                if matched(one) >= AS_WELL * matched(other)
                and other.candidate.id not in ended
                and _tells_of(other, end.by)
            ),
            place,
        )
        if before < place:
            order.insert(before, replace(one, score=order[before].score, until=end.until if end.whole else None))
            order.pop(place + 1)
    return order


def _tells_of(one: Ranked, turn: Candidate) -> bool:
    """Return whether a memory is *turn*, or a fact from its words."""
    return one.candidate.id == turn.id or any(source.episode == turn.id for source in one.candidate.sources)
