"""Stems for comparing the things that beliefs and news are about, and words that report a change or a fault."""

import re
from functools import lru_cache

from slowwave.core.predicates.english import FUNCTION_WORDS, IRREGULAR, single, these
from slowwave.word_lists import patterns, texts

_WORD = re.compile(r"\d+(?:[.,:/]\d+)+|[^\W_]+(?:['\u2019][^\W_]+)?")
TEXTS = texts("contradiction")
"""The lists of `contradiction.txt`, by name."""
_GRAMMAR = FUNCTION_WORDS | these(TEXTS["grammar"])
"""Words that are not part of a matter's name."""
_ENDINGS = ("ing", "ied", "ed")
_NOUNS = frozenset(("bore", "bound", "felt", "lay", "shot", "thought", "wound"))
"""Verb forms that are mostly nouns or forms of other verbs."""
_FORMS = {form: forms[0] for forms in IRREGULAR for form in forms[1:] if form != forms[0] and form not in _NOUNS}
_FORMS |= dict(
    pair.split("/")
    for pair in these(
        """lives/live leaves/leave uses/use used/use using/use goes/go tried/try died/die dying/die agreed/agree
        seeing/see cancelled/cancel cancelling/cancel travelled/travel travelling/travel"""
    )
)
"""Irregular verb forms to their base forms."""
_REPORTS = patterns("reports")
_OVER = re.compile(
    r"\b(?:no longer|(?:has |have )?(?:stopped|ceased|quit)) (?P<over>[^.;:!?]+)"
    r"|(?<!\bis )(?<!\bare )(?<!\bwas )(?<!\bwere )(?<!\bbeen )(?<!\bgot )(?<!\bbe )"
    r"\b(?:sold|cancell?ed|dropped|deleted|removed|scrapped|closed|gave up|given up|got rid of|gave away) "
    r"(?P<done>(?:the|its|my|our|his|her|their|an?|some|all|both|two|one|\w+['\u2019]s) [^.,;:!?]+?)"
    r"(?=[.,;:!?]|$| (?:from|at|in|on|and|but|so|because|since|when|while|after|before|until|last|this|yesterday)\b)",
    re.IGNORECASE,
)
_NOW = re.compile(r"(?:\b(?:is|are|looks?)|['\u2019](?:s|re)) [\w ]+ now\b", re.IGNORECASE)
_MENDED = re.compile(r"\b(?:back|home|here|gone|over|past|new|fast|stable|\w{3,}ed)\b", re.IGNORECASE)


@lru_cache(maxsize=16_384)
def stem(word: str) -> str:
    """Return the common part of a word's forms, for comparison; it is never shown.

    >>> [stem(word) for word in ("smoking", "smokes", "smoked", "stopped", "courses", "boss", "bought", "studies")]
    ['smok', 'smok', 'smok', 'stop', 'cours', 'boss', 'buy', 'study']
    """
    word = word.casefold().replace("\u2019", "'").removesuffix("'s")
    word = _FORMS.get(word) or single(word)
    if not word.isalpha() or len(word) < 4:
        return word
    for ending in _ENDINGS:
        base = word.removesuffix(ending)
        if base != word and len(base) >= 3:
            word = f"{base}y" if ending == "ied" else base
            word = word[:-1] if word[-1] == word[-2] and word[-1] not in "lsz" else word
            break
    return word.removesuffix("e") if len(word) > 3 else word


def stems(text: str) -> frozenset[str]:
    """Return the stems of the words of a list."""
    return frozenset(map(stem, text.split()))


def is_verb_form(word: str) -> bool:
    """Return True for a form of an irregular verb: `sold`, `left`, `goes`."""
    return word.casefold() in _FORMS


@lru_cache(maxsize=4_096)
def words_of(text: str) -> tuple[str, ...]:
    """Return the stems of the content words in *text*, once each, in order.

    >>> words_of("my old Honda"), words_of("the Spanish courses on Mondays"), words_of("Python 3.13")
    (('honda',), ('spanish', 'cours', 'monday'), ('python', '3.13'))
    """
    found = (word for word in _WORD.findall(text.replace("_", " ")) if word.casefold() not in _GRAMMAR)
    return tuple(dict.fromkeys(stem(word) for word in found if len(word) > 1 or word.isdigit()))


def _any_of(*lists: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(_REPORTS[name] for name in lists)})\b", re.IGNORECASE)


_TROUBLE = _any_of("trouble")
REPORTS = _any_of("changed")
"""Words that report a change."""


def over_in(text: str) -> str:
    """Return the words of *text* that name what has ended; the whole text if its wording is unknown.

    >>> over_in("the post office no longer sells stamps"), over_in("the theatre cancelled tonight's show")
    ('sells stamps', "tonight's show")
    >>> over_in("the choir has folded"), over_in("the boat was sold")
    ('the choir has folded', 'the boat was sold')
    """
    found = _OVER.search(text)
    return (found["over"] or found["done"]) if found else text


MAY_REPORT = _any_of("changed", "often changed", "german", "spanish")
"""Words that often report a change, but not always."""
MAY_BE_NEWS = _any_of("changed", "often changed", "newer", "german", "spanish")
"""Words that often report a change, a correction, or something that came true."""
AMOUNTS = _any_of("amounts")
"""Words for a changed price or size of an otherwise unchanged thing."""
PARTS = _any_of("parts")
"""Words for the end of a relation between people."""


def is_trouble(text: str) -> bool:
    """Return whether a sentence reports a problem of a person or thing.

    >>> is_trouble("Sam's boiler is broken"), is_trouble("Sam's boiler is a Vaillant")
    (True, False)
    """
    return _TROUBLE.search(text) is not None


def is_of_looks(text: str) -> bool:
    """Return whether a sentence says only how something looks or where it is, which solves no problem.

    >>> is_of_looks("the roof is red now"), is_of_looks("the roof is finally mended"), is_of_looks("it is back now")
    (True, False, False)
    """
    return _NOW.search(text) is not None and _MENDED.search(text) is None
