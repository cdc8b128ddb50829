"""The tables, as SQLAlchemy knows them. Migrations make them; a test proves both equal.

Every table carries its tenant. Constraints carry the invariants: no two live versions of one belief, one running
run a scope, one pending intent a (scope, job, pack), unique firings, positions without repeats.
"""

from typing import Any

from pgvector.sqlalchemy import Vector
from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Computed,
    Double,
    Identity,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    SmallInteger,
    Table,
    Text,
    UniqueConstraint,
    Uuid,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB, TIMESTAMP, TSTZRANGE, TSVECTOR, ExcludeConstraint
from sqlalchemy.types import TypeEngine

metadata = MetaData(
    naming_convention={
        "pk": "%(table_name)s_pkey",
        "uq": "%(table_name)s_%(column_0_N_name)s_key",
        "ck": "%(table_name)s_%(constraint_name)s_check",
    }
)

_TIME = TIMESTAMP(timezone=True)
_NOW = text("slowwave_now()")


def _must(name: str, type_: TypeEngine[Any], default: str | None = None) -> Column[Any]:
    return Column(name, type_, nullable=False, server_default=text(default) if default else None)


def _may(name: str, type_: TypeEngine[Any]) -> Column[Any]:
    return Column(name, type_, nullable=True)


def _number(name: str) -> Column[Any]:
    return Column(name, BigInteger, Identity(always=True), nullable=False)


def _tenant() -> Column[Any]:
    return _must("tenant", Text())


def _made(name: str) -> Column[Any]:
    return Column(name, _TIME, nullable=False, server_default=_NOW)


# whose memory

tenants = Table(
    "tenants",
    metadata,
    _tenant(),
    _must("fingerprint_key", LargeBinary()),
    _made("born"),
    PrimaryKeyConstraint("tenant"),
    CheckConstraint("octet_length(fingerprint_key) = 32", name="key_length"),
    comment="Who is isolated from whom, and the key that fingerprints a tenant's facts.",
)

scope_heads = Table(
    "scope_heads",
    metadata,
    _must("scope", Uuid()),
    _tenant(),
    _must("user_id", Text()),
    _must("agent", Text()),
    _must("channel", Text()),
    _must("head", BigInteger(), "0"),
    _made("born"),
    PrimaryKeyConstraint("scope"),
    UniqueConstraint("tenant", "user_id", "agent", "channel"),
    postgresql_with={"fillfactor": "50"},
    comment="The last position of a scope. Locked by push only.",
)

scope_leases = Table(
    "scope_leases",
    metadata,
    _must("scope", Uuid()),
    _tenant(),
    _must("fence", BigInteger(), "0"),
    _may("since", _TIME),
    _may("until", _TIME),
    _may("owner", Text()),
    _must("last_recorded", _TIME, "'1970-01-01 00:00:00+00'"),
    PrimaryKeyConstraint("scope"),
    postgresql_with={"fillfactor": "50"},
    comment="Who works on a scope, until when. Locked by claim, heartbeat and apply only.",
)

watermarks = Table(
    "watermarks",
    metadata,
    _must("scope", Uuid()),
    _must("pack", Text()),
    _tenant(),
    _must("position", BigInteger(), "0"),
    _must("suspect", BigInteger(), "0"),
    PrimaryKeyConstraint("scope", "pack"),
    postgresql_with={"fillfactor": "50"},
    comment="Up to where a pack has consolidated a scope; windows stay small until they pass *suspect*.",
)

# the inbox

episode_keys = Table(
    "episode_keys",
    metadata,
    _must("scope", Uuid()),
    _must("id", Uuid()),
    _tenant(),
    _must("position", BigInteger()),
    _must("received", _TIME),
    _must("digest", LargeBinary()),
    PrimaryKeyConstraint("scope", "id"),
    UniqueConstraint("scope", "position"),
    comment="Which episodes are known, where they stand and what they said. Narrow and unpartitioned.",
)

episodes = Table(
    "episodes",
    metadata,
    _must("scope", Uuid()),
    _must("position", BigInteger()),
    _must("received", _TIME),
    _tenant(),
    _must("id", Uuid()),
    _must("key", Text()),
    _must("occurred", _TIME),
    _must("session", Text()),
    _must("role", Text()),
    _must("kind", Text()),
    _may("speaker", Text()),
    _must("content", Text()),
    _must("metadata", JSONB(), "'{}'::jsonb"),
    Column("terms", TSVECTOR, Computed("to_tsvector('english'::regconfig, content)", persisted=True)),
    PrimaryKeyConstraint("scope", "position", "received"),
    postgresql_partition_by="RANGE (received)",
    comment="What happened, immutable, partitioned by month of receipt.",
)

embedding_spaces = Table(
    "embedding_spaces",
    metadata,
    Column("space", SmallInteger, Identity(always=True), nullable=False),
    _tenant(),
    _must("name", Text()),
    _must("dimensions", Integer()),
    PrimaryKeyConstraint("space"),
    UniqueConstraint("name"),
    comment="A model, its version and its dimensions. Vectors of two spaces are never compared.",
)

episode_vectors = Table(
    "episode_vectors",
    metadata,
    _must("scope", Uuid()),
    _must("position", BigInteger()),
    _must("space", SmallInteger()),
    _tenant(),
    _must("embedding", Vector()),
    PrimaryKeyConstraint("scope", "position", "space"),
    comment="What an episode means to an embedder. Prepared after the episode is stored.",
)

# when work is due

packs = Table(
    "packs",
    metadata,
    _must("pack", Text()),
    _tenant(),
    _must("job", Text()),
    _must("version", Integer()),
    _must("digest", LargeBinary()),
    _must("active", Boolean(), "true"),
    _made("registered"),
    PrimaryKeyConstraint("pack"),
    comment="The rule packs this installation runs, and the job that runs each.",
)

schedules = Table(
    "schedules",
    metadata,
    _must("schedule", Text()),
    _tenant(),
    _must("job", Text()),
    _must("pack", Text()),
    _must("kind", Text()),
    _may("every", Integer()),
    _may("seconds", Double()),
    _may("cron", Text()),
    _may("zone", Text()),
    _must("missed", Text(), "'catch_up'"),
    _may("next_due", _TIME),
    _must("paused", Boolean(), "false"),
    PrimaryKeyConstraint("schedule"),
    CheckConstraint("kind IN ('count', 'age', 'cron', 'interval', 'manual')", name="kind"),
    CheckConstraint("missed IN ('catch_up', 'skip')", name="missed"),
    comment="When each job of a pack comes due.",
)

firings = Table(
    "firings",
    metadata,
    _must("schedule", Text()),
    _must("scope", Uuid()),
    _must("at_window", Text()),
    _tenant(),
    _made("fired"),
    _must("fired_by", Text()),
    PrimaryKeyConstraint("schedule", "scope", "at_window"),
    comment="A schedule came due for a scope and window: once, however many schedulers run.",
)

intents = Table(
    "intents",
    metadata,
    _number("intent"),
    _must("scope", Uuid()),
    _tenant(),
    _must("job", Text()),
    _must("pack", Text()),
    _must("state", Text(), "'pending'"),
    _must("target", BigInteger()),
    _must("due", _TIME),
    _must("hastened", Boolean(), "false"),
    _may("lo", BigInteger()),
    _may("hi", BigInteger()),
    _may("fence", BigInteger()),
    _must("vanished", Integer(), "0"),
    _must("strikes", Integer(), "0"),
    _may("chosen", ARRAY(BigInteger)),
    PrimaryKeyConstraint("intent"),
    CheckConstraint("state IN ('pending', 'running')", name="state"),
    CheckConstraint("(state = 'running') = (lo IS NOT NULL AND hi IS NOT NULL)", name="window"),
    Index("intents_one_pending", "scope", "job", "pack", unique=True, postgresql_where=text("state = 'pending'")),
    Index("intents_one_running", "scope", "job", "pack", unique=True, postgresql_where=text("state = 'running'")),
    Index("intents_due", "due", "intent"),
    Index("intents_waiting", "pack", "due", postgresql_where=text("state = 'pending' AND NOT hastened")),
    postgresql_with={"fillfactor": "50"},
    comment="Work to do. Done work leaves this table; its runs remain.",
)

runs = Table(
    "runs",
    metadata,
    _number("run"),
    _must("scope", Uuid()),
    _tenant(),
    _must("job", Text()),
    _must("pack", Text()),
    _must("version", Integer()),
    _must("intent", BigInteger()),
    _must("lo", BigInteger()),
    _must("hi", BigInteger()),
    _must("fence", BigInteger()),
    _must("owner", Text()),
    _made("started"),
    _may("finished", _TIME),
    _may("outcome", Text()),
    _must("counts", JSONB(), "'{}'::jsonb"),
    _must("settings", JSONB(), "'{}'::jsonb"),
    _may("error", Text()),
    PrimaryKeyConstraint("run"),
    CheckConstraint("(finished IS NULL) = (outcome IS NULL)", name="finished"),
    Index("runs_one_running", "scope", unique=True, postgresql_where=text("finished IS NULL")),
    Index("runs_of_scope", "scope", "run"),
    Index("runs_finished", "finished", postgresql_where=text("outcome = 'ok'")),
    comment="Every attempt at an intent: who, which window, how it ended.",
)

extraction_journal = Table(
    "extraction_journal",
    metadata,
    _must("scope", Uuid()),
    _must("pack", Text()),
    _must("version", Integer()),
    _must("lo", BigInteger()),
    _must("hi", BigInteger()),
    _tenant(),
    _must("reply", JSONB()),
    _made("written"),
    PrimaryKeyConstraint("scope", "pack", "version", "lo", "hi"),
    comment="What a model answered about a window, before it was used. The first writer wins.",
)

dead_letters = Table(
    "dead_letters",
    metadata,
    _number("letter"),
    _tenant(),
    _may("scope", Uuid()),
    _may("pack", Text()),
    _may("episode", Uuid()),
    _may("position", BigInteger()),
    _must("category", Text()),
    _must("reason", Text()),
    _may("item", JSONB()),
    _must("state", Text(), "'open'"),
    _made("born"),
    PrimaryKeyConstraint("letter"),
    CheckConstraint("state IN ('open', 'retried', 'dropped')", name="state"),
    Index(
        "dead_letters_one_open", "scope", "pack", "episode", "category",
        unique=True, postgresql_where=text("state = 'open' AND episode IS NOT NULL"),
    ),
    comment="What could not be used, and why: an episode for a pack, a message, or a delta for review.",
)  # fmt: skip

# what is believed

beliefs = Table(
    "beliefs",
    metadata,
    _number("belief"),
    _must("scope", Uuid()),
    _tenant(),
    _must("digest", LargeBinary()),
    PrimaryKeyConstraint("belief"),
    UniqueConstraint("scope", "digest"),
    comment="A number for what may hold one value at a time; the digest is keyed, for facts can be guessed.",
)

facts = Table(
    "facts",
    metadata,
    _number("version"),
    _must("scope", Uuid()),
    _tenant(),
    _must("fact", Uuid()),
    _must("belief", BigInteger()),
    _must("subject", Text()),
    _must("predicate", Text()),
    _must("object", Text()),
    _must("single_valued", Boolean()),
    _must("valid", TSTZRANGE()),
    _must("recorded", TSTZRANGE()),
    _must("confidence", Double()),
    _must("rule", Text()),
    _must("position", BigInteger()),
    _must("session", Text()),
    Column(
        "terms",
        TSVECTOR,
        Computed(
            "to_tsvector('english'::regconfig, subject || ' ' || replace(predicate, '_', ' ') || ' ' || object)",
            persisted=True,
        ),
    ),
    PrimaryKeyConstraint("version"),
    CheckConstraint("confidence >= 0 AND confidence <= 1", name="confidence"),
    CheckConstraint("NOT isempty(valid) AND NOT isempty(recorded)", name="ranges"),
    ExcludeConstraint(
        (text("int8range(belief, belief, '[]')"), "&&"),
        ("valid", "&&"),
        ("recorded", "&&"),
        name="facts_one_live_version",
        using="gist",
    ),
    Index("facts_open", "scope", "belief", postgresql_where=text("upper_inf(recorded)")),
    Index("facts_open_recent", "scope", "position", postgresql_where=text("upper_inf(recorded)")),
    Index("facts_of_delta", "fact"),
    comment="What is believed: versions that open and close in valid and in recorded time. The fold of the ledger.",
)

fact_vectors = Table(
    "fact_vectors",
    metadata,
    _must("scope", Uuid()),
    _must("fact", Uuid()),
    _must("space", SmallInteger()),
    _tenant(),
    _must("embedding", Vector()),
    PrimaryKeyConstraint("scope", "fact", "space"),
    comment="What a fact means to an embedder.",
)

standing = Table(
    "standing",
    metadata,
    _must("scope", Uuid()),
    _must("memory", Uuid()),
    _tenant(),
    _must("kind", Text()),
    _must("tier", Text()),
    _must("base", Double()),
    _must("anchor", _TIME),
    _must("access_count", Integer(), "0"),
    _must("surprise", Double(), "0"),
    _may("last_access", _TIME),
    _may("next_due_at", _TIME),
    PrimaryKeyConstraint("scope", "memory"),
    Index("standing_due", "next_due_at"),
    postgresql_with={"fillfactor": "50"},
    comment="A memory's tier, strength and accesses: derived, mutable, not belief.",
)

# the ledger

deltas = Table(
    "deltas",
    metadata,
    _must("id", Uuid()),
    _must("scope", Uuid()),
    _tenant(),
    _may("run", BigInteger()),
    _must("pack", Text()),
    _must("rule", Text()),
    _must("kind", Text()),
    _must("mode", Text()),
    _must("position", BigInteger()),
    _may("belief", BigInteger()),
    _may("fact", Uuid()),
    _must("replaces", ARRAY(Uuid()), "'{}'::uuid[]"),
    _may("valid", TSTZRANGE()),
    _must("confidence", Double()),
    _must("recorded", _TIME),
    _must("fingerprint", LargeBinary()),
    _must("payload_digest", LargeBinary()),
    PrimaryKeyConstraint("id"),
    UniqueConstraint("scope", "recorded"),
    CheckConstraint("kind IN ('add', 'update', 'delete', 'noop')", name="kind"),
    CheckConstraint("kind NOT IN ('update', 'delete') OR cardinality(replaces) > 0", name="replaces"),
    CheckConstraint("confidence >= 0 AND confidence <= 1", name="confidence"),
    Index(
        "deltas_remembered", "scope", "fingerprint",
        postgresql_where=text("mode = ANY (ARRAY['end'::text, 'forget'::text])"),
    ),
    Index("deltas_confirming", "scope", "fact", postgresql_where=text("kind = 'noop'::text")),
    comment="Every delta ever applied: the skeleton. Append-only by grant.",
)  # fmt: skip

delta_payloads = Table(
    "delta_payloads",
    metadata,
    _must("delta", Uuid()),
    _tenant(),
    _must("payload", JSONB()),
    PrimaryKeyConstraint("delta"),
    comment="What a delta said, in words. Erasable without breaking the fold.",
)

delta_sources = Table(
    "delta_sources",
    metadata,
    _must("delta", Uuid()),
    _must("ordinal", SmallInteger()),
    _tenant(),
    _must("episode", Uuid()),
    _must("key", Text()),
    _must("position", BigInteger()),
    _must("span_start", Integer()),
    _must("span_end", Integer()),
    PrimaryKeyConstraint("delta", "ordinal"),
    comment="The words a delta rests on: characters of an episode's content, end exclusive.",
)

audit_log = Table(
    "audit_log",
    metadata,
    _number("id"),
    _made("at"),
    _tenant(),
    _may("scope", Uuid()),
    _must("operation", Text()),
    _must("memory_type", Text()),
    _may("run", BigInteger()),
    _must("detail", JSONB(), "'{}'::jsonb"),
    _must("settings", JSONB(), "'{}'::jsonb"),
    PrimaryKeyConstraint("id", "at"),
    Index("audit_log_operation", "operation", "at"),
    postgresql_partition_by="RANGE (at)",
    comment="Who changed what, in the transaction of the change, partitioned by day.",
)

processes = Table(
    "processes",
    metadata,
    _must("process", Text()),
    _tenant(),
    _must("role", Text()),
    _made("started"),
    _made("seen"),
    PrimaryKeyConstraint("process"),
    comment="Which schedulers and workers have made progress, and when.",
)
