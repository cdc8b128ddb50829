"""The table of scopes that were moved to another embedding space."""

from sqlalchemy import CheckConstraint, Index, PrimaryKeyConstraint, SmallInteger, Table, Uuid, text

from slowwave.store.tables.columns import TIME, may, metadata, must, tenant

embedding_moves = Table(
    "embedding_moves",
    metadata,
    must("scope", Uuid()),
    tenant(),
    must("space", SmallInteger(), comment="The space in which the scope answers."),
    may("toward", SmallInteger(), "The space in which it is to answer as soon as all of it is there."),
    may("since", TIME, "When it set out; of one that set out before the database kept that, nobody knows."),
    PrimaryKeyConstraint("scope"),
    CheckConstraint("toward <> space", name="toward"),
    Index("embedding_moves_coming", "tenant", "toward", postgresql_where=text("toward IS NOT NULL")),
    comment="Scopes that were moved to another embedding space, or are on their way. Others answer in that of their "
    "first memory.",
)
