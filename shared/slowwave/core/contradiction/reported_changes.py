"""Reported changes: the effects that news of a matter may have, the words that name the matter, and a new date."""

import re
from dataclasses import replace
from datetime import date, timedelta
from typing import NamedTuple

from slowwave.core.beliefs.identity import text_of
from slowwave.core.beliefs.versions import Version
from slowwave.core.contradiction.fulfilment import deed
from slowwave.core.contradiction.kinds import kinds_in
from slowwave.core.contradiction.nouns import SIDES
from slowwave.core.contradiction.people import EVERY
from slowwave.core.contradiction.plans import verbs_instead
from slowwave.core.contradiction.standing import DATED, day_in, without_day
from slowwave.core.contradiction.stemming import words_of
from slowwave.core.contradiction.values import in_place_of
from slowwave.core.contradiction.which import WHICH
from slowwave.domain.claim import Claim

ENDING = ("end", "finish", "pass")
"""The effects of news that a matter is over."""
GOING = ("leave", "move", "delay", "relocate")
"""The effects that may be news of a person alone: Albert has moved, and the date with him has not."""
MOVING = ("move", "delay")
"""The effects of news that a matter has another date."""
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_VERSION = re.compile(r"\d+(?:\.\d+)*$")
_LONGEST_MONTH = 31


def is_news(claim: Claim) -> bool:
    """Return whether *claim* says that a matter has changed, named by words: what is switched to by its kind, and what
    somebody does instead by its verb.
    """
    match claim.effect:
        case "":
            return False
        case "switch":
            return bool(kinds_in(words_of(claim.object)))
        case "instead":
            return bool(verbs_instead(claim.object))
    return bool(words_of(claim.object))


def is_ours(news: Claim) -> bool:
    """Return whether somebody has *news* of what is `ours`: it is of them, and of others who told of `us`."""
    return news.subject != EVERY and news.object.startswith("our ")


def matter_of(news: Claim) -> tuple[str, ...]:
    """Return the stems of the words that name the matter of *news*, the most specific last.

    For what has ended, these leave out the names of places and receivers: not every belief says where a garage is.
    """
    if news.effect == "fulfil":
        return deed(news.object).thing or words_of(news.object)
    whole = words_of(without_day(news.object))
    nameless = WHICH.sub(
        lambda found: found[0] if found["how"] == "with" or DATED.match(found["name"]) else "", news.object
    )
    words = (words_of(nameless) or whole) if news.effect in ENDING else whole
    return tuple(word for word in words if word not in SIDES) or words


def head(news: Claim) -> str:
    """Return the stem under which news is stored: that of its last word, a kind, or the verb of another plan."""
    if news.effect == "instead":
        return min(verbs_instead(news.object))
    return min(kinds_in(words_of(news.object))) if news.effect == "switch" else matter_of(news)[-1]


class Moved(NamedTuple):
    """*news* that gave a *version* another date."""

    news: Claim
    version: Version


def as_moved(claim: Claim, moved: Moved) -> Claim:
    """Return a claim of a date, told with the news that its matter *moved*, as the new date of what was held; a claim
    of a version of nothing named as one of what was left.

    An appointment stays its owner's. A day whose month is implied is one of the old month, unless that is over. If it
    is delayed, and the date told is not after the old one, it is the next day of that number after it.
    """
    old = moved.version
    if claim.subject == EVERY and claim.source.episode == moved.news.source.episode:
        now = _VERSION.sub(claim.object, old.object)
        return replace(claim, subject=old.subject, predicate=old.predicate, object=now)
    held, told = day_in(old.object if old.form == "typed" else old.text), day_in(claim.object)
    told_with = claim.source.episode == moved.news.source.episode and claim.form == "typed"
    if held is None or told is None or not told_with:
        return claim
    named = words_of(f"{claim.subject} {_DAY.sub('', claim.object)}")
    if not set(named) <= set(words_of(f"{old.subject} {text_of(old)}")):
        return claim
    day = told
    if moved.news.effect == "delay" and told <= held:
        day = _next(told.day, held)
    elif claim.certainty == "implied":
        same = _next(told.day, held.replace(day=1) - timedelta(days=1))
        day = same if same.month == held.month and same > claim.valid_from.date() else told
    ends = claim.valid_to and claim.valid_to + (day - told)
    dated = in_place_of(old, replace(claim, predicate="*", object=day.isoformat(), valid_to=ends))
    return replace(dated, subject=old.subject, predicate=old.predicate, single_valued=old.key[2] is None)


def _next(number: int, after: date) -> date:
    """Return the first day of that *number* of a month *after* a date: of the month after the next if none has it."""
    days = (after + timedelta(days=ahead) for ahead in range(1, 2 * _LONGEST_MONTH + 1))
    return next(day for day in days if day.day == number)
