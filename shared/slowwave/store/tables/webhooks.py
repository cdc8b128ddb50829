"""The table of webhooks: their addresses, and the last delta that was sent to each."""

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
        comment="The signing key, in clear text. Only the role that delivers may read it, no tenant.",
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
        "The last delta that was delivered or filtered out; no earlier delta is pending.",
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
    comment="Webhooks of a tenant, each with its last delivered delta. Removed ones stay, without secret.",
)
