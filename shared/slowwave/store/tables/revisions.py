"""The table of applied schema revisions, with the time of each."""

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
    comment="The applied revisions of the schema, and their times.",
)
