"""Stems of words, by which matters are compared in any grammatical form."""

import re
from functools import lru_cache

from slowwave.core.predicates.english import FUNCTION_WORDS, these
from slowwave.core.predicates.plurals import single
from slowwave.core.predicates.verb_forms import IRREGULAR

_WORD = re.compile(r"\d+(?:[.,:/]\d+)+|[^\W_]+(?:['\u2019][^\W_]+)?")
_GRAMMAR = FUNCTION_WORDS | these(
    """yes without onto down under done doing will may really still now both every another only even ever never already
    yet whether because while since until after before during between get got gets getting go goes going gone went new
    old former current thing things stuff one ones lot bit kind sort way time user im ive youre hes shes thats dont
    didnt isnt wasnt cant wont u ur n w lol haha omg tho btw ya yeah okay ok thx pls please longer"""
)
"""Words that are not part of a matter's name."""
_ENDINGS = ("ing", "ied", "ed")
_NOUNS = frozenset(("bore", "bound", "felt", "lay", "shot", "thought", "wound"))
"""Forms of verbs that are mostly nouns, or other verbs."""
_FORMS = {form: forms[0] for forms in IRREGULAR for form in forms[1:] if form != forms[0] and form not in _NOUNS}
_FORMS |= dict(
    pair.split("/")
    for pair in these(
        """lives/live leaves/leave uses/use used/use using/use goes/go tried/try died/die dying/die agreed/agree
        seeing/see cancelled/cancel cancelling/cancel travelled/travel travelling/travel"""
    )
)
"""Irregular verb forms to their base forms."""


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
