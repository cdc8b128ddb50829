"""Kinds of things of which a person uses only one at a time, such as browsers, and plans that another plan replaces."""

import re
from collections.abc import Collection
from functools import lru_cache

from slowwave.core.contradiction.fulfilment import planned
from slowwave.core.contradiction.words import TEXTS, stem, stems, words_of
from slowwave.core.predicates.english import DAY, MONTH, these
from slowwave.word_lists import texts

_things = {tuple(named.split(", ")): things for named, things in texts("kinds").items()}
_VERBS_OF = {
    "used": TEXTS["use of a kind"],
    "subscribed to": "be have use pay subscribe",
    "studied": "study major",
    "drunk": "drink take",
    "driven": "drive",
    "named": "",
}
_KINDS = [(kind, _VERBS_OF[had], things) for (kind, had), things in _things.items()]
"""Each kind, the verbs for having one, and its things."""
_VERBS = {kind: stems(verbs) for kind, verbs, _ in _KINDS}
_THINGS = [(frozenset(words_of(thing)), kind) for kind, _, things in _KINDS for thing in things.split(";")]
NAMES = "|".join(
    re.escape(name)
    for name in sorted(
        {name.strip() for _, verbs, things in _KINDS if verbs for name in things.split(";")}, key=lambda n: (-len(n), n)
    )
)
"""A pattern for the names of all listed things, in lower case, longer ones first."""
_BESIDE = [stems(words) for words in TEXTS["had together"].split(";")]
"""Stems of things of which people may have several at the same time."""
_WORD = re.compile("[a-z]+")
_KNOWN = frozenset().union(*(words for words, _ in _THINGS))
_OTHERS = stems("tv telly television fridge freezer oven dishwasher microwave dryer monitor printer piano bike seat")
"""Stems of things that have the name of a phone or a car, but are neither, such as a Samsung TV or a car seat."""
_SINGLE = {"employer": "works_at", "household": "lives_in"}
"""Kinds that are named by the kind itself, with their predicates."""
_TYPED = frozenset(("team_uses", "drives", "owns", "has", "runs_on", "studies", "customer_of"))
_NAMED = re.compile(r"\b(?P<verb>[a-z]+)(?P<by> (?:to|in|with|at|through|around))? (?P<name>[A-Z][\w'-]+)")
_NO_VERB = these("the a an my our and or of from is are on by this next last")
_NO_NAME = re.compile(rf"I\b|(?i:{DAY}|{MONTH}|christmas|easter)")
TRIPS = frozenset(("trip", "holiday", "vacation", "journey", "getaway", "flight"))
"""Stems of words for a journey. The cancelled `Rome trip` ends the plan to go to Rome."""
_TRAVELLED = re.compile(r"(?:go|going|fly|travel|drive|head|sail|cycl|off) to|visit|(?:go|going|travel) around")
_OF_ANYTHING = stems(TEXTS["of anything"])
"""General verbs. A plan with such a verb replaces another plan only if both plans are about things of one kind."""
_WEDDING = re.compile(r"\b(?:marry|marrying|(?:get|getting|be) married)\b")


@lru_cache(maxsize=4_096)
def things_in(words: frozenset[str]) -> frozenset[tuple[str, frozenset[str]]]:
    """Return each thing that the stems *words* name, as its kind and its stems. `Apple Music` is one thing.

    >>> things_in(frozenset(words_of("uses Firefox"))) == {("browser", frozenset({"firefox"}))}
    True
    """
    if words.isdisjoint(_KNOWN) or not words.isdisjoint(_OTHERS):
        return frozenset()
    found = [(kind, thing) for thing, kind in _THINGS if thing <= words]
    return frozenset((kind, thing) for kind, thing in found if not any(thing < other for _, other in found))


def kinds_in(words: Collection[str]) -> frozenset[str]:
    """Return the kinds of the things that the stems *words* name."""
    return frozenset(kind for kind, _ in things_in(frozenset(words)))


@lru_cache(maxsize=16_384)
def names_used(predicate: str, words: frozenset[str]) -> frozenset[str]:
    """Return the stems of the names of kinds, such as `phone`, for the things that somebody has or uses according to a
    belief with *predicate* and *words*.

    >>> names_used("have", frozenset({"iphon"})), names_used("like", frozenset({"iphon"}))
    (frozenset({'phon'}), frozenset())
    """
    verb = _verb(predicate)
    kinds = (kind for kind in kinds_in(words) if predicate in _TYPED or not verb.isdisjoint(_VERBS[kind]))
    return frozenset(word for kind in kinds for word in words_of(kind))


def are_of_one_kind(one: str, other: str) -> bool:
    """Return whether two stems name different things of one kind, and are not synonyms.

    >>> are_of_one_kind("cat", "dog"), are_of_one_kind("labrador", "dog")
    (True, False)
    """
    mine, its = kinds_in((one,)), kinds_in((other,))
    return not mine.isdisjoint(its) or any({one, other} <= each for each in _BESIDE)


def _verb(predicate: str) -> set[str]:
    return {stem(word) for word in _WORD.findall(predicate)} | ({"be"} if predicate.endswith(": name") else set())


def is_other_version(old: str, new: str) -> bool:
    """Return whether two version numbers can be versions of one thing, by their form.

    >>> is_other_version("3.13", "3.11"), is_other_version("3.13", "15.2"), is_other_version("20", "3.11")
    (True, False, False)
    """
    mine, its = old.split("."), new.split(".")
    alike = mine[0] == its[0] if len(mine) > 1 else bool(old)
    return old != new and alike and (len(mine) > 1) == (len(its) > 1)


def _number(words: Collection[str]) -> str:
    numbers = [word for word in words if word[0].isdigit()]
    return numbers[0] if len(numbers) == 1 else ""


def is_left(form: str, predicate: str, words: frozenset[str], new: Collection[str]) -> bool:
    """Return whether a belief with *predicate* and *words* is about using a thing, and *new* names another thing of the
    same kind.

    >>> is_left("statement", "use", frozenset({"firefox"}), ("brav",))
    True
    >>> is_left("statement", "like", frozenset({"firefox"}), ("brav",))
    False
    """
    gone_over_to = dict(things_in(frozenset(new)))
    if not gone_over_to.keys().isdisjoint(_SINGLE):
        return any(predicate == _SINGLE.get(kind) for kind in gone_over_to) and not words.issuperset(new)
    if "version" in gone_over_to:
        return form == "typed" and is_other_version(_number(words), _number(new))
    verb = _verb(predicate)
    return any(
        kind in gone_over_to
        and gone_over_to[kind] != thing
        and not gone_over_to[kind] <= words
        and (predicate in _TYPED if form == "typed" else not verb.isdisjoint(_VERBS[kind]))
        for kind, thing in things_in(words)
    )


@lru_cache(maxsize=4_096)
def named_plans(text: str) -> dict[str, str]:
    """Return the names in *text* that follow a verb, by verb and preposition.

    >>> named_plans("Nora is going to Portugal in July 2026"), named_plans("I meet Ana on Tuesday")
    ({'going to': 'Portugal'}, {'meet': 'Ana'})
    """
    found = (one for one in _NAMED.finditer(text) if one["verb"] not in _NO_VERB and not _NO_NAME.match(one["name"]))
    return {f"{stem(one['verb'])}{one['by'] or ''}": one["name"] for one in found}


@lru_cache(maxsize=16_384)
def plan_words(text: str) -> frozenset[str]:
    """Return the words by which a report of a change refers to a plan: the plan's verbs, and words such as `trip` and
    `wedding`.
    """
    plans = {*named_plans(text), *([stem("wedding")] if _WEDDING.search(text) else ())}
    trips = TRIPS if "fly to" in plans else TRIPS - {"flight"}
    return frozenset(plans) | (trips if any(map(_TRAVELLED.fullmatch, plans)) else frozenset())


def verbs_instead(now: str) -> frozenset[str]:
    """Return the verbs of *now*, an activity or plan that replaces another.

    >>> verbs_instead("going to Oslo"), verbs_instead("going to study medicine"), verbs_instead("fine")
    (frozenset({'going to'}), frozenset({'study'}), frozenset())
    """
    plan = planned(now)
    return frozenset(named_plans(now)) | (plan.verbs if plan and plan.thing else frozenset())


def is_displaced(before: str, now: str) -> bool:
    """Return whether *now* names another place, person or thing for the plan *before*.

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
    """Return whether *text* says that the activity in *now* is in progress.

    >>> is_under_way("Sam is learning Spanish", "learning Italian"), is_under_way("Sam learns Welsh", "learning Irish")
    (True, False)
    """
    return f" is {now.split()[0]} " in text
