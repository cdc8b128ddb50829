"""Beliefs that a claim refers to without naming them: the latest ones, or those that contain its words."""

import re
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date

from slowwave.core.beliefs.identity import BeliefKey, belief_key, compared_words, identity, means, normal, text_of
from slowwave.core.beliefs.spelling import coated
from slowwave.core.beliefs.versions import Version
from slowwave.core.contradiction.people import is_own
from slowwave.core.contradiction.restated import as_one_word, is_sentence
from slowwave.core.contradiction.standing import MONTH, is_part
from slowwave.core.contradiction.stemming import words_of
from slowwave.core.predicates.sentences import on
from slowwave.core.time_spans import Span
from slowwave.domain.claim import Claim

Believed = Mapping[BeliefKey, Iterable[Version]]
"""Beliefs by key."""
Telling = Mapping[int, int]
"""Places of turns in the order in which they were told, by position; those that came in that order may be left out."""

RECENT_POSITIONS = 6
"""The reach of "no, I meant …", in episodes of one session: three exchanges."""
NAMED_POSITIONS = 2
"""The same for another name: it must come at once."""
IMPLIED_POSITIONS = 1
"""The same for "no, 8:20", which may as well answer a question asked in between."""

_ISO_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_ANY_DATE = re.compile(
    rf"\d{{4}}-\d\d-\d\d|\b\d{{1,2}} (?:{MONTH})\b(?: \d{{4}}\b)?|\b(?:{MONTH}) \d{{1,2}}\b(?! \d)", re.IGNORECASE
)
_NUMBER = re.compile(r"[£$€]?\d+(?:[.,:]\d+)*(?: ?[ap]m\b)?")
_MEASURE = re.compile(
    rf"(?P<number>{_NUMBER.pattern}) ?(?P<unit>mg|mcg|ml|k?g|kilo|km|mile|second|minute|hour|day|week|month|euro|pound"
    r"|dollar|percent)s?\b",
    re.IGNORECASE,
)
_CLOCK = re.compile(r"\b\d{1,2}:\d\d(?: ?[ap]m)?\b|\b\d{1,2} ?[ap]m\b")
_HOUR = re.compile(rf"{_CLOCK.pattern}|(?<=\bat )\d{{1,2}}\b(?![.,:]\d)")
_AT = re.compile(r"\bat \d{1,2}(?::\d\d)?(?: ?[ap]m)?\b")
_DAY = re.compile(r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?", re.IGNORECASE)
_NAMED = re.compile(r"(?:called|named) [A-Z][a-z]+")
_NAME = re.compile(r"\b[A-Z][\w'-]*(?: (?:(?:of|de|la|del) )?[A-Z][\w'-]*)*")
_DATE = re.compile(
    rf"(?:on )?(?:the )?(?:\d{{1,2}}(?:st|nd|rd|th)?(?: of)? )?(?:{MONTH})\b"
    r"|(?:the )?\d{1,2}(?:st|nd|rd|th)\b|\d{4}-\d\d",
    re.IGNORECASE,
)
_KINDS = (
    (_ISO_DATE, _ANY_DATE), (_AT, _AT), (_CLOCK, _HOUR), (_NUMBER, _NUMBER), (_DAY, _DAY), (_NAMED, _NAMED),
    (_NAME, _NAME),
)  # fmt: skip
"""The kinds of values, each with the pattern by which a sentence contains them."""
_KIND = re.compile(r" \((.+)\)$")


def said_order(version: Version) -> tuple[int, uuid.UUID, Span]:
    """Return a sort key for the order in which versions were said."""
    return version.position, version.fact, version.valid


def telling(positions: Sequence[int]) -> Telling:
    """Return the places of turns by position, given all *positions* in the order in which they were told.

    >>> telling([1, 2, 5, 3, 4])
    {5: 3, 3: 4, 4: 5}
    """
    return {position: place for place, position in enumerate(positions, 1) if position != place}


def turns_ago(position: int, earlier: int, told: Telling) -> int:
    """Return how many turns before the one at *position* the one at an *earlier* position was told; below 1 if later.

    >>> turns_ago(5, 2, {5: 3, 3: 4, 4: 5}), turns_ago(5, 3, {5: 3, 3: 4, 4: 5}), turns_ago(5, 2, {})
    (1, -1, 3)
    """
    return told.get(position, position) - told.get(earlier, earlier)


def points_back(claim: Claim) -> bool:
    """Return whether a claim means what was told a few turns before, so that late turns may change what it means."""
    if claim.predicate == "*":
        return claim.mode != "assert" and not claim.effect
    return claim.mode == "correct" and not (claim.wrong or claim.single_valued)


def corrected(believed: Believed, claim: Claim, told: Telling) -> list[Version]:
    """Return the beliefs that a correction may take back: those it names, the only value held, or recent ones.

    For a multi-valued predicate all recent ones are returned: the choice is ambiguous.
    """
    if claim.predicate == "*" and is_sentence(claim.object):
        return _restated(believed, claim, told)
    if claim.predicate == "*":
        said = _saying(believed, claim, told)
        if said or not _is_value(claim.object):
            return said or [v for v in _latest(believed, claim, told) if _may_mean_date(v, claim.object)]
        is_name = _NAME.fullmatch(claim.object) and not _DAY.fullmatch(claim.object)
        found = _of_a_kind(believed, claim, told)
        if _MEASURE.fullmatch(claim.object) and all(one.session != claim.session for one in found):
            return _of_a_unit(believed, claim)
        return found or (_latest(believed, claim, told) if is_name else [])
    if claim.wrong:
        wrong = replace(claim, object=claim.wrong)
        found = targets(believed, wrong, told) or named(believed, wrong)
    else:
        found = _about(believed, claim) if claim.single_valued else _lately(believed, claim, told)
    return [version for version in found if version.valid.covers(claim.valid_from)]


def _restated(believed: Believed, claim: Claim, told: Telling) -> list[Version]:
    """Return the beliefs from which a whole sentence differs in one word, lately told; or, in a number, told ever."""
    held = (version for versions in believed.values() for version in versions)
    found = [(version, as_one_word(claim, version)) for version in held if version.valid.covers(claim.valid_from)]
    found = [(version, word) for version, word in found if word is not claim]
    counted = [version for version, word in found if word.object[0].isdigit()]
    lately = [version for version, _ in found if _is_near(version, claim, RECENT_POSITIONS, told)]
    near = [version for version in lately if version.session == claim.session]
    return near or ([] if claim.certainty == "implied" else counted)


def _saying(believed: Believed, claim: Claim, told: Telling) -> list[Version]:
    """Return the latest beliefs, of either form, that contain the word which a correction takes back."""
    words = _words(claim.wrong)
    if not words:
        return []
    lately = (v for form in ("typed", "statement") for v in _lately(believed, replace(claim, form=form), told))
    return _told_last((version for version in lately if words <= _words(text_of(version))), told)


def value_in(text: str, meant: str) -> str | None:
    """Return the one value in *text* of the kind of *meant*: a date, a number, a day of the week or a name; None if
    there are more, or if it is measured in another unit.

    >>> value_in("The api listens on 8080", "8081"), value_in("Deploys go out on Fridays", "Tuesdays")
    ('8080', 'Fridays')
    >>> value_in("Ada's cleaner is called Julie", "called Judy"), value_in("Ada met Julie", "called Judy")
    ('called Julie', None)
    >>> value_in("8080 and 8081 are open", "8082"), value_in("Rex (dog)", "Max"), value_in("Rome or Oslo", "York")
    (None, 'Rex', None)
    """
    measured, measures = _MEASURE.fullmatch(meant), list(_MEASURE.finditer(text))
    if measured and measures:
        same = [one[0] for one in measures if one["unit"].casefold() == measured["unit"].casefold()]
        return same[0] if len(same) == 1 else None
    meant = measured["number"] if measured else meant
    kind = next((inside for alone, inside in _KINDS if alone.fullmatch(meant)), None)
    found = kind.findall(text) if kind else []
    return found[0] if len(found) == 1 else None


def value_of(version: Version, meant: str) -> str | None:
    """Return the one value of the kind of *meant* in what is said of the subject of a belief."""
    if version.form == "typed":
        return value_in(version.object, meant)
    said = re.sub(re.escape(version.subject), "", version.text, flags=re.IGNORECASE)
    return value_in(said.partition(" ")[2] if _NAME.fullmatch(meant) else version.text, meant)


def in_place_of(old: Version, claim: Claim) -> Claim:
    """Return a correction in the words of the belief that it corrects, with the wrong word replaced."""
    if claim.predicate == "*" and is_sentence(claim.object):
        claim = as_one_word(claim, old)
    value = (claim.wrong or value_of(old, claim.object)) if claim.predicate == "*" else None
    if old.form == "typed" and value is None:
        return claim
    wrong = re.compile(rf"(?<!\w){re.escape(claim.wrong or value or '')}(?!\w)", re.IGNORECASE)
    if value and _ISO_DATE.fullmatch(claim.object):
        wrong = _ANY_DATE  # words and object write the same day in two ways
    object_, text = (wrong.sub(lambda found: _written(claim.object, found[0]), said) for said in (old.object, old.text))
    return replace(claim, form=old.form, tense=old.tense, object=object_, text=text)


def _written(right: str, wrong: str) -> str:
    """Return the *right* value as the *wrong* one is written: a date in figures or in words."""
    if not _ISO_DATE.fullmatch(right) or _ISO_DATE.fullmatch(wrong):
        return right
    in_words = on(date.fromisoformat(right)).removeprefix("on ")
    number, month, _ = in_words.split()
    if wrong[0].isalpha():
        return f"{month} {number}"
    return in_words if wrong[-1].isdigit() else f"{number} {month}"


def _may_mean_date(version: Version, meant: str) -> bool:
    """Return False if *meant* is a date, but not the whole object of *version*: an appointment is more than its day."""
    return not _DATE.match(meant) or version.form != "typed" or _DATE.match(version.object) is not None


def _is_value(meant: str) -> bool:
    return _MEASURE.fullmatch(meant) is not None or any(alone.fullmatch(meant) for alone, _ in _KINDS)


def says_which(claim: Claim) -> bool:
    """Return whether a correction says what it corrects by more than its place: by a unit, or in a whole sentence."""
    return _MEASURE.fullmatch(claim.object) is not None or is_sentence(claim.object)


def _of_a_unit(believed: Believed, claim: Claim) -> list[Version]:
    """Return all beliefs about the claim's subject that give a measure in its unit."""
    held = [version for versions in believed.values() for version in versions if version.valid.covers(claim.valid_from)]
    own = (version for version in held if is_own(claim.subject, version.subject) and _MEASURE.search(text_of(version)))
    return [version for version in own if value_of(version, claim.object) not in (None, claim.object)]


def _of_a_kind(believed: Believed, claim: Claim, told: Telling) -> list[Version]:
    """Return the latest beliefs in the claim's session that contain one value of its kind: a number for a number."""
    name = _NAME.fullmatch(claim.object) is not None
    reach = NAMED_POSITIONS if _NAMED.fullmatch(claim.object) else RECENT_POSITIONS
    reach = IMPLIED_POSITIONS if claim.certainty == "implied" else reach
    found = (
        version
        for versions in believed.values()
        for version in versions
        if _is_near(version, claim, reach, told)
        and (is_own(claim.subject, version.subject) or not name)
        and value_of(version, claim.object) not in (None, claim.object)
    )
    return _told_last(found, told)


def _is_near(version: Version, claim: Claim, reach: int, told: Telling) -> bool:
    """Return True for what was said shortly before in the same session, or last before it began."""
    ago = turns_ago(claim.source.position, version.position, told)
    return 0 < ago <= (reach if version.session == claim.session else NAMED_POSITIONS)


def _told_last(versions: Iterable[Version], told: Telling) -> list[Version]:
    """Return the versions of the turn that was told last."""
    places = [(told.get(version.position, version.position), version) for version in versions]
    last = max((place for place, _ in places), default=0)
    return [version for place, version in places if place == last]


def _latest(believed: Believed, claim: Claim, told: Telling) -> list[Version]:
    """Return the latest beliefs about the claim's subject in its session, a few episodes back."""
    return _told_last(_lately(believed, claim, told), told)


def _lately(believed: Believed, claim: Claim, told: Telling) -> list[Version]:
    return [
        version
        for versions in believed.values()
        for version in versions
        if normal(version.subject) == normal(claim.subject)
        or (claim.predicate == "*" and is_own(claim.subject, version.subject))
        if version.session == claim.session
        and _is_near(version, claim, RECENT_POSITIONS, told)
        and version.form == claim.form
        and claim.predicate in ("*", version.predicate)
    ]


def targets(believed: Believed, claim: Claim, told: Telling) -> list[Version]:
    """Return the beliefs that a claim ends or forgets, in the order they were said.

    A statement's end that gives its text ends only that statement, if it is held, and no other that contains the same
    words.
    """
    about = _latest(believed, claim, told) if claim.predicate == "*" else _about(believed, claim)
    meant = [version for version in about if means(version, claim.object) and not _of_part(claim, version)]
    whole = claim.mode == "end" and claim.form == "statement" and bool(claim.text)
    exact = [version for version in meant if compared_words(version) == compared_words(claim)] if whole else []
    return sorted(exact or meant, key=said_order)


def named(believed: Believed, claim: Claim) -> list[Version]:
    """Return the typed beliefs whose objects contain all words of the claim's object, in the order they were said.

    `the meeting` matches a meeting with Ana, `Max` a dog of that name. A kind matches all things of that kind. The end
    of one of several things in an object matches nothing.
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
        found or [one for one in _about(believed, claim) if normal(claim.object) in coated(one)], key=said_order
    )


def _of_part(claim: Claim, version: Version) -> bool:
    """Return True for the end of one of several things that a belief names."""
    return claim.mode == "end" and claim.form == "typed" and is_part(words_of(claim.object), version)


def is_kind(version: Version, object_: str) -> bool:
    """Return whether *object_* is the kind of a belief's object: the dog in `Rex (dog)`."""
    kind = _KIND.search(version.object)
    return kind is not None and normal(kind[1]) == normal(object_)


def others_of_the_name(believed: Believed, claim: Claim) -> list[Version]:
    """Return the subject's beliefs about another thing with the name of the thing that *claim* ends.

    "I sold the bike" may also mean the second bike.
    """
    named = re.compile(
        rf"\b(?:second|third|other|another|spare) (?:[\w-]+ ){{0,2}}?{re.escape(claim.object)}\b", re.IGNORECASE
    )
    return [
        version
        for versions in believed.values()
        for version in versions
        if normal(version.subject) == normal(claim.subject)
        and version.valid.covers(claim.valid_from)
        and named.search(f"{version.object} {text_of(version)}")
    ]


def _about(believed: Believed, claim: Claim) -> list[Version]:
    about = belief_key(*identity(claim), single_valued=True)[:2]
    return [version for key, versions in believed.items() if key[:2] == about for version in versions]


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))
