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
    comment="Hourly counts of events; for durations per bucket of a histogram.",
)
