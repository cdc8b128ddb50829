"""Plans with a name in them: `going to Portugal`, which `going to Scotland instead` takes the place of."""

import re
from functools import lru_cache

from slowwave.core.contradiction.stemming import stem
from slowwave.core.predicates.english import DAY, MONTH, these

_NAMED = re.compile(r"\b(?P<verb>[a-z]+)(?P<by> (?:to|in|with|at|through|around))? (?P<name>[A-Z][\w'-]+)")
_NO_VERB = these("the a an my our and or of from is are on by this next last")
_NO_NAME = re.compile(rf"I\b|(?i:{DAY}|{MONTH}|christmas|easter)")

TRIPS = frozenset(("trip", "holiday", "vacation", "journey", "getaway", "flight"))
"""Stems of words for a journey: `the Rome trip` is off for who is going to Rome."""


_WEDDING = re.compile(r"\b(?:marry|marrying|(?:get|getting|be) married)\b")


@lru_cache(maxsize=4_096)
def named_plans(text: str) -> dict[str, str]:
    """Return the verbs of *text* that a name follows, each with its preposition and that name.

    >>> named_plans("Nora is going to Portugal in July 2026"), named_plans("I meet Ana on Tuesday")
    ({'going to': 'Portugal'}, {'meet': 'Ana'})
    """
    found = (one for one in _NAMED.finditer(text) if one["verb"] not in _NO_VERB and not _NO_NAME.match(one["name"]))
    return {f"{stem(one['verb'])}{one['by'] or ''}": one["name"] for one in found}


def plan_words(text: str) -> frozenset[str]:
    """Return the words by which news of a plan finds it: its verbs, `trip` for a journey, `wedding` for a marriage."""
    plans = {*named_plans(text), *([stem("wedding")] if _WEDDING.search(text) else ())}
    trips = TRIPS if "fly to" in plans else TRIPS - {"flight"}
    return frozenset(plans) | (trips if any(plan.endswith(" to") or plan == "visit" for plan in plans) else frozenset())


def is_displaced(planned: str, now: str) -> bool:
    """Return whether what was *planned* is what *now* names another place or person for."""
    other = named_plans(now)
    return any(plan in other and other[plan] != name for plan, name in named_plans(planned).items())
