"""Outdated memories: a turn whose beliefs have all ended ranks below the turns that ended the beliefs."""

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
"""The least score of a person's own words that come before a statement drawn from them, as a share of the statement's
score."""

AS_WELL = 0.5
"""The least match of an earlier state that ranks above the current state, as a share of the current state's match."""

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
"""The words by which a question says only that it is about the present."""

_OF_PRESENT = re.compile(r"\b(?:does|do|is|are|has|have|must|should|may|can|will)\b|'s\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Ended:
    """The end of the beliefs from one turn: the time of the end, and the turn that ended the last of these beliefs.

    *whole* is True if no belief from the turn is held any more, and all these beliefs were true until the end.
    """

    until: datetime
    by: Candidate
    whole: bool = True


def matter_of(question: str) -> str:
    """Return *question* without words that only say that it is about the present. Memories do not contain such words.

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


def learned_later(best: Sequence[Candidate]) -> list[Candidate]:
    """Return the facts that may correct a turn in *best*: they were told later, but were already true at the time of
    this turn.
    """
    turns = [one for one in best if one.kind == "episode"]
    return [
        fact
        for fact in best
        if fact.kind == "fact"
        and fact.corrects
        and any(
            one.scope == fact.scope and one.position < fact.position and fact.occurred <= one.occurred for one in turns
        )
    ]


def own_words_first(ranked: Sequence[Ranked]) -> list[Ranked]:
    """Return *ranked*, in which a person's own words come before the statement drawn from them, if both match about as
    well.
    """
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
    """Return *ranked*, in which each outdated turn is below the turn that ended its beliefs.

    If the turn that is now current ranks lower than the outdated turn, it gets the place and score of the outdated
    turn.

    All other memories keep their order.
    """
    if not ended:
        return list(ranked)
    found = {one.candidate.id.int: one for one in ranked}  # ids as numbers, which compare faster
    order = [one.candidate.id.int for one in ranked]
    outdated = {id_.int: end for id_, end in ended.items() if id_.int in found}
    for id_ in sorted(outdated, key=lambda id_: (outdated[id_].until, id_), reverse=True):
        was, by, last = found[id_], outdated[id_].by, outdated[id_].by
        while last.id.int in outdated:
            last = outdated[last.id.int].by
        place = order.index(id_)
        if last.id.int not in order or order.index(last.id.int) > place:
            reasons = found[last.id.int].reasons if last.id.int in found else {}
            found[last.id.int] = Ranked(last, was.score, {**reasons, "ends": was.score}, was.match)
            order = [one for one in order if one != last.id.int]
            order.insert(place, last.id.int)
        score = min(was.score * LEFT, found[by.id.int].score)
        reasons = {**was.reasons, "outdated": 1 - LEFT}
        until = outdated[id_].until if outdated[id_].whole else None
        found[id_] = replace(was, score=score, until=until, reasons=reasons)
        order.remove(id_)
        following = order[order.index(by.id.int) + 1 :]
        under = next((one for one in following if found[one].score < score), None)
        order.insert(len(order) if under is None else order.index(under), id_)
    return [found[id_] for id_ in order]


def above(ranked: Sequence[Ranked], ended: Mapping[uuid.UUID, Ended]) -> list[Ranked]:
    """Return *ranked*, in which an outdated turn is above the turn that ended its beliefs, and above the facts of that
    turn.

    The outdated turn moves only if it matches the question about as well as the other memory. All other memories keep
    their order.
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
                and (other.candidate.id == end.by.id or any(s.episode == end.by.id for s in other.candidate.sources))
            ),
            place,
        )
        if before < place:
            order.insert(before, replace(one, score=order[before].score, until=end.until if end.whole else None))
            order.pop(place + 1)
    return order
