"""Spellings of one thing: with an article or without, one or several. Words decide, never how near vectors lie."""

import re
from dataclasses import replace

from slowwave.core.beliefs.identity import normal
from slowwave.domain.claim import Claim

_ARTICLE = re.compile(r"^(?:an?|the|some)\s+(?=\S)", re.IGNORECASE)
_PLAIN_WORD = re.compile(r"(?:^|\s)[a-z]{3,}$")
_HISSES = ("s", "x", "z", "ch", "sh")


def spellings(object_: str) -> list[str]:
    """Return how else *object_* may be written, normalised as beliefs compare it, without itself.

    A name has no plural, nor has a word that ends like one and may be none.

    >>> spellings("the red apples")
    ['red apple', 'a red apple', 'an red apple', 'the red apple', 'red apples']
    >>> spellings("Adams"), spellings("jazz")
    (['the adams'], ['the jazz'])
    """
    words = _ARTICLE.sub("", " ".join(object_.split()))
    forms = [normal(one) for one in _numbers(words)]
    first, counted = forms[0], len(forms) > 1
    found = [first, *([f"a {first}", f"an {first}"] if counted else []), f"the {first}"]
    found += [each for many in forms[1:] for each in (many, f"the {many}")]
    return [one for one in dict.fromkeys(found) if one != normal(object_)]


def respelled(claim: Claim) -> list[Claim]:
    """Return *claim* with its object written otherwise, of a typed one that is one of many; else none."""
    if claim.form != "typed" or claim.single_valued or claim.mode not in ("assert", "correct"):
        return []
    return [replace(claim, object=spelling) for spelling in spellings(claim.object)]


def same_thing(one: str, other: str) -> bool:
    """Return whether two objects, as they were said, are one thing in other spellings.

    >>> same_thing("a dog", "Dogs"), same_thing("adam", "Adams"), same_thing("red shoes", "blue shoes")
    (False, False, False)
    >>> same_thing("the dogs", "a dog"), same_thing("boxes", "box"), same_thing("berry", "berries")
    (True, True, True)
    """
    return normal(one) in (normal(other), *spellings(other)) and normal(other) in (normal(one), *spellings(one))


def _numbers(words: str) -> list[str]:
    """The words as of one and as of many, in this order; the words alone where they are a name or count nothing."""
    if not _PLAIN_WORD.search(words) or words.endswith(("ss", "us", "is", "zz", "ing")):
        return [words]
    single = _single(words)
    return [single, _many(single)] if _single(_many(single)) == single else [words]


def _single(words: str) -> str:
    if words.endswith("ies") and len(words) > 4:
        return f"{words[:-3]}y"
    if words.endswith("es") and words[:-2].endswith(_HISSES):
        return words[:-2]
    return words[:-1] if words.endswith("s") else words


def _many(single: str) -> str:
    if single.endswith("y") and not single.endswith(("ay", "ey", "oy", "uy")):
        return f"{single[:-1]}ies"
    return f"{single}es" if single.endswith(_HISSES) else f"{single}s"
