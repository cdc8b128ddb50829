"""English verb forms: recognition, lemma, and the past."""

from functools import lru_cache

from slowwave.core.predicates.english import IRREGULAR
from slowwave.rules.statements.words import ADVERBS, LISTS

PAST = {past: forms[0] for forms in IRREGULAR for past in forms[1:2] if past != forms[0]} | {"were": "be"}
PARTICIPLE = {forms[-1]: forms[0] for forms in IRREGULAR}
_PAST_OF = {base: form for form, base in PAST.items() if base != "be"}
_IRREGULAR_BASE = frozenset(forms[0] for forms in IRREGULAR)

REGULAR = LISTS["regular verbs"]
BASE = REGULAR | _IRREGULAR_BASE
_NO_BASE = LISTS["no base forms"]


@lru_cache(maxsize=4_096)
def lemma(word: str) -> str:
    """Return the dictionary form of a verb.

    >>> [lemma(word) for word in ("went", "tried", "hiking", "stopped", "loves", "is")]
    ['go', 'try', 'hike', 'stop', 'love', 'be']
    """
    if word in ("am", "is", "are", "'m", "'s", "'re", "being"):
        return "be"
    if word in ("has", "'ve", "having"):
        return "have"
    if word in BASE:
        return word
    if found := PAST.get(word) or PARTICIPLE.get(word):
        return found
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 2:
            return _base(word[: -len(ending)], ending)
    return word


def _base(stem: str, ending: str) -> str:
    doubled = stem[:-1] if len(stem) > 2 and stem[-1] == stem[-2] else stem
    if ending in ("ed", "es") and stem.endswith("i"):
        return stem[:-1] + "y"
    for form in (stem, stem + "e", doubled):
        if form in BASE:
            return form
    return stem + "e" if ending in ("ing", "ed") and stem[-1] in "vcgzu" else stem


def is_past(word: str) -> bool:
    """Return whether *word* can be a verb in the past tense.

    >>> is_past("went"), is_past("painted"), is_past("need"), is_past("hundred")
    (True, True, False, False)
    """
    if word in PAST:
        return True
    if word in BASE or not word.endswith("ed") or len(word) < 4:
        return False
    return lemma(word) in BASE


def past(word: str) -> str:
    """Return the past tense of a base form.

    >>> [past(word) for word in ("go", "love", "try", "want")]
    ['went', 'loved', 'tried', 'wanted']
    """
    if word in _PAST_OF:
        return _PAST_OF[word]
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return word[:-1] + "ied"
    return word + ("d" if word.endswith("e") else "ed")


def is_base(word: str) -> bool:
    """Return whether *word* can be the base form of a verb."""
    return word in BASE


def is_unknown_base(word: str) -> bool:
    """Return whether *word*, right after `I` or `we`, must be the base form of an unlisted verb.

    >>> [is_unknown_base(word) for word in ("count", "mount", "love", "counted", "will", "shed", "really")]
    [True, True, False, False, False, False, False]
    """
    known = word in BASE or word in ADVERBS or word in _NO_BASE or is_past(word)
    return not known and word.isalpha() and len(word) > 2 and not word.endswith(("ed", "ing", "s", "ly"))
