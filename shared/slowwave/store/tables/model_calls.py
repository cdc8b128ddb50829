"""Tables of model requests: requests, the windows that wait for them, their cost, and the limits of providers.

Skeleton rows are visible to dispatch. Texts are in side rows (payloads, replies, rejected claims) of the tenant.
"""

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Date,
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

model_windows = Table(
    "model_windows",
    metadata,
    number("model_window"),
    must("scope", Uuid()),
    tenant(),
    must("pack", Text()),
    must("edition", Text()),
    must("lo", BigInteger()),
    must("hi", BigInteger()),
    may("chosen", ARRAY(BigInteger), "The positions of retried dead letters; such a window moves no watermark."),
    must("plan", Integer(), "0"),
    must("stale", Boolean(), "false"),
    must("state", Text(), "'waiting'"),
    made("planned"),
    PrimaryKeyConstraint("model_window"),
    CheckConstraint("state IN ('waiting', 'done')", name="state"),
    CheckConstraint("cardinality(chosen) > 0", name="chosen"),
    Index("model_windows_begin", "scope", "pack", "lo", unique=True, postgresql_where=text("chosen IS NULL")),
    Index("model_windows_waiting", "scope", "pack", postgresql_where=text("state = 'waiting'")),
    comment="Windows planned for a model; each waits until all requests of its current plan are closed.",
)

model_chunks = Table(
    "model_chunks",
    metadata,
    must("model_window", BigInteger()),
    must("plan", Integer()),
    must("request", Text()),
    tenant(),
    PrimaryKeyConstraint("model_window", "plan", "request"),
    Index("model_chunks_request", "request"),
    comment="The requests for which a window waits, per plan.",
)

model_requests = Table(
    "model_requests",
    metadata,
    must("request", Text()),
    tenant(),
    must("scope", Uuid()),
    must("pack", Text()),
    must("model", Text()),
    must("edition", Text()),
    must("round", Integer(), "0"),
    must("positions", ARRAY(BigInteger)),
    must("quotes", ARRAY(BigInteger)),
    must("prompt_tokens", Integer()),
    must("most_tokens", Integer()),
    must("state", Text(), "'pending'"),
    made("not_before"),
    made("created"),
    must("unreadable", Integer(), "0"),
    must("failed", Integer(), "0"),
    must("vanished", Integer(), "0"),
    must("unwitnessed", Integer(), "0"),
    may("last", Text(), "The outcome of the last call that was none of these for certain."),
    may("reason", Text(), "The reason why the request is dead."),
    PrimaryKeyConstraint("request"),
    CheckConstraint(
        "state IN ('pending', 'asked', 'answered', 'split', 'dead', 'void', 'erased')", name="state"
    ),
    Index("model_requests_pending", "tenant", "created", "request", postgresql_where=text("state = 'pending'")),
    Index(
        "model_requests_unwitnessed", "created",
        postgresql_where=text("state = 'pending' AND unwitnessed >= 3"),
    ),
    Index("model_requests_scope", "scope", "pack"),
    Index(
        "model_requests_alone", "scope",
        postgresql_where=text("pack IN ('_retell', '_reconsider') AND state IN ('pending', 'asked')"),
    ),
    comment="Requests to a model, one per content, without texts: the positions that they cover and quote.",
)  # fmt: skip

model_payloads = Table(
    "model_payloads",
    metadata,
    must("request", Text()),
    tenant(),
    may("words", JSONB(), "Messages, schema and notes of the extractor; null if erased."),
    PrimaryKeyConstraint("request"),
    comment="The messages of a request to a model.",
)

model_replies = Table(
    "model_replies",
    metadata,
    Column("call", BigInteger, nullable=False, autoincrement=False),
    must("request", Text()),
    tenant(),
    may("n", Integer(), "0 for the reply that is used, 1 or more for unused ones, null until a run has read it."),
    may("raw", Text(), "The raw reply; null if erased."),
    made("kept"),
    may("complaint", Text(), "The reason why it is unreadable, as sent to the model."),
    PrimaryKeyConstraint("call"),
    Index("model_replies_used", "request", unique=True, postgresql_where=text("n = 0")),
    Index("model_replies_request", "request"),
    comment="Replies of models, stored before a run reads them.",
)

model_calls = Table(
    "model_calls",
    metadata,
    number("call"),
    must("request", Text()),
    tenant(),
    must("day", Date()),
    must("provider", Text()),
    may("batch", BigInteger()),
    must("owner", Text()),
    must("reserved_tokens", BigInteger()),
    must("reserved_micros", BigInteger()),
    may("spent_tokens", BigInteger()),
    may("spent_micros", BigInteger()),
    may("prompt_tokens", Integer()),
    may("reply_tokens", Integer()),
    may("latency_ms", Double()),
    may("model", Text(), "As the provider reports it."),
    must("looks", Integer(), "0"),
    made("started"),
    may("finished", TIME),
    may("outcome", Text()),
    PrimaryKeyConstraint("call"),
    Index("model_calls_readable", "provider", "finished", postgresql_where=text("outcome = 'ok'")),
    Index("model_calls_batch", "batch", postgresql_where=text("finished IS NULL")),
    Index("model_calls_request", "request"),
    Index("model_calls_day", "tenant", "day"),
    comment="Calls to models, with their costs. *looks* counts the attempts to read the reply.",
)

model_slots = Table(
    "model_slots",
    metadata,
    must("provider", Text()),
    must("slot", SmallInteger()),
    tenant(),
    may("call", BigInteger()),
    may("of_tenant", Text()),
    may("until", TIME),
    PrimaryKeyConstraint("provider", "slot"),
    postgresql_with={"fillfactor": "50"},
    comment="The running calls at a provider, each with its lease.",
)

model_breakers = Table(
    "model_breakers",
    metadata,
    must("provider", Text()),
    tenant(),
    must("width", Integer()),
    must("failures", Integer(), "0"),
    must("open_until", TIME, "'-infinity'"),
    must("since", TIME, "'-infinity'"),
    PrimaryKeyConstraint("provider"),
    postgresql_with={"fillfactor": "50"},
    comment="The number of usable slots of a provider, and the earliest time of the next call.",
)

model_budgets = Table(
    "model_budgets",
    metadata,
    tenant(),
    must("day", Date()),
    may("cap_tokens", BigInteger()),
    may("cap_micros", BigInteger()),
    must("spent_tokens", BigInteger(), "0"),
    must("spent_micros", BigInteger(), "0"),
    must("reserved_tokens", BigInteger(), "0"),
    must("reserved_micros", BigInteger(), "0"),
    must("served", TIME, "'-infinity'"),
    PrimaryKeyConstraint("tenant", "day"),
    postgresql_with={"fillfactor": "50"},
    comment="The daily model budget of a tenant, in tokens and millionths of the currency; null means no limit.",
)

model_batches = Table(
    "model_batches",
    metadata,
    number("batch"),
    tenant(),
    must("provider", Text()),
    must("state", Text(), "'made'"),
    must("requests", Integer()),
    may("until", TIME),
    made("created"),
    PrimaryKeyConstraint("batch"),
    CheckConstraint("state IN ('made', 'ended')", name="state"),
    Index("model_batches_open", "until", postgresql_where=text("state = 'made'")),
    comment="Batches of requests that were exported in a file, and how long to wait for their replies.",
)

model_rejected = Table(
    "model_rejected",
    metadata,
    number("rejected"),
    tenant(),
    must("scope", Uuid()),
    must("pack", Text()),
    must("request", Text()),
    must("run", BigInteger()),
    must("position", BigInteger()),
    must("reason", Text()),
    may("said", JSONB(), "The claim of the model; null if erased."),
    made("at"),
    PrimaryKeyConstraint("rejected"),
    Index("model_rejected_scope", "scope", "rejected"),
    comment="Claims of models that were dropped, each with the reason.",
)

reconsiderations = Table(
    "reconsiderations",
    metadata,
    must("scope", Uuid()),
    tenant(),
    may("told", TIME, "The model was asked about everything recorded up to this time."),
    may("since", TIME, "The value of told before the last request."),
    may("waiting", Text(), "The request whose reply has not been read yet."),
    PrimaryKeyConstraint("scope"),
    comment="How far a model was asked which facts of a scope the newer facts have ended.",
)
