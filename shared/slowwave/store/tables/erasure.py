"""Tables of erasures: each request, as ids and keyed digests only, and its outcome."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Index,
    Integer,
    LargeBinary,
    PrimaryKeyConstraint,
    Table,
    Text,
    Uuid,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

from slowwave.store.tables.columns import TIME, made, may, metadata, must, tenant

erasures = Table(
    "erasures",
    metadata,
    must("erasure", Uuid()),
    tenant(),
    must("kind", Text()),
    must("fingerprint", LargeBinary(), comment="A keyed digest of what was asked for: the same request finishes it."),
    must("learn_again", Boolean(), "false"),
    made("asked"),
    must("letters", ARRAY(BigInteger), "'{}'", comment="Dead letters without a scope that name what is forgotten."),
    must("audits", ARRAY(BigInteger), "'{}'", comment="Audit rows without a scope, or that match."),
    must("counts", JSONB(), "'{}'::jsonb", comment="How many rows were erased, by table."),
    must("tables", ARRAY(Text()), "'{}'", comment="The tables and partitions that are to be rewritten."),
    must("calls", ARRAY(BigInteger), "'{}'", comment="The calls by which a provider was sent some of the words."),
    may("erased", TIME, "When the last content was gone from every row."),
    may("rewritten", TIME, "When the tables, statistics and log were rewritten; null until then."),
    may("beside", TIME, "When Redis and the outbox were last searched for it; null until then."),
    PrimaryKeyConstraint("erasure"),
    CheckConstraint("kind IN ('user', 'session', 'fact', 'matching', 'scope')", name="kind"),
    Index("erasures_unfinished", "tenant", postgresql_where=text("erased IS NULL")),
    comment="Requests to forget for good, without a word of what is forgotten.",
)

erasure_targets = Table(
    "erasure_targets",
    metadata,
    must("erasure", Uuid()),
    must("scope", Uuid()),
    tenant(),
    must("everything", Boolean()),
    must("positions", ARRAY(BigInteger), "'{}'"),
    must("memories", ARRAY(Uuid()), "'{}'", comment="Goals, consensus, strategies and facts that match by themselves."),
    must("ordinal", Integer()),
    may("done", TIME),
    PrimaryKeyConstraint("erasure", "scope"),
    comment="What an erasure removes from each scope: everything, or some positions and what rests on them.",
)
