"""The beginning of a recall: the stems of a question's words, and the statements that every question needs."""

import uuid
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from typing import Any

from sqlalchemy import Connection

from slowwave.core.beliefs.versions import NAME
from slowwave.core.recall.candidate import forms_of
from slowwave.core.recall.query import Query
from slowwave.core.recall.synonyms import MOST_NEAR, NearWords
from slowwave.domain.job_table import PREPARE, pack_of
from slowwave.domain.scope import GLOBAL_CHANNEL
from slowwave.store.blocks.binary_results import Asked, execute_binary, sent_ahead
from slowwave.store.blocks.block_cache import BLOCK_CACHE, database_of
from slowwave.store.fingerprints import fingerprinter_with
from slowwave.store.graph import questions
from slowwave.store.statements import sql

MOST_WORDS = 62
"""The maximum number of distinct words of a question that are searched. Of a longer question, they are the first."""

MOST_STEMS = 50_000
"""The maximum number of words whose stems a process caches. The vocabulary of near words has fewer words."""

MOST_QUESTIONS = 1_000
"""The maximum number of questions whose words a process caches."""

_STEMS: dict[str, dict[str, str | None]] = defaultdict(dict)
"""The stems of words, by database and word; None for a word without a stem."""
_NEAR: dict[str, dict[str, tuple[NearWords, list[tuple[str, float]]]]] = defaultdict(dict)
"""The stems of near words with their weights, the highest first, by database and word."""
_OWN: dict[tuple[str, str], list[tuple[str, Sequence[str]]]] = {}
"""The lexemes and forms of a question's own words, by database and question. A caller may ask again with filters."""
_KEYS: dict[tuple[str, str], bytes] = {}
"""The keys of fingerprints by database and tenant, as they were last read."""
MOST_NAMES = 10_000
"""The maximum number of sets of scopes whose users' names a process caches."""
_NAMES: dict[tuple[Any, ...], tuple[Any, dict[uuid.UUID, str]]] = {}
"""The editions of scopes, and the names of their users, by database, tenant and scopes."""


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
    stems, asked = _STEMS[where], asks(connection, question, near)
    kept = _OWN.get((where, question))
    if kept is None or asked[1]["others"]:
        kept = []
        for number, lexeme, forms in execute_binary(connection, *asked):
            if number is None:
                stems[forms[0]] = lexeme
            else:
                kept.append((lexeme, forms))
        if len(_OWN) >= MOST_QUESTIONS:
            _OWN.clear()
        _OWN[where, question] = kept
    own = [Sought(*each) for each in kept]
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


@dataclass(frozen=True, slots=True)
class Opening:
    """The states of scopes, as the first round trip of a question reads them.

    *has_global* is True if the `_global` of each scope is among the scopes, so that a change of the facts that name a
    user changes one of the states.
    """

    states: Mapping[uuid.UUID, Any] = field(default_factory=dict)
    has_global: bool = False

    def waiting(self, scopes: Sequence[uuid.UUID]) -> list[uuid.UUID]:
        """Return those of *scopes* that may have episodes without a vector."""
        return [scope for scope in scopes if scope not in self.states or self.states[scope].waits]

    def editions(self, scopes: Sequence[uuid.UUID]) -> Any:
        """Return a value that changes with the names of the users of *scopes*; None if no value is known to do so."""
        if not self.has_global or not self.states.keys() >= {*scopes}:
            return None
        return [(self.states[scope].born, self.states[scope].believed) for scope in scopes]


@contextmanager
def opened(connection: Connection, query: Query | None) -> Iterator[Opening]:
    """Run the statements that *query* needs in one round trip, and then the `with` block.

    Without a query, only run the block.
    """
    if query is None:
        yield Opening()
        return
    here, *_ = query.meanings
    space = here.space, len(here.vector) if here.vector.any() else 0
    asked = [
        BLOCK_CACHE.asks(connection, list(dict.fromkeys(here.ids)), space, query.now),
        questions.asks(query.ids, query.question),
    ]
    words = asks(connection, query.matter, query.near_words)
    if words[1]["others"] or (database_of(connection.engine), query.matter) not in _OWN:
        asked.append(words)
    if (database_of(connection.engine), query.tenant, *query.ids) not in _NAMES:
        asked.append(asks_for_names(connection, query.tenant, query.ids))
    everywhere = {(scope.user, scope.agent) for scope in query.scopes if scope.channel == GLOBAL_CHANNEL}
    with sent_ahead(connection, asked) as (states, *_):
        yield Opening(
            {row.scope: row for row in states}, {(scope.user, scope.agent) for scope in query.scopes} <= everywhere
        )


def asks_for_unprepared(scopes: Sequence[uuid.UUID], most: int, characters: int) -> Asked:
    """Return the statement for the newest episodes without a vector, at most *most*, cut after *characters*."""
    asked = {"scopes": list(scopes), "pack": pack_of(PREPARE), "most": most, "characters": characters}
    return sql("recall/unprepared"), asked


def names(connection: Connection, tenant: str, scopes: Sequence[uuid.UUID], opening: Opening) -> dict[uuid.UUID, str]:
    """Return the name of the user of each of *scopes*; omit unknown names."""
    owner = database_of(connection.engine), tenant
    editions, kept = opening.editions(scopes), _NAMES.get((*owner, *scopes))
    if kept is not None and kept[0] == editions:
        return kept[1]
    while True:
        key = _KEYS.get(owner)
        rows = execute_binary(connection, *asks_for_names(connection, tenant, scopes))
        if not rows:
            return {}  # the tenant has no memories
        if key == rows[0].fingerprint_key:
            break
        _KEYS[owner] = rows[0].fingerprint_key
    found = {row.scope: row.name for row in rows if row.scope is not None}
    if editions is not None:
        if len(_NAMES) >= MOST_NAMES:
            _NAMES.clear()
        _NAMES[*owner, *scopes] = editions, found
    return found


def asks_for_names(connection: Connection, tenant: str, scopes: Sequence[uuid.UUID]) -> Asked:
    """Return the statement that `names` runs, with its parameters."""
    key = _KEYS.get((database_of(connection.engine), tenant))
    return sql("recall/opening"), {"scopes": list(scopes), "digest": b"" if key is None else _digest(key)}


@lru_cache
def _digest(key: bytes) -> bytes:
    return fingerprinter_with(key).belief(NAME)
