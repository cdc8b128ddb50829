"""The table of scopes that were moved to another embedding space."""

from sqlalchemy import CheckConstraint, Index, PrimaryKeyConstraint, SmallInteger, Table, Uuid, text

from slowwave.store.tables.columns import TIME, may, metadata, must, tenant

embedding_moves = Table(
    "embedding_moves",
    metadata,
    must("scope", Uuid()),
    tenant(),
    must("space", SmallInteger(), comment="The space in which the scope answers."),
    may("toward", SmallInteger(), "The space to which the scope changes as soon as all vectors exist."),
    may("since", TIME, "The start of the move; null for moves that began before this column existed."),
    PrimaryKeyConstraint("scope"),
    CheckConstraint("toward <> space", name="toward"),
    Index("embedding_moves_coming", "tenant", "toward", postgresql_where=text("toward IS NOT NULL")),
    comment="Scopes that moved to another embedding space, or are moving. Others use that of their first memory.",
)
