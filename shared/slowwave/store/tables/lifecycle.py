"""Tables of the lifecycle, beside what is believed: standing, moves, promotions, segments, conversations."""

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
    comment="Where a standing job works: one slice of a tenant. Its lease is in scope_leases.",
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
    comment="A memory's tier, strength and accesses: derived, mutable, not belief.",
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
    comment="Every step a memory has taken on its ladder. Append-only by grant.",
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
    comment="The memories a delta was made from: what a promotion copies, what a summary stands for.",
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
    comment="Which fact of a project channel is believed everywhere, since when, and whether it was taken back.",
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
    may("archived", TIME, "What was received up to then is left out of default recall."),
    may("tombstoned", TIME, "What was received up to then is given up, and its partition may be dropped."),
    made("touched", "When it last got an episode, or was brought back. Its age for the archive."),
    PrimaryKeyConstraint("scope", "session"),
    Index("conversations_open", "tenant", "slice", "touched", postgresql_where=text("archived IS NULL")),
    Index("conversations_archived", "tenant", "slice", "touched", postgresql_where=text("archived IS NOT NULL")),
    Index("conversations_hidden", "scope", postgresql_where=text("archived IS NOT NULL OR tombstoned IS NOT NULL")),
    comment="A session of a scope: when it began and ended, and whether it is archived.",
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
    comment="The topics of a session that are over: positions first to last, and how far the next topic lay.",
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
    comment="The running topic of a session: where it began, its newest events, and those of the topic before it.",
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
    may("due", TIME, "When the archive looks at it next; null while a fact about it is held."),
    must("frequency", BigInteger(), "0", comment="How often what is believed speaks of it by this name."),
    may("same_as", Uuid(), "The entity that this is another name of; null where the name is its own."),
    may("near", Uuid(), "The older entity it was merged with by meaning, when it was first named."),
    may("spelled", Text(), "The name as names are compared that may mean the same."),
    PrimaryKeyConstraint("scope", "entity"),
    Index("entities_due", "tenant", "slice", "due", postgresql_where=text("due IS NOT NULL")),
    Index("entities_same", "scope", "same_as", postgresql_where=text("same_as IS NOT NULL")),
    Index("entities_spelled", "scope", "spelled"),
    Index("entities_near", "scope", "near", postgresql_where=text("near IS NOT NULL")),
    comment="Who and what facts are about and name, a row a name. A tombstoned one comes back with the next fact "
    "about it.",
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
    comment="Legal holds, on a scope or a whole tenant: while one is in force nothing of it fades or is archived.",
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
    comment="Ways of doing a task, and how often each has worked and failed. Counts are derived from episodes.",
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
    comment="How often a tool was called, how often it worked, and how long all its calls took together.",
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
    comment="What a pattern that is not believed yet was seen in: a success of a strategy, a week of a routine.",
)
