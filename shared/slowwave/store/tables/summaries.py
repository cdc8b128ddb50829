"""The tables of trees over session summaries, and of model summaries of both."""

from pgvector.sqlalchemy import Vector
from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Index,
    PrimaryKeyConstraint,
    SmallInteger,
    Table,
    Text,
    Uuid,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

from slowwave.store.tables.columns import may, metadata, must, tenant

tree_nodes = Table(
    "tree_nodes",
    metadata,
    must("scope", Uuid()),
    must("node", Uuid()),
    tenant(),
    must("level", SmallInteger()),
    may("parent", Uuid()),
    must("space", SmallInteger(), comment="The embedding space in which the similarity of nodes was measured."),
    may("text", Text()),
    may("embedding", Vector()),
    may("facts", ARRAY(Uuid()), "The summary that contains each line of the text."),
    may("places", ARRAY(SmallInteger()), "The index of the line in that summary, from 0."),
    PrimaryKeyConstraint("scope", "node"),
    CheckConstraint(
        "(level = 0) = (text IS NULL) AND (level = 0) = (embedding IS NULL) AND (level = 0) = (facts IS NULL)"
        " AND cardinality(facts) IS NOT DISTINCT FROM cardinality(places)",
        name="told",
    ),
    comment="The tree over the summaries of a scope: summary facts at level 0, the best lines of the children above.",
)

tellings = Table(
    "tellings",
    metadata,
    must("scope", Uuid()),
    must("about", Text()),
    tenant(),
    may("session", Text()),
    must("reached", BigInteger(), "0", comment="The last position of the session with a message to summarise."),
    must("covered", BigInteger(), "0", comment="The last position that is summarised or skipped."),
    must("upto", BigInteger(), "0", comment="The last position that the pending request covers."),
    may("waiting", Text(), "The pending request."),
    may("request", Text(), "The last request that was applied or rejected."),
    may("model", Text()),
    may("lines", JSONB(), "Sentences, each with its supporting words; null if quotes are used."),
    must("rests", ARRAY(BigInteger()), "'{}'", comment="The positions of all supporting words."),
    may("space", SmallInteger()),
    may("embedding", Vector()),
    PrimaryKeyConstraint("scope", "about"),
    CheckConstraint("(model IS NULL) = (lines IS NULL)", name="told"),
    CheckConstraint("(space IS NULL) = (embedding IS NULL)", name="space"),
    Index(
        "tellings_open",
        "scope",
        postgresql_where=text("session IS NOT NULL AND (waiting IS NOT NULL OR reached > covered)"),
    ),
    comment="Model summaries of sessions (by subject) and of tree nodes (by id). Quotes replace missing ones.",
)
