"""The language of a text, by the extra `languages`, if it is certain."""

import importlib.util
import re
from functools import cache
from typing import TYPE_CHECKING

from slowwave.rules.languages.english import plainly_english
from slowwave.rules.languages.function_words import FUNCTION_WORDS, LOANS

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

PACKAGE = "py3langid"
SURE = 0.5
"""The least probability. Related languages, such as Danish, Norwegian and Swedish, share it in a plain sentence."""
IN_DOUBT = 0.01
"""The most total probability for the languages that are read: names, slang and typos leave more."""
JOINED_IN_DOUBT = 0.03
"""The same for a text with a function word of its language, which names and loanwords lack."""
LEAST_WORDS = 5
SHORT = 3
"""The least words of a text with such a word."""
LEAST_LETTERS = 10
"""The least letters in a script without lower case, in which words are not counted."""
_ADDRESS = re.compile(r"\b\w+(?:://|@)\S+|\bwww\.\S+")
_WORD = re.compile(r"[^\W\d_]+")
_NEAR_ENGLISH = frozenset({"en", "pcm"})
_NO_LANGUAGE = "zxx"


def available() -> bool:
    """Return whether the extra `languages` is installed."""
    return importlib.util.find_spec(PACKAGE) is not None


def language_of(text: str, read: frozenset[str]) -> str | None:
    """Return the code of the language of *text*, if it is certainly none that is *read*; None otherwise.

    Lists of names, slang, typos and code have no certain language; nor has a short turn without a word such as `ich` or
    `mi`, or any text without the extra. Plain English is recognised without loading the model.
    """
    if "en" in read and plainly_english(text):
        return None
    told = LOANS.sub(" ", _ADDRESS.sub(" ", text))
    long, joined = _enough(told), _joined(told)
    if not (long or joined) or not available():
        return None
    chances = dict(_identifier().rank(told))
    best = next(iter(chances))
    near = read | (_NEAR_ENGLISH if "en" in read else frozenset())
    doubt = sum(chances.get(language, 0.0) for language in near)
    if best == _NO_LANGUAGE or best in near:
        return None
    sure = long and chances[best] >= SURE and doubt <= IN_DOUBT
    return best if sure or (best in joined and doubt <= JOINED_IN_DOUBT) else None


def _enough(text: str) -> bool:
    """Return whether *text* has enough words other than names: lower-case ones, or letters of a caseless script."""
    words = _WORD.findall(text)
    caseless = sum(not letter.islower() and not letter.isupper() for word in words for letter in word)
    return sum(word[0].islower() for word in words) >= LEAST_WORDS or caseless >= LEAST_LETTERS


def _joined(text: str) -> list[str]:
    """Return the languages whose function words *text* has."""
    words = [word.casefold() for word in _WORD.findall(text)]
    return [one for one, joins in FUNCTION_WORDS.items() if len(words) >= SHORT and not joins.isdisjoint(words)]


@cache
def _identifier() -> "LanguageIdentifier":
    """The identifier, one a process: loading takes most of a second and a hundred megabytes."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
