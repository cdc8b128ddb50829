"""The beginning of a recall: the stems of a question's words, and the statements that every question needs."""

import uuid
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

from sqlalchemy import Connection

from slowwave.core.beliefs.versions import NAME
from slowwave.core.recall.candidate import forms_of
from slowwave.core.recall.query import QUESTION_CHARACTERS, UNPREPARED, Query
from slowwave.core.recall.synonyms import MOST_NEAR, NearWords
from slowwave.domain.job_table import PREPARE, pack_of
from slowwave.store.blocks.binary_results import Asked, execute_binary, sent_ahead
from slowwave.store.blocks.block_cache import BLOCK_CACHE, database_of
from slowwave.store.fingerprints import fingerprinter_with
from slowwave.store.graph import questions
from slowwave.store.statements import sql

MOST_WORDS = 62
"""The most distinct words of a question that are searched. Of a longer question, only the first words are searched."""

MOST_STEMS = 50_000
"""The most words whose stems a process caches. The vocabulary of near words has fewer words."""

_STEMS: dict[str, dict[str, str | None]] = defaultdict(dict)
"""The stems of words, by database and word; None for a word without a stem."""
_NEAR: dict[str, dict[str, tuple[NearWords, list[tuple[str, float]]]]] = defaultdict(dict)
"""The stems of near words with their weights, the highest first, by database and word."""
_KEYS: dict[tuple[str, str], bytes] = {}
"""The keys of fingerprints by database and tenant, as they were last read."""


@dataclass(slots=True)
class Sought:
    """A word of the question: its *lexeme*, and the *forms* in which the question writes it.

    *near* has the lexemes of words with similar meaning, each with a weight below 1. Nothing changes the object after
    it is made.
    """

    lexeme: str
    forms: Sequence[str]
    near: Sequence[tuple[str, float]] = ()


def asks(connection: Connection, question: str, near: Sequence[NearWords]) -> Asked:
    """Return the statement that `words_of` runs, with its parameters."""
    where = database_of(connection.engine)
    known, kept = _STEMS[where], _NEAR[where]
    new = [one for one in near if (had := kept.get(one.of)) is None or had[0] is not one]
    others = dict.fromkeys(chain.from_iterable((one.of, *one.weights) for one in new))
    unknown = [word for word in others if word not in known]
    asked = {"question": question, "most_words": MOST_WORDS, "forms": forms_of(question), "others": unknown}
    return sql("recall/words"), asked


def words_of(connection: Connection, question: str, near: Sequence[NearWords]) -> list[Sought]:
    """Return the words of *question* in order, each with its words of similar meaning, the highest weight first.

    A word of similar meaning that the question also contains is returned only as a word of the question.
    """
    where = database_of(connection.engine)
    stems, own = _STEMS[where], []
    for number, lexeme, forms in execute_binary(connection, *asks(connection, question, near)):
        if number is None:
            stems[forms[0]] = lexeme
        else:
            own.append(Sought(lexeme, forms))
    by_lexeme = {one.lexeme: one for one in own}
    for each in near:
        if one := by_lexeme.get(stems[each.of] or ""):
            other = [pair for pair in _nearest(where, each) if pair[0] not in by_lexeme]
            one.near = _best(other, one.near)[:MOST_NEAR] if one.near else other[:MOST_NEAR]
    if len(stems) > MOST_STEMS:
        _STEMS.pop(where, None)  # other threads may still use this dictionary
        _NEAR.pop(where, None)
    return own


def _nearest(where: str, one: NearWords) -> list[tuple[str, float]]:
    kept, stems = _NEAR[where], _STEMS[where]
    if (had := kept.get(one.of)) is None or had[0] is not one:
        stemmed = [(lexeme, weight) for word, weight in one.weights.items() if (lexeme := stems[word]) is not None]
        had = kept[one.of] = one, _best(stemmed)
    return had[1]


def _best(pairs: Iterable[tuple[str, float]], others: Iterable[tuple[str, float]] = ()) -> list[tuple[str, float]]:
    """Return each lexeme of *pairs* and *others* with its highest weight above 0, in order from the highest weight."""
    best: dict[str, float] = {}
    for lexeme, weight in chain(pairs, others):
        if weight > best.get(lexeme, 0.0):
            best[lexeme] = weight
    return sorted(best.items(), key=lambda each: (-each[1], each[0]))


@contextmanager
def opened(connection: Connection, query: Query | None) -> Iterator[None]:
    """Run the statements that *query* needs in one round trip, and then the `with` block.

    Without a query, only run the block.
    """
    if query is None:
        yield
        return
    here, *_ = query.meanings
    space = here.space, len(here.vector) if here.vector.any() else 0
    asked = [
        asks_for_unprepared(query.ids, UNPREPARED, QUESTION_CHARACTERS),
        asks_for_names(connection, query.tenant, query.ids),
        questions.asks(query.ids, query.question),
        asks(connection, query.question, query.near_words),
        BLOCK_CACHE.asks(connection, list(dict.fromkeys(here.ids)), space, query.now),
    ]
    with sent_ahead(connection, asked):
        yield


def asks_for_unprepared(scopes: Sequence[uuid.UUID], most: int, characters: int) -> Asked:
    """Return the statement for the newest episodes without a vector, at most *most*, cut after *characters*."""
    asked = {"scopes": list(scopes), "pack": pack_of(PREPARE), "most": most, "characters": characters}
    return sql("recall/unprepared"), asked


def names(connection: Connection, tenant: str, scopes: Sequence[uuid.UUID]) -> dict[uuid.UUID, str]:
    """Return the name of the user of each of *scopes*; omit unknown names.

    Later statements of the transaction use generic plans, which saves planning time.
    """
    owner = database_of(connection.engine), tenant
    while True:
        key = _KEYS.get(owner)
        rows = execute_binary(connection, *asks_for_names(connection, tenant, scopes))
        if not rows:
            return {}  # the tenant has no memories
        if key == rows[0].fingerprint_key:
            return {row.scope: row.name for row in rows if row.scope is not None}
        _KEYS[owner] = rows[0].fingerprint_key


def asks_for_names(connection: Connection, tenant: str, scopes: Sequence[uuid.UUID]) -> Asked:
    """Return the statement that `names` runs, with its parameters."""
    key = _KEYS.get((database_of(connection.engine), tenant))
    return sql("recall/opening"), {"scopes": list(scopes), "digest": b"" if key is None else _digest(key)}


@lru_cache
def _digest(key: bytes) -> bytes:
    return fingerprinter_with(key).belief(NAME)
