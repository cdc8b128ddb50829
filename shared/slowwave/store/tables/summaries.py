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
    must("space", SmallInteger(), comment="The embedding space in which it was told what lies together."),
    may("text", Text()),
    may("embedding", Vector()),
    may("facts", ARRAY(Uuid()), "The summary in which each line of the text stands."),
    may("places", ARRAY(SmallInteger()), "Its place there, from 0."),
    PrimaryKeyConstraint("scope", "node"),
    CheckConstraint(
        "(level = 0) = (text IS NULL) AND (level = 0) = (embedding IS NULL) AND (level = 0) = (facts IS NULL)"
        " AND cardinality(facts) IS NOT DISTINCT FROM cardinality(places)",
        name="told",
    ),
    comment="The tree over the summaries of a scope: at level 0 the facts that they are, above what says most of those "
    "under it.",
)

tellings = Table(
    "tellings",
    metadata,
    must("scope", Uuid()),
    must("about", Text()),
    tenant(),
    may("session", Text()),
    must("reached", BigInteger(), "0", comment="Up to where the session has messages that may be told of."),
    must("covered", BigInteger(), "0", comment="Up to where they are told of, or will not be."),
    must("upto", BigInteger(), "0", comment="Up to where the request that is waited for tells."),
    may("waiting", Text(), "The request whose reply is to be told."),
    may("request", Text(), "The request that was told of last, or refused."),
    may("model", Text()),
    may("lines", JSONB(), "Sentences, each with the words it rests on; null where quotes are told."),
    must("rests", ARRAY(BigInteger()), "'{}'", comment="The positions of all these words."),
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
    comment="What a model has told of a session, by its subject, or of a node of the tree, by its id; quotes stand for "
    "the rest.",
)
