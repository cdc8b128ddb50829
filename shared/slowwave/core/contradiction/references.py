"""References of claims to beliefs: a claim may refer to the latest beliefs, or to beliefs that contain its words."""

import re
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from slowwave.core.beliefs.identity import BeliefKey, belief_key, compared_words, identity, means, normal, text_of
from slowwave.core.beliefs.spelling import coated
from slowwave.core.beliefs.versions import Version
from slowwave.core.contradiction.belief_state import is_part
from slowwave.core.contradiction.people import is_own
from slowwave.core.contradiction.values import (
    DATE,
    DAY,
    MEASURE,
    NAME,
    NAMED,
    as_one_word,
    is_sentence,
    is_value,
    value_of,
)
from slowwave.core.contradiction.words import words_of
from slowwave.core.time_spans import Span
from slowwave.domain.claim import Claim

Believed = Mapping[BeliefKey, Iterable[Version]]
"""Beliefs by key."""
RECENT_POSITIONS = 6
"""The number of episodes of a session to which "no, I meant …" may refer, which are three exchanges."""
NAMED_POSITIONS = 2
"""The number of episodes to which a corrected name may refer. The correction must follow at once."""
IMPLIED_POSITIONS = 1
"""The number of episodes to which "no, 8:20" may refer. After another turn, it may answer a question."""

_KIND = re.compile(r" \((.+)\)$")


def statement_order(version: Version) -> tuple[int, uuid.UUID, Span]:
    """Return a sort key for the order in which versions were said."""
    return version.position, version.fact, version.valid


class TurnOrder:
    """The order in which turns were told, as the sequence of their positions; empty if they arrived in this order."""

    def __init__(self, positions: Sequence[int] = ()) -> None:
        self._positions = positions
        self._places = {position: place for place, position in enumerate(positions, 1)}

    def __bool__(self) -> bool:
        return any(position != place for position, place in self._places.items())

    def place(self, position: int) -> int:
        """Return the place of a turn in the order."""
        return self._places.get(position, position)

    def before(self, position: int, upto: int) -> Iterator[int]:
        """Yield the positions, none above *upto*, of the turns that were told before a turn; the latest comes first."""
        known = len(self._positions)
        for place in range(self.place(position) - 1, 0, -1):
            one = self._positions[place - 1] if place <= known else place
            if one <= upto:
                yield one


def turns_ago(position: int, earlier: int, order: TurnOrder) -> int:
    """Return the number of turns from *earlier* to *position*, in the order in which turns were told.

    Turns that arrived after both do not count, so that the number is the same whatever is read together. A number
    above `RECENT_POSITIONS` only means "more". The number is below 1 if *earlier* was told later.

    >>> order = TurnOrder([1, 2, 5, 3, 4])
    >>> turns_ago(5, 2, order), turns_ago(5, 3, order), turns_ago(3, 2, order), turns_ago(5, 2, TurnOrder())
    (1, -1, 1, 3)
    """
    if (ahead := order.place(position) - order.place(earlier)) < 1:
        return ahead
    number = 0
    for number, one in enumerate(order.before(position, max(position, earlier)), 1):
        if one == earlier or number > RECENT_POSITIONS:
            break
    return number


def points_back(claim: Claim) -> bool:
    """Return whether a claim refers to a few turns before, such as by "that". Late turns may change such a claim."""
    if claim.predicate == "*":
        return claim.mode != "assert" and not claim.effect
    return claim.mode == "correct" and not (claim.wrong or claim.single_valued)


def corrected(believed: Believed, claim: Claim, order: TurnOrder) -> list[Version]:
    """Return the beliefs that a correction may replace: the beliefs that it names, the only value, or recent beliefs.

    For a predicate with many values, all recent beliefs are returned, because the choice is ambiguous.
    """
    if claim.predicate == "*" and is_sentence(claim.object):
        return _restated(believed, claim, order)
    if claim.predicate == "*":
        containing = _saying(believed, claim, order)
        if containing or not is_value(claim.object):
            return containing or [v for v in _latest(believed, claim, order) if _may_mean_date(v, claim.object)]
        is_name = NAME.fullmatch(claim.object) and not DAY.fullmatch(claim.object)
        found = _of_a_kind(believed, claim, order)
        if MEASURE.fullmatch(claim.object) and all(one.session != claim.session for one in found):
            return _of_a_unit(believed, claim)
        return found or (_latest(believed, claim, order) if is_name else [])
    if claim.wrong:
        wrong = replace(claim, object=claim.wrong)
        found = targets(believed, wrong, order) or named(believed, wrong)
    else:
        found = _about(believed, claim) if claim.single_valued else _recent(believed, claim, order)
    return [version for version in found if version.valid.covers(claim.valid_from)]


def _restated(believed: Believed, claim: Claim, order: TurnOrder) -> list[Version]:
    """Return the recent beliefs of the session from which a corrected sentence differs in one word.

    If there are none, return all beliefs from which it differs in one number. A correction that is only implied gets
    none of these.
    """
    active = (version for version in chain.from_iterable(believed.values()) if version.valid.covers(claim.valid_from))
    found = [(version, as_one_word(claim, version)) for version in active]
    found = [(version, word) for version, word in found if word is not claim]
    counted = [version for version, word in found if word.object[0].isdigit()]
    lately = [version for version, _ in found if _is_near(version, claim, RECENT_POSITIONS, order)]
    near = [version for version in lately if version.session == claim.session]
    return near or ([] if claim.certainty == "implied" else counted)


def _saying(believed: Believed, claim: Claim, order: TurnOrder) -> list[Version]:
    """Return the latest beliefs, typed or statements, that contain the wrong word of a correction."""
    words = _words(claim.wrong)
    if not words:
        return []
    lately = (v for form in ("typed", "statement") for v in _recent(believed, replace(claim, form=form), order))
    return _last_mentioned((version for version in lately if words <= _words(text_of(version))), order)


def _may_mean_date(version: Version, meant: str) -> bool:
    """Return False if *meant* is a date and the object of *version* contains more than that date."""
    return not DATE.match(meant) or version.form != "typed" or DATE.match(version.object) is not None


def _of_a_unit(believed: Believed, claim: Claim) -> list[Version]:
    """Return all beliefs about the claim's subject with a measure in the unit of the claim."""
    active = (version for version in chain.from_iterable(believed.values()) if version.valid.covers(claim.valid_from))
    own = (version for version in active if is_own(claim.subject, version.subject) and MEASURE.search(text_of(version)))
    return [version for version in own if value_of(version, claim.object) not in (None, claim.object)]


def _of_a_kind(believed: Believed, claim: Claim, order: TurnOrder) -> list[Version]:
    """Return the latest of the recent beliefs that have exactly one value of the same kind as the claim's value (one
    number).
    """
    name = NAME.fullmatch(claim.object) is not None
    reach = NAMED_POSITIONS if NAMED.fullmatch(claim.object) else RECENT_POSITIONS
    reach = IMPLIED_POSITIONS if claim.certainty == "implied" else reach
    found = (
        version
        for version in chain.from_iterable(believed.values())
        if _is_near(version, claim, reach, order)
        and (is_own(claim.subject, version.subject) or not name)
        and value_of(version, claim.object) not in (None, claim.object)
    )
    return _last_mentioned(found, order)


def _is_near(version: Version, claim: Claim, reach: int, order: TurnOrder) -> bool:
    """Return whether *version* was said at most *reach* turns before *claim*, or at most 2 in another session."""
    ago = turns_ago(claim.source.position, version.position, order)
    return 0 < ago <= (reach if version.session == claim.session else NAMED_POSITIONS)


def _last_mentioned(versions: Iterable[Version], order: TurnOrder) -> list[Version]:
    places = [(order.place(version.position), version) for version in versions]
    last = max((place for place, _ in places), default=0)
    return [version for place, version in places if place == last]


def _latest(believed: Believed, claim: Claim, order: TurnOrder) -> list[Version]:
    """Return the latest beliefs about the claim's subject from its session, at most a few episodes before."""
    return _last_mentioned(_recent(believed, claim, order), order)


def _recent(believed: Believed, claim: Claim, order: TurnOrder) -> list[Version]:
    return [
        version
        for version in chain.from_iterable(believed.values())
        if normal(version.subject) == normal(claim.subject)
        or (claim.predicate == "*" and is_own(claim.subject, version.subject))
        if version.session == claim.session
        and _is_near(version, claim, RECENT_POSITIONS, order)
        and version.form == claim.form
        and claim.predicate in ("*", version.predicate)
    ]


def targets(believed: Believed, claim: Claim, order: TurnOrder) -> list[Version]:
    """Return the beliefs that a claim ends or forgets, in the order in which they were said.

    If a claim ends a statement by its full text, and Slowwave believes this statement, only this statement is returned.
    """
    about = _latest(believed, claim, order) if claim.predicate == "*" else _about(believed, claim)
    meant = [version for version in about if means(version, claim.object) and not _of_part(claim, version)]
    whole = claim.mode == "end" and claim.form == "statement" and bool(claim.text)
    exact = [version for version in meant if compared_words(version) == compared_words(claim)] if whole else []
    return sorted(exact or meant, key=statement_order)


def named(believed: Believed, claim: Claim) -> list[Version]:
    """Return the typed beliefs whose objects contain all words of the claim's object, in the order they were said.

    `the meeting` matches a meeting with Ana, and `Max` matches a dog of that name. A kind matches all things of that
    kind. If *claim* ends only one of several things that an object lists, this object does not match.
    """
    words = _words(claim.object)
    if claim.predicate == "*" or claim.form != "typed" or not words:
        return []
    found = [
        version
        for version in _about(believed, claim)
        if words <= _words(version.object) and not _of_part(claim, version)
    ]
    return sorted(
        found or [one for one in _about(believed, claim) if normal(claim.object) in coated(one)], key=statement_order
    )


def _of_part(claim: Claim, version: Version) -> bool:
    """Return whether *claim* ends only one of several things that a belief names."""
    return claim.mode == "end" and claim.form == "typed" and is_part(words_of(claim.object), version)


def is_kind(version: Version, object_: str) -> bool:
    """Return whether *object_* is the kind of a belief's object: the dog in `Rex (dog)`."""
    kind = _KIND.search(version.object)
    return kind is not None and normal(kind[1]) == normal(object_)


def others_of_the_name(believed: Believed, claim: Claim) -> list[Version]:
    """Return the beliefs about a second thing of the subject with the same name as the thing that *claim* ends.

    "I sold the bike" may also mean the second bike.
    """
    named = re.compile(
        rf"\b(?:second|third|other|another|spare) (?:[\w-]+ ){{0,2}}?{re.escape(claim.object)}\b", re.IGNORECASE
    )
    return [
        version
        for version in chain.from_iterable(believed.values())
        if normal(version.subject) == normal(claim.subject)
        and version.valid.covers(claim.valid_from)
        and named.search(f"{version.object} {text_of(version)}")
    ]


def _about(believed: Believed, claim: Claim) -> list[Version]:
    about = belief_key(*identity(claim), single_valued=True)[:2]
    return [version for key, versions in believed.items() if key[:2] == about for version in versions]


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))
