"""Beliefs that repeat a claim in the same words, or with another spelling of the object."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from slowwave.core.beliefs.identity import BeliefKey, ClaimOrVersion, compared_words, key_of, normal
from slowwave.core.beliefs.versions import Version
from slowwave.core.predicates.english import TEXTS, many, single, these
from slowwave.domain.claim import Claim

_ARTICLE = re.compile(r"^(?:an?|the|some)\s+(?=\S)", re.IGNORECASE)
_DOING = re.compile(r"(?P<stem>[a-z]*[aeiouy][a-z]+)ing(?P<rest> .*|)")
_TO_DO = re.compile(r"to (?P<verb>[a-z]{2,})(?P<rest> .*|)")
_DOUBLED = re.compile(r"([bdgmnprt])\1")
_SHORT = re.compile(r"[^aeiou]*[aeiou][bdgmnprt]")
_COATS = sorted(these(TEXTS["coats"]))
LONGEST = 200
"""The longest object, in characters, for which other spellings are tried."""


def spellings(object_: str) -> tuple[str, ...]:
    """Return the other spellings of *object_*, normalised for comparison, without *object_*.

    Names, and words that only look like plurals, get no other singular or plural.

    >>> spellings("the red apples")
    ('red apple', 'a red apple', 'an red apple', 'the red apple', 'red apples')
    >>> spellings("Adams"), spellings("jazz"), spellings("rowing at dawn")[0]
    (('the adams',), ('the jazz',), 'to row at dawn')
    """
    return () if len(object_) > LONGEST else _spelled(object_)


@lru_cache(maxsize=4096)
def _spelled(object_: str) -> tuple[str, ...]:
    words = _ARTICLE.sub("", " ".join(object_.split()))
    forms = [normal(one) for one in _numbers(words)]
    first, counted = forms[0], len(forms) > 1
    found = [*map(normal, _moods(words)), first]
    found += [*([f"a {first}", f"an {first}"] if counted else []), f"the {first}"]
    found += [each for several in forms[1:] for each in (several, f"the {several}")]
    return tuple(one for one in dict.fromkeys(found) if one != normal(object_))


def respelled(claim: Claim) -> list[BeliefKey]:
    """Return the keys of a typed *claim* with other spellings of its object.

    For a pet, the keys include the object with and without the colour of the coat. A single-valued predicate has no
    such keys.
    """
    if claim.form != "typed" or claim.single_valued or claim.mode not in ("assert", "correct"):
        return []
    subject, predicate, _ = key_of(claim)
    coat, _, bare = normal(claim.object).rpartition(" ")
    less = (bare,) if predicate == "pet" and coat in _COATS else ()
    return [(subject, predicate, spelling) for spelling in (*spellings(claim.object), *coated(claim), *less)]


def coated(belief: ClaimOrVersion) -> tuple[str, ...]:
    """Return a pet with each possible coat colour, for example `black cat` for `cat`; empty for other objects."""
    of_pet = belief.form == "typed" and belief.predicate == "pet" and " " not in belief.object
    return tuple(f"{coat} {normal(belief.object)}" for coat in _COATS) if of_pet else ()


def same_thing(one: str, other: str) -> bool:
    """Return whether two objects are the same thing in different spellings.

    >>> same_thing("a dog", "Dogs"), same_thing("adam", "Adams"), same_thing("red shoes", "blue shoes")
    (False, False, False)
    >>> same_thing("the dogs", "a dog"), same_thing("a child", "children"), same_thing("to swim", "swimming")
    (True, True, True)
    """
    return normal(one) in every_spelling(other) and normal(other) in every_spelling(one)


def every_spelling(object_: str) -> frozenset[str]:
    """Return all spellings of *object_*, including *object_*, normalised."""
    return frozenset((normal(object_), *spellings(object_)))


def _numbers(words: str) -> list[str]:
    before, space, last = words.rpartition(" ")
    one = single(last)
    several = many(one)
    return [f"{before}{space}{one}", f"{before}{space}{several}"] if several != one else [words]


def _moods(words: str) -> Iterator[str]:
    """Give the gerund of an infinitive ("rowing" for "to row"), or the infinitive of a gerund."""
    if found := _TO_DO.fullmatch(words):
        yield _doing(found["verb"]) + found["rest"]
    elif found := _DOING.fullmatch(words):
        stem = found["stem"]
        bases = [stem[:-1]] if _DOUBLED.fullmatch(stem[-2:]) else [stem, f"{stem}e"]
        yield from (f"to {base}{found['rest']}" for base in bases if f"{stem}ing" == _doing(base))


def _doing(verb: str) -> str:
    if verb.endswith("e") and not verb.endswith(("ee", "oe", "ye")):
        return f"{verb[:-1]}ing"
    return f"{verb}{verb[-1]}ing" if _SHORT.fullmatch(verb) else f"{verb}ing"


def match_versions(claim: Claim, believed: Sequence[Version]) -> list[bool]:
    """Return, for each version in *believed*, whether it says the same as *claim*."""
    words = compared_words(claim)
    if claim.form != "typed":
        return [compared_words(version) == words for version in believed]
    spelled, named = every_spelling(claim.object) | {*coated(claim)}, [normal(version.object) for version in believed]
    return [
        name == words or (name in spelled and names_same_object(version, claim))
        for version, name in zip(believed, named, strict=True)
    ]


def names_same_object(version: Version, claim: Claim) -> bool:
    """Return whether the object of a typed *claim* is the object of *version*, in any spelling or with less detail."""
    same = same_thing(version.object, claim.object) or normal(version.object) in coated(claim)
    return claim.form == "typed" and same
