"""Plans with a name in them: `going to Portugal`, which `going to Scotland instead` takes the place of."""

import re
from functools import lru_cache

from slowwave.core.contradiction.fulfilment import planned
from slowwave.core.contradiction.kinds import kinds_in
from slowwave.core.contradiction.stemming import stem, stems
from slowwave.core.predicates.english import DAY, MONTH, these

_NAMED = re.compile(r"\b(?P<verb>[a-z]+)(?P<by> (?:to|in|with|at|through|around))? (?P<name>[A-Z][\w'-]+)")
_NO_VERB = these("the a an my our and or of from is are on by this next last")
_NO_NAME = re.compile(rf"I\b|(?i:{DAY}|{MONTH}|christmas|easter)")

TRIPS = frozenset(("trip", "holiday", "vacation", "journey", "getaway", "flight"))
"""Stems of words for a journey: `the Rome trip` is off for who is going to Rome."""
_TRAVELLED = re.compile(r"(?:go|going|fly|travel|drive|head|sail|cycl|off) to|visit|(?:go|going|travel) around")
_OF_ANYTHING = stems(
    """buy get do make have take go see order bring find try use start visit read meet call ring watch eat drink cook
    play write send talk ask"""
)
"""Verbs of so many things that a plan for one does not displace a plan for another, unless both are of one kind."""
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
    return frozenset(plans) | (trips if any(map(_TRAVELLED.fullmatch, plans)) else frozenset())


def verbs_instead(now: str) -> frozenset[str]:
    """Return the verbs of what *now* says that somebody does or plans in place of something else.

    >>> verbs_instead("going to Oslo"), verbs_instead("going to study medicine"), verbs_instead("fine")
    (frozenset({'going to'}), frozenset({'study'}), frozenset())
    """
    plan = planned(now)
    return frozenset(named_plans(now)) | (plan.verbs if plan and plan.thing else frozenset())


def is_displaced(before: str, now: str) -> bool:
    """Return whether what was planned *before* is what *now* names another place, person or thing for.

    >>> is_displaced("Sam is going to study law", "going to study medicine")
    True
    >>> is_displaced("Sam is planning to buy an Audi", "going to buy a lamp")
    False
    """
    other = named_plans(now)
    if any(plan in other and other[plan] != name for plan, name in named_plans(before).items()):
        return True
    old, new = planned(before), planned(now)
    if old is None or new is None or not old.verbs or old.verbs != new.verbs:
        return False
    if not (old.thing and new.thing) or old.thing[-1] == new.thing[-1]:
        return False
    return old.verbs.isdisjoint(_OF_ANYTHING) or not kinds_in(old.thing).isdisjoint(kinds_in(new.thing))


def is_under_way(text: str, now: str) -> bool:
    """Return whether *text* says that somebody is doing what *now* says that they do with something else.

    >>> is_under_way("Sam is learning Spanish", "learning Italian"), is_under_way("Sam learns Welsh", "learning Irish")
    (True, False)
    """
    return f" is {now.split()[0]} " in text
