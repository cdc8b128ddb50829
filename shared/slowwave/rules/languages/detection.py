"""The language of a text, by the extra `languages`, if it is certain."""

import importlib.util
import re
from functools import cache
from typing import TYPE_CHECKING

from slowwave.rules.languages.english import plainly_english

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

PACKAGE = "py3langid"
SURE = 0.5
"""The least probability. Related languages, such as Danish, Norwegian and Swedish, share it in a plain sentence."""
IN_DOUBT = 0.01
"""The most total probability for the languages that are read: names, slang and typos leave more."""
LEAST_WORDS = 5
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

    Short turns, lists of names, slang, typos and code have no certain language; without the extra no text has. Plain
    English is recognised without loading the model.
    """
    if "en" in read and plainly_english(text):
        return None
    told = _ADDRESS.sub(" ", text)
    if not _enough(told) or not available():
        return None
    chances = dict(_identifier().rank(told))
    best = next(iter(chances))
    near = read | (_NEAR_ENGLISH if "en" in read else frozenset())
    doubt = sum(chances.get(language, 0.0) for language in near)
    return best if best != _NO_LANGUAGE and chances[best] >= SURE and doubt <= IN_DOUBT else None


def _enough(text: str) -> bool:
    """Return whether *text* has enough words other than names: lower-case ones, or letters of a caseless script."""
    words = _WORD.findall(text)
    caseless = sum(not letter.islower() and not letter.isupper() for word in words for letter in word)
    return sum(word[0].islower() for word in words) >= LEAST_WORDS or caseless >= LEAST_LETTERS


@cache
def _identifier() -> "LanguageIdentifier":
    """The identifier, one a process: loading takes most of a second and a hundred megabytes."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
