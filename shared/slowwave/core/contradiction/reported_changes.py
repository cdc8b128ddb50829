"""News: claims that report a change of something (the *matter*), and the words that name the matter."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date, timedelta
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

from slowwave.core.beliefs.identity import text_of
from slowwave.core.beliefs.versions import Version
from slowwave.core.contradiction.belief_state import DATED, PLACED, day_in, without_day
from slowwave.core.contradiction.fulfilment import DUE, deed
from slowwave.core.contradiction.kinds import kinds_in, verbs_instead
from slowwave.core.contradiction.namesakes import WHICH
from slowwave.core.contradiction.nouns import SIDES
from slowwave.core.contradiction.people import EVERY
from slowwave.core.contradiction.values import in_place_of, value_of
from slowwave.core.contradiction.words import words_of
from slowwave.domain.claim import Claim, Effect

ENDING = ("end", "finish", "pass")
"""The effects of news that a matter has ended."""
GOING = ("leave", "move", "delay", "relocate")
"""The effects that may concern only a person. For example, `Albert moved` does not move the date with Albert."""
MOVING = ("move", "delay")
"""The effects of news that a matter has a new date."""
REPLACING = (*MOVING, "switch", "relocate")
"""The effects of news that may contain a new date, time, version or place."""
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_VERSION = re.compile(r"\d+(?:\.\d+)*$")
_YEAR = re.compile(r"(?:19|20)\d\d")
_LONGEST_MONTH = 31


def is_news(claim: Claim) -> bool:
    """Return whether *claim* is news: it reports a change, and names the changed thing by words, a kind or a verb."""
    match claim.effect:
        case "":
            return False
        case "switch":
            return bool(kinds_in(words_of(claim.object)))
        case "instead":
            return bool(verbs_instead(claim.object))
    return bool(words_of(claim.object))


def is_ours(news: Claim) -> bool:
    """Return whether *news* is about a thing of the speaker and of others who spoke of `us` (`our garden`)."""
    return news.subject != EVERY and news.object.startswith("our ")


def matter_of(news: Claim) -> tuple[str, ...]:
    """Return the stems of the words that name the thing that changed, the most specific stem last.

    If the thing ended, names of places and receivers are left out, since not every belief contains them.
    """
    return _matter(news.effect, news.object)


@lru_cache(maxsize=4_096)
def _matter(effect: str, report: str) -> tuple[str, ...]:
    if effect == "fulfil":
        return deed(report).thing or words_of(report)
    whole = words_of(without_day(report))
    nameless = WHICH.sub(lambda found: found[0] if found["how"] == "with" or DATED.match(found["name"]) else "", report)
    words = (words_of(nameless) or whole) if effect in ENDING else whole
    return tuple(word for word in words if word not in SIDES) or words


def head(news: Claim) -> str:
    """Return the stem by which the store finds *news*.

    It is the stem of the last word that names the thing, of a kind (`switch`), or of the new plan's verb (`instead`).
    """
    if news.effect == "instead":
        return min(verbs_instead(news.object))
    return min(kinds_in(words_of(news.object))) if news.effect == "switch" else matter_of(news)[-1]


class Moved(NamedTuple):
    """*news* that gave a *version* another date.

    *version* is None if a person must decide which of several versions has the new date.
    """

    news: Claim
    version: Version | None


def is_asked(claim: Claim, moved: Moved | None) -> bool:
    """Return whether *claim* is a new date for a thing about which a person is already asked."""
    if moved is None or moved.version or claim.source.episode != moved.news.source.episode or claim.form != "typed":
        return False
    named = _DAY.sub("", f"{claim.subject} {claim.object}")
    return day_in(claim.object) is not None and set(words_of(named)) <= set(words_of(moved.news.object))


def as_moved(claim: Claim, moved: Moved) -> Claim:
    """Return *claim*, a new value for a thing whose date *moved*, as a claim about the old belief of this thing.

    The value is a date, a time, a weekday, a place or a version. If *claim* is not about the thing, it is returned
    unchanged. The owner of an appointment stays. A day without a month is in the month of the old day, unless that day
    has passed. If the thing is delayed and the day is not after the old day, the next day of that number is meant.
    """
    old, same_episode = moved.version, claim.source.episode == moved.news.source.episode
    if old is None or not same_episode:
        return claim
    if claim.subject == EVERY and moved.news.effect == "switch":
        now = _VERSION.sub(claim.object, old.object)
        return replace(claim, subject=old.subject, predicate=old.predicate, object=now)
    if claim.subject == EVERY:
        return _at(claim, old, moved.news.effect)
    old_day, new_day = day_in(old.object if old.form == "typed" else old.text), day_in(claim.object)
    if old_day is None or new_day is None or claim.form != "typed":
        return claim
    if not _names(f"{claim.subject} {_DAY.sub('', claim.object)}", old):
        return claim
    day = new_day
    if moved.news.effect == "delay" and new_day <= old_day:
        day = _next(new_day.day, old_day)
    elif claim.certainty == "implied":
        same = _next(new_day.day, old_day.replace(day=1) - timedelta(days=1))
        day = same if same.month == old_day.month and same > claim.valid_from.date() else new_day
    ends = claim.valid_to and claim.valid_to + (day - new_day)
    return _now(old, replace(claim, object=day.isoformat(), valid_to=ends))


def _at(claim: Claim, old: Version, effect: Effect) -> Claim:
    """Return the old belief with the time, weekday or place of *claim*, or *claim* itself if it does not fit."""
    matter, _, value = claim.object.rpartition(" to ")
    if not matter or not _names(matter, old):
        return claim
    if place := PLACED.match(text_of(old)) if effect == "relocate" else None:
        there = f"{place['what']} moved to {value}"
        return _of(old, replace(claim, form="statement", object=there, text=there))
    known = value_of(old, value)
    if known and not _YEAR.fullmatch(known):
        return _now(old, replace(claim, object=value))
    if value[0].isdigit() and day_in(old.object if old.form == "typed" else old.text):
        return _of(old, replace(claim, object=old.object, text=old.text, form=old.form, tense=old.tense))
    return claim


def _names(words: str, old: Version) -> bool:
    """Return whether *words* contain only words of the old belief."""
    return set(words_of(words)) - DUE <= set(words_of(f"{old.subject} {text_of(old)}"))


def _now(old: Version, claim: Claim) -> Claim:
    """Return the old belief with the value of *claim*."""
    return _of(old, in_place_of(old, replace(claim, predicate="*")))


def _of(old: Version, claim: Claim) -> Claim:
    return replace(claim, subject=old.subject, predicate=old.predicate, single_valued=old.single_valued)


def _next(number: int, after: date) -> date:
    """Return the first date after *after* that is day *number* of a month."""
    days = (after + timedelta(days=ahead) for ahead in range(1, 2 * _LONGEST_MONTH + 1))
    return next(day for day in days if day.day == number)


def changes(claims: Iterable[Claim]) -> list[Claim]:
    """Return the *claims* which say that a belief no longer holds, or never held."""
    return [claim for claim in claims if claim.mode in ("end", "forget") or claim.predicate == EVERY]


def with_rule_news(claims: Iterable[Claim], news: Iterable[Claim]) -> list[Claim]:
    """Return the *claims* of a model, together with the *news* that rules found in the same turns, with new ordinals.

    News is dropped if the model ends or corrects something and cites the same words. A correction without the wrong
    value is dropped if the model makes any claim from the same words. A claim that only says that somebody left is
    dropped if the same words end the role of this person, and the turn has another assertion. The claims are in order
    of turns. Within a turn, news comes first, so that it does not end claims of the turn.
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
    """Return the claims of a turn without claims that only say that somebody left.

    If the rest would have no assertion, return all claims.
    """
    remaining = [claim for claim in turn if not _only_leaves(claim, turn)]
    return remaining if any(claim.mode == "assert" for claim in remaining) else list(turn)


def _only_leaves(claim: Claim, turn: Sequence[Claim]) -> bool:
    """Return whether *claim* names only subjects of the turn's claims, and the same words also end the role of its
    subject.
    """
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
