"""The table of hourly counts of events, for the statistics."""

from sqlalchemy import BigInteger, PrimaryKeyConstraint, SmallInteger, Table, Text

from slowwave.store.tables.columns import TIME, metadata, must, tenant

tallies = Table(
    "tallies",
    metadata,
    tenant(),
    must("name", Text()),
    must("hour", TIME),
    must("bucket", SmallInteger(), "0"),
    must("count", BigInteger()),
    PrimaryKeyConstraint("tenant", "name", "hour", "bucket"),
    postgresql_with={"fillfactor": "50"},
    comment="What happened how often in an hour; of durations also in which bucket of the histogram.",
)
