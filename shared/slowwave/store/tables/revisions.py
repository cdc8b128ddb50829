"""Which revisions of the schema were applied, and when."""

from sqlalchemy import PrimaryKeyConstraint, Table, Text

from slowwave.store.tables.columns import made, metadata, must

revisions = Table(
    "revisions",
    metadata,
    must("version", Text()),
    must("tenant", Text(), "'_system'::text"),
    must("description", Text()),
    made("applied"),
    PrimaryKeyConstraint("version"),
    comment="Which revisions of the schema were applied, and when.",
)
