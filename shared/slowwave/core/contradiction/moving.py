"""The new date of what was moved: it keeps its owner, and what is delayed comes after the date that it had."""

import re
from dataclasses import replace
from datetime import date, timedelta
from typing import NamedTuple

from slowwave.core.beliefs.identity import text_of
from slowwave.core.beliefs.versions import Version
from slowwave.core.contradiction.stemming import words_of
from slowwave.domain.claim import Claim

_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_LONGEST_MONTH = 31


class Moved(NamedTuple):
    """*news* that gave a *version* another date."""

    news: Claim
    version: Version


def as_moved(claim: Claim, moved: Moved) -> Claim:
    """Return a claim of a date, told with the news that its matter *moved*, as the new date of what was held.

    An appointment stays its owner's. If it is delayed, and the date told is not after the old one, it is the next day
    of that number after it.
    """
    old = moved.version
    before = _DAY.search(old.object) if old.form == "typed" else None
    told_with = claim.source.episode == moved.news.source.episode and claim.form == "typed"
    if before is None or not told_with or not _DAY.fullmatch(claim.object):
        return claim
    if not set(words_of(claim.subject)) <= {*words_of(old.subject), *words_of(text_of(old))}:
        return claim
    told, held = date.fromisoformat(claim.object), date.fromisoformat(before[0])
    day = _next(told.day, held) if moved.news.effect == "delay" and told <= held else told
    ends = claim.valid_to and claim.valid_to + (day - told)
    return replace(
        claim, subject=old.subject, predicate=old.predicate, single_valued=old.key[2] is None, valid_to=ends,
        object=old.object.replace(before[0], day.isoformat()),
    )  # fmt: skip


def _next(number: int, after: date) -> date:
    """Return the first day of that *number* of a month *after* a date: of the month after the next if none has it."""
    days = (after + timedelta(days=ahead) for ahead in range(1, 2 * _LONGEST_MONTH + 1))
    return next(day for day in days if day.day == number)
