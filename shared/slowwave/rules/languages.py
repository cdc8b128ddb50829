"""The language of a text, if the language is certain, and the turns in languages that no active pack reads."""

import importlib.util
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from slowwave.domain.episode import StoredEpisode
from slowwave.word_lists import patterns, word_lists

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier


SHARE = 8
"""The maximum number of words per common English word in a text that is plainly English."""
_COMMON = re.compile(
    r"\b(?:the|and|of|that|this|with|had|are|were|but|not|they|she|his|what|when|about|been|would|from|there|"
    r"just|really|how|out|them|which|their|your|you|my|it|it's|i'm|i've|i'll|i'd|don't|didn't|can't|that's|we're)\b"
)
FUNCTION_WORDS = word_lists("languages")
LOANS = re.compile(rf"\b(?:{patterns('phrases')['borrowed']})\b", re.IGNORECASE)
"""Phrases that English borrows from other languages, and titles such as `Mein Kampf`."""
PACKAGE = "py3langid"
SURE = 0.5
"""The least probability of a certain language. Related languages, such as Danish, Norwegian and Swedish, share the
probability of a plain sentence.
"""
IN_DOUBT = 0.01
"""The maximum total probability of the languages that are read. Names, slang and typos make this probability larger."""
JOINED_IN_DOUBT = 0.03
"""The maximum total probability of the languages that are read, for a text with a function word of another language.
Names and loanwords contain no such word.
"""
LEAST_WORDS = 5
SHORT = 3
"""The least number of words of a text with a function word."""
LEAST_LETTERS = 10
"""The least number of letters in a script without lower case. Words are not counted in such a script."""
_ADDRESS = re.compile(r"\b\w+(?:://|@)\S+|\bwww\.\S+")
_WORD = re.compile(r"[^\W\d_]+")
_NEAR_ENGLISH = frozenset({"en", "pcm"})
_NO_LANGUAGE = "zxx"


def plainly_english(text: str) -> bool:
    """Return whether *text* is English beyond doubt.

    >>> plainly_english("I moved to Lisbon with my sister"), plainly_english("Ayer fui al mercado con mi hermana")
    (True, False)
    """
    lower = text.lower().replace("’", "'")
    return len(_COMMON.findall(lower)) * SHARE >= max(1, len(lower.split()))


def available() -> bool:
    """Return whether the extra `languages` is installed."""
    return importlib.util.find_spec(PACKAGE) is not None


def language_of(text: str, read: frozenset[str]) -> str | None:
    """Return the language code of *text*; None if the language is uncertain or among the languages *read*.

    The language is uncertain for lists of names, slang, typos and code, for a short turn without a word such as `ich`
    or `mi`, and for any text without the extra. Plain English is recognised without loading the model.
    """
    if "en" in read and plainly_english(text):
        return None
    cleaned = LOANS.sub(" ", _ADDRESS.sub(" ", text))
    long, joined = _enough(cleaned), _joined(cleaned)
    if not (long or joined) or not available():
        return None
    chances = dict(_identifier().rank(cleaned))
    best = next(iter(chances))
    near = read | (_NEAR_ENGLISH if "en" in read else frozenset())
    doubt = sum(chances.get(language, 0.0) for language in near)
    if best == _NO_LANGUAGE or best in near:
        return None
    sure = long and chances[best] >= SURE and doubt <= IN_DOUBT
    return best if sure or (best in joined and doubt <= JOINED_IN_DOUBT) else None


def _enough(text: str) -> bool:
    """Return whether *text* has enough words in lower case, or enough letters of a script without case."""
    words = _WORD.findall(text)
    caseless = sum(not letter.islower() and not letter.isupper() for word in words for letter in word)
    return sum(word[0].islower() for word in words) >= LEAST_WORDS or caseless >= LEAST_LETTERS


def _joined(text: str) -> list[str]:
    """Return the languages of the function words in *text*."""
    words = [word.casefold() for word in _WORD.findall(text)]
    return [one for one, joins in FUNCTION_WORDS.items() if len(words) >= SHORT and not joins.isdisjoint(words)]


@cache
def _identifier() -> "LanguageIdentifier":
    """Return the language identifier of this process. Loading it takes most of a second and a hundred megabytes."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


def read_by(packs: Iterable[object]) -> frozenset[str] | None:
    """Return all languages that *packs* read; None if one of the packs reads any language, or if there is no pack."""
    each = [languages_of(pack) for pack in packs]
    return frozenset().union(*each) if each and all(each) else None


def languages_of(pack: object) -> frozenset[str]:
    """Return the languages that *pack* reads. The result is empty if *pack* reads any language."""
    return frozenset(getattr(pack, "languages", ()))


@dataclass(frozen=True, slots=True)
class Unread:
    """A search for turns in languages that are not in *read*. If *read* is None, the search finds no turns."""

    read: frozenset[str] | None

    def turns(self, episodes: Sequence[StoredEpisode]) -> Mapping[int, str]:
        """Return the users' turns in languages that are not read: the language, by the turn's position in the scope."""
        messages = (one for one in episodes if (one.role, one.kind) == ("user", "message"))
        return {one.position: language for one in messages if (language := self.language(one.content))}

    def language(self, text: str) -> str | None:
        """Return the language of *text*, if *text* is certainly in a language that is not read."""
        return None if self.read is None else language_of(text, self.read)
