"""The names, places and devices by which a sentence says which of several things it is about."""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import combinations

from slowwave.core.beliefs.identity import BeliefKey, normal, text_of
from slowwave.core.beliefs.versions import Version
from slowwave.core.contradiction.nouns import is_one_of
from slowwave.core.contradiction.standing import DATED, is_part
from slowwave.core.contradiction.stemming import words_of
from slowwave.core.predicates import Predicates
from slowwave.core.predicates.sentences import base
from slowwave.domain.claim import Claim

WHICH = re.compile(
    r" (?P<how>(?P<at>in|on|at|near)|to|with|of|from|for|by) (?:the )?(?P<name>[A-Z][\w'-]+(?: [A-Z][\w'-]+)*)"
)
"""A phrase with a name that says which of several things is meant: where it is, with whom, of what."""
_DEVICE = re.compile(
    r" on (?:my|our|the|that|their|his|her) "
    r"(?P<name>(?:[a-z]+ )?(?:laptop|desktop|phone|tablet|computer|pc|machine|tv|watch))\b"
)
"""A phrase that says on which of several devices something is used."""
_WHERE = re.compile(r" (?:on|in|at|for|with) (.+)", re.IGNORECASE)


@lru_cache(maxsize=4_096)
def _names_in(text: str) -> dict[str, set[str]]:
    """Return the stems of the names by which *text* says which thing it is about, by preposition; `at` for a place."""
    found: dict[str, set[str]] = {}
    for which in WHICH.finditer(text):
        if not DATED.match(which["name"]):
            found.setdefault("at" if which["at"] else which["how"], set()).update(words_of(which["name"]))
    for device in _DEVICE.finditer(f" {text}"):
        found.setdefault("device", set()).update(words_of(device["name"]))
    return found


def places_in(text: str) -> frozenset[str]:
    """Return the stems of the names of the places where *text* says that something is so.

    >>> places_in("Ada's wife works at Bosch")
    frozenset({'bosch'})
    """
    return frozenset(_names_in(text).get("at", ()))


def are_apart(one: str, other: str) -> bool:
    """Return whether two texts are about different things, as each says where, with whom or of what by another name.

    >>> are_apart("a garage in Bow Street", "a garage on Mill Lane"), are_apart("a garage", "a garage on Mill Lane")
    (True, False)
    """
    mine, its = _names_in(one), _names_in(other)
    return any(not (mine[how] <= its[how] or its[how] <= mine[how]) for how in mine.keys() & its.keys())


def is_elsewhere(told: str, believed: str) -> bool:
    """Return whether what is *told* is so at one place or for one thing, and what is *believed* is not said of that.

    >>> is_elsewhere("Xero for the business", "Sam uses Datev"), is_elsewhere("Brave at work", "uses Edge at work")
    (True, False)
    """
    where = _WHERE.search(told)
    there = words_of(where[1])[-1:] if where else ()
    return not set(there).issubset(words_of(believed)) or are_apart(told, believed)


def are_several(versions: Sequence[Version]) -> bool:
    """Return whether versions are about several things, told apart by names."""
    return any(are_apart(text_of(one), text_of(other)) for one, other in combinations(versions, 2))


def is_of_part(news: Claim, version: Version) -> bool:
    """Return whether *news* is about one of several things that a belief names or counts."""
    one = news.effect in ("end", "finish", "pass") and is_one_of(news.object, text_of(version))
    return one or is_part(words_of(news.object), version)


def predicate_and_verb(predicate: str) -> frozenset[str]:
    """Return a predicate and the verb by which statements say the same.

    >>> sorted(predicate_and_verb("works_at"))
    ['work', 'works_at']
    """
    verb = predicate.partition("_")[0]
    return frozenset((predicate, base(verb))) if verb.endswith("s") else frozenset((predicate,))


def with_other_statements(
    meant: Sequence[Version], words: str, held: Mapping[BeliefKey, Iterable[Version]], predicates: Predicates
) -> list[Version]:
    """Return the beliefs *meant*, with statements that say the same of another, if *words* name none of them: who
    `also works at a bookshop` has not said which job is over. No versions if there are no such statements.
    """
    said = set(words_of(words))
    typed = (version for version in meant if version.form == "typed" and version.key[2] is None)
    sentences = {
        normal(one.object): normal(predicates.sentence(one.subject, one.predicate, one.object))
        for one in typed
        if said.isdisjoint(words_of(one.object))
    }
    heads = tuple({text.partition(object_)[0] for object_, text in sentences.items()} - {""})
    beside = [
        version
        for versions in (held.values() if heads else ())
        for version in versions
        if version.form == "statement" and version not in meant and version.tense == "current"
        and normal(text_of(version)).startswith(heads)
    ]  # fmt: skip
    return [*meant, *beside] if beside else []
