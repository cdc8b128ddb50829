"""The inbox: tenants, scopes with their leases and watermarks, episodes and their vectors."""

from pgvector.sqlalchemy import Vector
from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Computed,
    Identity,
    Index,
    Integer,
    LargeBinary,
    PrimaryKeyConstraint,
    SmallInteger,
    Table,
    Text,
    UniqueConstraint,
    Uuid,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB, TSVECTOR

from slowwave.store.tables.columns import TIME, made, may, metadata, must, tenant

tenants = Table(
    "tenants",
    metadata,
    tenant(),
    must("fingerprint_key", LargeBinary()),
    made("born"),
    PrimaryKeyConstraint("tenant"),
    CheckConstraint("octet_length(fingerprint_key) = 32", name="key_length"),
    comment="The tenants, each with the key that fingerprints its facts.",
)

scope_heads = Table(
    "scope_heads",
    metadata,
    must("scope", Uuid()),
    tenant(),
    must("user_id", Text()),
    must("agent", Text()),
    must("channel", Text()),
    must("head", BigInteger(), "0"),
    made("born"),
    made("touched", "When the last episode was received."),
    may("erased", TIME, "When its names were erased; null again with the next push."),
    PrimaryKeyConstraint("scope"),
    UniqueConstraint("tenant", "user_id", "agent", "channel"),
    postgresql_with={"fillfactor": "50"},
    comment="The last position of a scope. Locked by push only.",
)

scope_leases = Table(
    "scope_leases",
    metadata,
    must("scope", Uuid()),
    tenant(),
    must("fence", BigInteger(), "0"),
    may("since", TIME),
    may("until", TIME),
    may("owner", Text()),
    must("last_recorded", TIME, "'1970-01-01 00:00:00+00'"),
    PrimaryKeyConstraint("scope"),
    postgresql_with={"fillfactor": "50"},
    comment="The worker that holds a scope, and the end of its lease. Locked by claim, heartbeat and apply only.",
)

watermarks = Table(
    "watermarks",
    metadata,
    must("scope", Uuid()),
    must("pack", Text()),
    tenant(),
    must("position", BigInteger(), "0"),
    must("suspect", BigInteger(), "0"),
    must("planned", BigInteger(), "0"),
    may("newest", TIME, comment="When the latest of the episodes read occurred; NULL if that is not known yet."),
    PrimaryKeyConstraint("scope", "pack"),
    CheckConstraint("planned >= position", name="planned"),
    postgresql_with={"fillfactor": "50"},
    comment="How far a pack has consolidated and planned a scope. Windows stay small up to *suspect*.",
)

# the inbox

episode_keys = Table(
    "episode_keys",
    metadata,
    must("scope", Uuid()),
    must("id", Uuid()),
    tenant(),
    must("position", BigInteger()),
    must("received", TIME),
    must("digest", LargeBinary()),
    must("erased", Boolean(), "false", comment="What it said was erased; then the digest is keyed."),
    PrimaryKeyConstraint("scope", "id"),
    UniqueConstraint("scope", "position"),
    comment="The keys of known episodes, with position and content digest. Narrow and unpartitioned.",
)

episodes = Table(
    "episodes",
    metadata,
    must("scope", Uuid()),
    must("position", BigInteger()),
    must("received", TIME),
    tenant(),
    must("id", Uuid()),
    must("key", Text()),
    must("occurred", TIME),
    must("session", Text()),
    must("role", Text()),
    must("kind", Text()),
    may("speaker", Text()),
    must("content", Text()),
    must("metadata", JSONB(), "'{}'::jsonb"),
    Column("terms", TSVECTOR, Computed("to_tsvector('english'::regconfig, content)", persisted=True)),
    must("utc_offset", Integer(), "0"),
    PrimaryKeyConstraint("scope", "position", "received"),
    Index("episodes_tool_calls", "scope", "position", postgresql_where=text("kind = 'tool_call'")),
    postgresql_partition_by="RANGE (received)",
    comment="Episodes: immutable, partitioned by month of receipt.",
)

embedding_spaces = Table(
    "embedding_spaces",
    metadata,
    Column("space", SmallInteger, Identity(always=True), nullable=False),
    tenant(),
    must("name", Text()),
    must("dimensions", Integer()),
    PrimaryKeyConstraint("space"),
    UniqueConstraint("name", "dimensions"),
    comment="Embedding spaces: model, version and dimensions. Vectors of two spaces are never compared.",
)

episode_vectors = Table(
    "episode_vectors",
    metadata,
    must("scope", Uuid()),
    must("position", BigInteger()),
    must("space", SmallInteger()),
    tenant(),
    must("embedding", Vector()),
    PrimaryKeyConstraint("scope", "position", "space"),
    comment="The vectors of episodes, computed after the episodes are stored.",
)

unread_turns = Table(
    "unread_turns",
    metadata,
    must("scope", Uuid()),
    must("position", BigInteger()),
    tenant(),
    must("received", TIME),
    must("session", Text()),
    must("language", Text()),
    PrimaryKeyConstraint("scope", "position"),
    Index("unread_turns_received", "tenant", "received"),
    comment="Turns of users in languages that no pack or model read on arrival; they yielded no facts.",
)
