"""The table of webhooks: their addresses, and how far each has been sent the deltas."""

from sqlalchemy import BigInteger, Index, PrimaryKeyConstraint, Table, Text, Uuid, text
from sqlalchemy.dialects.postgresql import ARRAY

from slowwave.store.tables.columns import TIME, made, may, metadata, must, tenant

webhooks = Table(
    "webhooks",
    metadata,
    must("webhook", Uuid(), "gen_random_uuid()"),
    tenant(),
    must("url", Text()),
    must(
        "secret",
        Text(),
        comment="Signs what is sent, so it is kept as it is. No tenant reads it: it is granted to who delivers alone.",
    ),
    must("kinds", ARRAY(Text())),
    may("user_id", Text()),
    may("agent", Text()),
    may("channel", Text()),
    made("created"),
    may("removed", TIME),
    must("recorded", TIME),
    may(
        "delta",
        Uuid(),
        "The last one that was delivered or is not wanted; of all recorded before, none is owed.",
    ),
    must("delivered", BigInteger(), "0"),
    made("due"),
    may("held_until", TIME),
    must("token", BigInteger(), "0"),
    must("attempts", BigInteger(), "0"),
    may("failing", TIME),
    may("trouble", Text()),
    may("disabled", TIME),
    PrimaryKeyConstraint("webhook"),
    Index("webhooks_due", "due", postgresql_where=text("removed IS NULL AND disabled IS NULL")),
    comment="Addresses that are told each delta of a tenant, and how far each has been told. "
    "Removed ones stay, without secret.",
)
