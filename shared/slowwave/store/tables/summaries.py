"""The table of trees over the summaries of sessions."""

from pgvector.sqlalchemy import Vector
from sqlalchemy import CheckConstraint, PrimaryKeyConstraint, SmallInteger, Table, Text, Uuid
from sqlalchemy.dialects.postgresql import ARRAY

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
