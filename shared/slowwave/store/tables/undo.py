"""Undos: what was undone in which scope, when, by whom and why."""

from sqlalchemy import BigInteger, Index, PrimaryKeyConstraint, Table, Text, Uuid, text
from sqlalchemy.dialects.postgresql import ARRAY

from slowwave.store.tables.columns import TIME, made, may, metadata, must, tenant

undos = Table(
    "undos",
    metadata,
    must("scope", Uuid()),
    must("undo", Uuid()),
    tenant(),
    must("what", Text(), comment="A run, a delta, a pack or a time, in words."),
    must("reason", Text()),
    must("by_whom", Text()),
    made("asked"),
    may("withdraws", Uuid(), "The undo that it takes back."),
    may("run", BigInteger(), "The run that wrote its deltas; null until then."),
    may("applied", TIME, "When its deltas were recorded; null until then."),
    may("lifted", TIME, "When it was taken back."),
    may("added", ARRAY(Uuid()), "The claims that a replay, or whoever takes it back, adds; null for any other undo."),
    PrimaryKeyConstraint("scope", "undo"),
    Index("undos_of_order", "undo"),
    Index("undos_unfinished", "tenant", postgresql_where=text("applied IS NULL")),
    comment="Orders to undo, a row for each scope. The claims they leave out are in undone.",
)

undone = Table(
    "undone",
    metadata,
    must("scope", Uuid()),
    must("undo", Uuid()),
    must("delta", Uuid(), comment="The first decision about the claim."),
    tenant(),
    must("place", TIME, comment="Where the claim stands in the order of telling."),
    PrimaryKeyConstraint("scope", "undo", "delta"),
    comment="The claims that an undo leaves out. Append-only by grant.",
)
