"""The list of places where words lie is complete: a table, column, key or file with words that it lacks is found."""

import psycopg
from sqlalchemy import LargeBinary, Table, Text
from sqlalchemy.dialects.postgresql import ARRAY, JSONB, TSVECTOR
from sqlalchemy.types import TypeEngine

from slowwave.domain.erasure.places import TABLES
from slowwave.memory import Memory
from slowwave.store.tables import metadata
from tests.contract.erasure.planting import WORDS, found, live

IDS = {"tenant", "rests"}
"""Columns that name no person: the tenant, and lists of numbers."""


def may_hold_words(kind: TypeEngine[object]) -> bool:
    """Return whether a column of this type could hold words, or what is derived from them."""
    if isinstance(kind, ARRAY):
        return isinstance(kind.item_type, Text)
    return isinstance(kind, (Text, JSONB, LargeBinary, TSVECTOR)) or type(kind).__name__ == "VECTOR"


def unlisted(table: Table) -> set[str]:
    """Return the columns of a table of which the list does not say whether they hold words."""
    said = TABLES.get(table.name)
    listed = set() if said is None else {*said.words, *said.ours}
    return {column.name for column in table.columns if may_hold_words(column.type)} - listed - IDS


def test_each_text_column_is_in_the_erasure_list() -> None:
    assert {name: missing for name, table in metadata.tables.items() if (missing := unlisted(table))} == {}
    assert TABLES.keys() == metadata.tables.keys()


def test_the_erasure_list_names_only_existing_columns() -> None:
    for name, said in TABLES.items():
        assert {*said.words, *said.ours} <= set(metadata.tables[name].columns.keys()), name
        assert not set(said.words) & set(said.ours), name
        assert bool(said.words) <= bool(said.erased), f"{name} has words, and nothing is said of their erasure"


def test_words_are_stored_only_in_the_listed_columns(talkative: Memory, superuser: psycopg.Connection) -> None:
    live(talkative, "Plumkin", session="tryst")

    hits = found(superuser, [*WORDS, "Plumkin", "tryst"])

    assert {table: columns - set(TABLES[table].words) for table, columns in hits.items()} == {
        table: set() for table in hits
    }
    assert len(hits) >= 18, sorted(hits)
