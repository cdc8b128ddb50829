"""Tables of goals and of consensus."""

from pgvector.sqlalchemy import Vector
from sqlalchemy import (
    CheckConstraint,
    Double,
    Index,
    Integer,
    PrimaryKeyConstraint,
    SmallInteger,
    Table,
    Text,
    Uuid,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

from slowwave.store.tables.columns import TIME, made, may, metadata, must, tenant

goals = Table(
    "goals",
    metadata,
    must("scope", Uuid()),
    must("goal", Uuid()),
    tenant(),
    may("parent", Uuid()),
    must("description", Text()),
    must("status", Text(), "'active'"),
    must("priority", Integer(), "0"),
    made("created"),
    may("completed", TIME),
    may("deadline", TIME),
    may("result", Text()),
    may("space", SmallInteger()),
    may("embedding", Vector()),
    may("blocked_by", Uuid(), "The goal of the same scope that blocks it; null if no goal does."),
    PrimaryKeyConstraint("scope", "goal"),
    CheckConstraint("status IN ('active', 'completed', 'abandoned', 'blocked')", name="status"),
    CheckConstraint("(completed IS NOT NULL) = (status IN ('completed', 'abandoned'))", name="completed"),
    CheckConstraint("(space IS NULL) = (embedding IS NULL)", name="embedding"),
    Index("goals_of_status", "scope", "status"),
    comment="Goals of agents for a user, and their outcomes.",
)

consensus = Table(
    "consensus",
    metadata,
    must("scope", Uuid()),
    must("record", Uuid()),
    tenant(),
    must("stance", Text()),
    must("topic", Text()),
    must("topic_hash", Text()),
    must("statement", Text()),
    must("agents", ARRAY(Text())),
    must("confidence", Double()),
    must("reason", Text(), "''"),
    must("metadata", JSONB(), "'{}'::jsonb"),
    made("decided"),
    may("space", SmallInteger()),
    may("embedding", Vector()),
    PrimaryKeyConstraint("scope", "record"),
    CheckConstraint("stance IN ('consensus', 'dissent')", name="stance"),
    CheckConstraint("confidence >= 0 AND confidence <= 1", name="confidence"),
    CheckConstraint("(space IS NULL) = (embedding IS NULL)", name="embedding"),
    Index("consensus_topic", "scope", "topic_hash"),
    comment="Consensus of agents, and their dissent. Append-only by grant.",
)
