"""The tables of HTTP callers: their keys, and their remaining tokens."""

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Double,
    LargeBinary,
    PrimaryKeyConstraint,
    Table,
    Text,
    UniqueConstraint,
    Uuid,
)
from sqlalchemy.dialects.postgresql import ARRAY

from slowwave.store.tables.columns import TIME, made, may, metadata, must, tenant

api_keys = Table(
    "api_keys",
    metadata,
    must("key", Uuid(), "gen_random_uuid()"),
    tenant(),
    must("name", Text()),
    must(
        "hash",
        LargeBinary(),
        comment="SHA-256 of the key. The key has 256 random bits, so nobody can recover it from the hash.",
    ),
    must("verbs", ARRAY(Text())),
    made("created"),
    may("revoked", TIME),
    PrimaryKeyConstraint("key"),
    UniqueConstraint("hash"),
    CheckConstraint("octet_length(hash) = 32", name="hash"),
    CheckConstraint("cardinality(verbs) > 0", name="verbs"),
    comment="Keys of HTTP callers, each with its tenant and allowed verbs. Revoked keys stay.",
)

api_buckets = Table(
    "api_buckets",
    metadata,
    must("key", Uuid()),
    must("verb", Text()),
    tenant(),
    must("level", Double()),
    made("seen"),
    PrimaryKeyConstraint("key", "verb"),
    CheckConstraint("level >= 0", name="level"),
    postgresql_with={"fillfactor": "50"},
    comment="The rate-limit tokens that a key had left for a verb at its last request; they refill every second.",
)

quotas = Table(
    "quotas",
    metadata,
    tenant(),
    must("what", Text()),
    may("most", BigInteger(), "The limit; null once it was removed."),
    must("level", Double(), comment="The tokens left when it was last drawn from; it refills over the period."),
    made("seen", "The time at which it was last drawn from."),
    PrimaryKeyConstraint("tenant", "what"),
    CheckConstraint(
        "what IN ('episodes-a-minute', 'bytes-a-day', 'recalls-a-minute', 'episodes-waiting')", name="what"
    ),
    CheckConstraint("most > 0", name="most"),
    comment="The quotas of tenants, each a token bucket. A tenant without a row has no limit.",
)
