"""Tables of the lifecycle of memories: standing, tier moves, promotions, segments, conversations and others."""

from pgvector.sqlalchemy import Vector
from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Computed,
    Double,
    Index,
    Integer,
    PrimaryKeyConstraint,
    SmallInteger,
    Table,
    Text,
    Uuid,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

from slowwave.store.tables.columns import TIME, made, may, metadata, must, number, tenant


def _slice() -> Column[int]:
    return Column("slice", SmallInteger(), Computed("(get_byte(uuid_send(scope), 0) >> 4)::smallint", persisted=True))


places = Table(
    "places",
    metadata,
    must("place", Uuid()),
    tenant(),
    must("job", Text()),
    must("slice", SmallInteger()),
    PrimaryKeyConstraint("place"),
    comment="The slices of a tenant on which a standing job works. Their leases are in scope_leases.",
)

standing = Table(
    "standing",
    metadata,
    must("scope", Uuid()),
    must("memory", Uuid()),
    must("created", TIME),
    must("base", Double()),
    must("surprise", Double(), "0"),
    must("access_count", Integer(), "0"),
    must("frequency", Integer(), "0"),
    must("successes", Integer(), "0"),
    _slice(),
    must("pinned", Boolean(), "false"),
    tenant(),
    must("kind", Text()),
    must("source", Text(), "'stated'"),
    must("tier", Text()),
    may("last_access", TIME),
    may("reinforced", TIME),
    may("evidence", TIME),
    may("moved", TIME),
    may("decay_due", TIME),
    may("sweep_due", TIME),
    may("promote_due", TIME),
    must("accesses", ARRAY(TIME), "'{}'::timestamptz[]"),
    PrimaryKeyConstraint("scope", "memory"),
    CheckConstraint("source IN ('stated', 'inferred', 'statement')", name="source"),
    Index("standing_decay_due", "slice", "tenant", "decay_due"),
    Index("standing_sweep_due", "slice", "tenant", "sweep_due", postgresql_where=text("sweep_due IS NOT NULL")),
    Index("standing_promote_due", "scope", "promote_due", postgresql_where=text("promote_due IS NOT NULL")),
    postgresql_with={"fillfactor": "50"},
    comment="The tier, strength and accesses of a memory: derived and mutable.",
)

tier_moves = Table(
    "tier_moves",
    metadata,
    number("move"),
    tenant(),
    must("scope", Uuid()),
    must("memory", Uuid()),
    must("from_tier", Text()),
    must("to_tier", Text()),
    must("reason", Text()),
    made("at"),
    may("run", BigInteger()),
    PrimaryKeyConstraint("move"),
    Index("tier_moves_at", "tenant", "at"),
    comment="All tier moves of memories. Append-only by grant.",
)

delta_origins = Table(
    "delta_origins",
    metadata,
    must("delta", Uuid()),
    must("ordinal", Integer()),
    tenant(),
    must("relation", Text()),
    must("scope", Uuid()),
    must("memory", Uuid()),
    PrimaryKeyConstraint("delta", "ordinal"),
    CheckConstraint("relation IN ('promoted_from', 'summarises')", name="relation"),
    Index("delta_origins_memory", "memory"),
    comment="The memories from which a delta was made: the sources of a promotion or a summary.",
)

promotions = Table(
    "promotions",
    metadata,
    number("promotion"),
    tenant(),
    must("target", Uuid()),
    must("fact", Uuid()),
    must("source_scope", Uuid()),
    must("source_fact", Uuid()),
    must("confirmed", Boolean()),
    must("policy", JSONB()),
    must("promoted", TIME),
    may("undone", TIME),
    may("due", TIME),
    PrimaryKeyConstraint("promotion"),
    Index("promotions_one_live", "target", "source_fact", unique=True, postgresql_where=text("undone IS NULL")),
    Index("promotions_source", "source_fact"),
    Index("promotions_due", "due", postgresql_where=text("due IS NOT NULL")),
    comment="Promotions of facts from a project channel to `_global`, with start and revocation.",
)

conversations = Table(
    "conversations",
    metadata,
    must("scope", Uuid()),
    must("session", Text()),
    tenant(),
    _slice(),
    must("first_at", TIME),
    must("last_at", TIME),
    must("episodes", BigInteger()),
    may("archived", TIME, "Default recall omits episodes received up to this time."),
    may("tombstoned", TIME, "Episodes received up to this time are expired, and their partition may be dropped."),
    made("touched", "The time of its last episode or restore; the archive measures its age from here."),
    PrimaryKeyConstraint("scope", "session"),
    Index("conversations_open", "tenant", "slice", "touched", postgresql_where=text("archived IS NULL")),
    Index("conversations_archived", "tenant", "slice", "touched", postgresql_where=text("archived IS NOT NULL")),
    Index("conversations_hidden", "scope", postgresql_where=text("archived IS NOT NULL OR tombstoned IS NOT NULL")),
    comment="Sessions of a scope: begin, end and archive state.",
)

segments = Table(
    "segments",
    metadata,
    must("scope", Uuid()),
    must("session", Text()),
    must("number", Integer()),
    tenant(),
    must("first", BigInteger()),
    must("last", BigInteger()),
    must("distance", Double()),
    made("closed"),
    PrimaryKeyConstraint("scope", "session", "number"),
    Index("segments_last", "scope", "last"),
    comment="The finished topics of a session: first and last position, and the distance of the next topic.",
)

topics = Table(
    "topics",
    metadata,
    must("scope", Uuid()),
    must("session", Text()),
    tenant(),
    must("number", Integer()),
    must("first", BigInteger()),
    must("recent", ARRAY(BigInteger)),
    must("before", ARRAY(BigInteger)),
    PrimaryKeyConstraint("scope", "session"),
    comment="The running topic of a session: its first position, its newest events, and those of the previous topic.",
)

entities = Table(
    "entities",
    metadata,
    must("scope", Uuid()),
    must("entity", Uuid()),
    tenant(),
    _slice(),
    must("name", Text()),
    must("first_seen", TIME),
    must("last_seen", TIME),
    may("faded", TIME),
    may("tombstoned", TIME),
    may("due", TIME, "The next check by the archive; null while there is a current fact about it."),
    must("frequency", BigInteger(), "0", comment="The number of current facts that mention it by this name."),
    may("same_as", Uuid(), "The entity of which this is an alias; null if it is no alias."),
    may("near", Uuid(), "The older entity with a similar name, into which it was merged when first mentioned."),
    may("spelled", Text(), "The normalised name, by which possibly equal names are compared."),
    PrimaryKeyConstraint("scope", "entity"),
    Index("entities_due", "tenant", "slice", "due", postgresql_where=text("due IS NOT NULL")),
    Index("entities_same", "scope", "same_as", postgresql_where=text("same_as IS NOT NULL")),
    Index("entities_spelled", "scope", "spelled"),
    Index("entities_near", "scope", "near", postgresql_where=text("near IS NOT NULL")),
    comment="Entities that facts mention, one row per name. The next fact about a tombstoned entity restores it.",
)

holds = Table(
    "holds",
    metadata,
    number("hold"),
    tenant(),
    may("scope", Uuid()),
    must("reason", Text()),
    made("placed"),
    may("released", TIME),
    PrimaryKeyConstraint("hold"),
    Index("holds_in_force", "tenant", "scope", postgresql_where=text("released IS NULL")),
    comment="Legal holds on a scope or a whole tenant. While one is in force, nothing fades or is archived.",
)

strategies = Table(
    "strategies",
    metadata,
    must("scope", Uuid()),
    must("strategy", Uuid()),
    tenant(),
    must("task", Text()),
    must("description", Text()),
    must("context_pattern", Text()),
    must("tools", ARRAY(Text())),
    must("successes", Integer(), "0"),
    must("failures", Integer(), "0"),
    made("created"),
    may("last_used", TIME),
    may("fact", Uuid()),
    may("space", SmallInteger()),
    may("embedding", Vector()),
    PrimaryKeyConstraint("scope", "strategy"),
    comment="Strategies for tasks, each with its successes and failures. Counts are derived from episodes.",
)

tool_stats = Table(
    "tool_stats",
    metadata,
    must("scope", Uuid()),
    must("tool", Text()),
    must("task", Text()),
    tenant(),
    must("calls", BigInteger(), "0"),
    must("successes", BigInteger(), "0"),
    must("latency_ms", Double(), "0"),
    may("last_used", TIME),
    PrimaryKeyConstraint("scope", "tool", "task"),
    comment="Calls, successes and total duration per tool.",
)

sightings = Table(
    "sightings",
    metadata,
    must("scope", Uuid()),
    must("pattern", Uuid()),
    must("bucket", Text()),
    tenant(),
    must("sources", JSONB()),
    PrimaryKeyConstraint("scope", "pattern", "bucket"),
    comment="Evidence for patterns that are no facts yet: a success of a strategy, a week of a routine.",
)
