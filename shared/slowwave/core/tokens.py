"""Estimates of a text's tokens, and a token budget from which the parts of a prompt are taken."""

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import takewhile

from slowwave.core.predicates.english import TEXTS, these
from slowwave.domain.context import Part
from slowwave.domain.episode import StoredEpisode
from slowwave.domain.model_calls import Chunk, Words

BYTES_A_TOKEN = 4
"""The bytes per token. English prose takes about four bytes per token in current vocabularies. Other scripts in UTF-8
take about the same: a Cyrillic letter is half a token, and a Chinese character is three quarters of a token."""
LETTERS_A_TOKEN = 4
"""The letters per token of a lower-case word in a line of English. Most vocabularies contain such words whole."""
ODD_LETTERS_A_TOKEN = 1.5
"""The letters per token of any other word in Latin letters. Vocabularies are made from English, and split unknown words
finely."""
NAME_LETTERS_A_TOKEN = 2
"""The letters per token of a name in a line of English."""
DIGITS_A_TOKEN = 2
ENGLISH = 0.2
"""The least share of common English words in a line of English. These are the commonest English words that other
languages lack, and "I". A line of English has at least two of these words, because a title or a list may have a single
one."""
_SYLLABLES, _FINALS = range(0xAC00, 0xD7A4), 28
"""The range of Korean syllables, and the number of possible endings. A syllable is two or three letters, which
vocabularies contain."""
_WORD = re.compile(r"[a-z]+|[A-Z][a-z]*|[0-9]+|[^\W\d_]+|\S")
_COMMON = these(TEXTS["commonest"])
_CODE = frozenset("_={}<>;[]")
"""Characters that mark a line of code. Vocabularies do not contain the names in code, even if its keywords are
English."""
Count = Callable[[str], int]
"""A function that counts the tokens of a text."""
A_MESSAGE = 4
"""The tokens that mark the start, the end and the role of a message. Chat models use three or four tokens."""


def tokens(text: str) -> int:
    """Return an estimate of the number of tokens in *text*, which is at least 1 unless *text* is empty.

    >>> tokens("Where does Alice live?"), tokens("Привет"), tokens("")
    (6, 3, 0)
    """
    return -(-len(text.encode("utf-8", "surrogatepass")) // BYTES_A_TOKEN)


def request(
    words: Words, episodes: Iterable[StoredEpisode], before: Iterable[StoredEpisode], *, most_tokens: int
) -> Chunk:
    """Return the request with these *words* about *episodes*, which may cite the turns in *before*."""
    turns, context = (tuple(sorted(some, key=lambda one: one.position)) for some in (episodes, before))
    return Chunk(turns, context, words, sum(tokens(one["content"]) + A_MESSAGE for one in words.messages), most_tokens)


def tokens_at_most(text: str) -> int:
    """Return a high estimate of the number of tokens in *text*: for English dialogue, 1.4 times BERT's count.

    For dialogue in thirty languages, code, URLs and random letters, the estimate is 1.0 to 2.4 times BERT's count. The
    estimate takes a fifth of a microsecond per character. If the model is known, its own tokenizer is used instead.

    >>> tokens_at_most("Where does Alice live?"), tokens_at_most("Привет"), tokens_at_most("")
    (9, 6, 0)
    """
    return sum(_of_line(_WORD.findall(line)) for line in text.splitlines())


def _of_line(words: list[str]) -> int:
    latin = [word for word in words if word.isascii() and word.isalpha()]
    common = sum(word == "I" or word.lower() in _COMMON for word in latin)
    english = common >= max(2, ENGLISH * len(latin)) and _CODE.isdisjoint(words)
    return sum(_of_word(word, english=english) for word in words)


def _of_word(word: str, *, english: bool) -> int:
    if not word.isascii():
        return sum(map(_letters, word))
    if word.isalpha():
        a_token = ODD_LETTERS_A_TOKEN
        if english:
            a_token = LETTERS_A_TOKEN if word.islower() else NAME_LETTERS_A_TOKEN
        return math.ceil(len(word) / a_token)
    return math.ceil(len(word) / DIGITS_A_TOKEN)  # a sign is one token


def _letters(character: str) -> int:
    """Return the number of letters in a character.

    A Korean syllable has two or three letters; any other character has one.
    """
    if (point := ord(character)) not in _SYLLABLES:
        return 1
    return 2 + ((point - _SYLLABLES.start) % _FINALS > 0)


class TokenBudget:
    """A budget of *most* tokens, counted by *count*, from which parts take tokens."""

    def __init__(self, most: int, count: Count) -> None:
        self.most = self.left = most
        self.count = count
        self._costs: dict[str, int] = {}

    def cost(self, part: Part) -> int:
        """Return the tokens of a part, including its message frame."""
        if part.line not in self._costs:
            self._costs[part.line] = self.count(part.line) + A_MESSAGE
        return self._costs[part.line]

    def those_that_fit(self, parts: Sequence[Part], *, stop_at_overflow: bool = False) -> list[Part]:
        """Take and return the parts that fit, in order.

        With *stop_at_overflow*, stop at the first part that does not fit.
        """
        taken = []
        for part in parts:
            if self.cost(part) <= self.left:
                taken.append(self._taken(part))
            elif stop_at_overflow:
                break
        return taken

    def newest(self, parts: Sequence[Part], *, share: float = 1.0) -> list[Part]:
        """Take parts, beginning with the last, until a part does not fit into the share *share* of the remaining
        tokens.

        Return the taken parts in their original order.
        """
        floor = self.left - self.left * share
        fitting = takewhile(lambda part: self.left - self.cost(part) >= floor, reversed(parts))
        return [self._taken(part) for part in fitting][::-1]

    def first_that_fits(self, parts: Sequence[Part], *, share: float) -> list[Part]:
        """Take and return the first part that fits into the share *share* of the remaining tokens.

        Return an empty list if no part fits.
        """
        found = next((part for part in parts if self.cost(part) <= self.left * share), None)
        return [] if found is None else [self._taken(found)]

    def _taken(self, part: Part) -> Part:
        cost = self.cost(part)
        self.left -= cost
        return replace(part, tokens=cost)
