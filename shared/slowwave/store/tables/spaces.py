"""The table of scopes that were moved to another embedding space."""

from sqlalchemy import CheckConstraint, PrimaryKeyConstraint, SmallInteger, Table, Uuid

from slowwave.store.tables.columns import may, metadata, must, tenant

embedding_moves = Table(
    "embedding_moves",
    metadata,
    must("scope", Uuid()),
    tenant(),
    must("space", SmallInteger(), comment="The space in which the scope answers."),
    may("toward", SmallInteger(), "The space in which it is to answer as soon as all of it is there."),
    PrimaryKeyConstraint("scope"),
    CheckConstraint("toward <> space", name="toward"),
    comment="Scopes that were moved to another embedding space, or are on their way. Others answer in that of their "
    "first memory.",
)
