"""The words of a question as the database stems them, each with its near words."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, groupby

from sqlalchemy import Connection

from slowwave.core.blocks.estimate import Word
from slowwave.core.recall.named_people import forms_of
from slowwave.core.recall.synonyms import MOST_NEAR, NearWords
from slowwave.store.blocks.binary_results import Asked, execute
from slowwave.store.blocks.block_cache import database_of
from slowwave.store.statements import sql

MOST_WORDS = 62
"""The most distinct words of a question that are searched; the beginning of a long text says what it is about."""

MOST_STEMS = 50_000
"""The most words whose stems a process caches: more than the vocabulary of near words."""

_STEMS: dict[str, dict[str, str | None]] = defaultdict(dict)
"""By database, the stems of words; None for a word without a stem."""


@dataclass(frozen=True, slots=True)
class Sought:
    """A *lexeme* to search: of the question's word with the number *word*, or of a near word, with a *weight* below 1.

    *forms* are the forms in which the question writes the word; near words have none.
    """

    word: int
    lexeme: str
    weight: float = 1.0
    forms: Sequence[str] = ()


def asks(connection: Connection, question: str, near: Sequence[NearWords]) -> Asked:
    """Return the statement that `words_of` runs, with its parameters."""
    return _asks(_STEMS[database_of(connection.engine)], question, near)


def _asks(known: Mapping[str, str | None], question: str, near: Sequence[NearWords]) -> Asked:
    others = dict.fromkeys(chain.from_iterable((one.of, *one.weights) for one in near))
    unknown = [word for word in others if word not in known]
    asked = {"question": question, "most_words": MOST_WORDS, "forms": forms_of(question), "others": unknown}
    return sql("recall/words"), asked


def words_of(connection: Connection, question: str, near: Sequence[NearWords]) -> list[Sought]:
    """Return the words of *question* in order, each followed by its near words, those of most weight first.

    A near word that the question also contains counts only as itself.
    """
    where = database_of(connection.engine)
    stems, own = _STEMS[where], []
    for number, lexeme, forms in execute(connection, *_asks(stems, question, near)):
        if number is None:
            stems[forms[0]] = lexeme
        else:
            own.append(Sought(number, lexeme, forms=forms))
    if len(stems) > MOST_STEMS:
        _STEMS.pop(where, None)  # other threads may still use this dictionary

    numbers = {one.lexeme: one.word for one in own}
    weights: dict[int, dict[str, float]] = defaultdict(dict)
    for one in near:
        if (number := numbers.get(stems[one.of] or "")) is None:
            continue
        best = weights[number]
        for word, weight in one.weights.items():
            if (lexeme := stems[word]) is not None and lexeme not in numbers and weight > best.get(lexeme, 0.0):
                best[lexeme] = weight
    return [row for one in own for row in (one, *_nearest(one.word, weights[one.word]))]


def _nearest(word: int, weights: dict[str, float]) -> list[Sought]:
    best = sorted(weights.items(), key=lambda each: (-each[1], each[0]))[:MOST_NEAR]
    return [Sought(word, lexeme, weight) for lexeme, weight in best]


def sought(rows: Iterable[Sought]) -> list[Word]:
    """Return the words of a question, each with its near words."""
    each = (list(of) for _, of in groupby(rows, key=lambda row: row.word))
    return [Word(first.lexeme, {row.lexeme: row.weight for row in near}) for first, *near in each]
