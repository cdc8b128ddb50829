"""Tables of the graph: facts as edges between entities, vectors of names, and graph versions."""

from pgvector.sqlalchemy import Vector
from sqlalchemy import BigInteger, Index, PrimaryKeyConstraint, SmallInteger, Table, Text, Uuid, text
from sqlalchemy.dialects.postgresql import TSTZMULTIRANGE

from slowwave.store.tables.columns import TIME, may, metadata, must, tenant

_NAMED = "NOT isempty(valid) AND target IS NOT NULL"

edges = Table(
    "edges",
    metadata,
    must("scope", Uuid()),
    must("fact", Uuid()),
    tenant(),
    must("source", Uuid()),
    must("relation", Text()),
    may("target", Uuid(), "The entity of the object; null if the object is a property of the source."),
    may("kind", Text(), "The type of the object, if the registry of predicates defines it."),
    must("valid", TSTZMULTIRANGE(), comment="When it is believed to be true; empty once it is no longer believed."),
    must("weight", BigInteger(), comment="One, plus one for each episode that repeated it."),
    PrimaryKeyConstraint("scope", "fact"),
    Index("edges_from", "scope", "source", text("weight DESC"), "fact", postgresql_where=text(_NAMED)),
    Index("edges_to", "scope", "target", text("weight DESC"), "fact", postgresql_where=text(_NAMED)),
    Index(
        "edges_about", "scope", "source", text("weight DESC"), "fact",
        postgresql_where=text("NOT isempty(valid) AND target IS NULL"),
    ),
    Index("edges_alias_of", "scope", "source", postgresql_where=text("kind = 'alias'::text")),
    Index("edges_alias", "scope", "target", postgresql_where=text("kind = 'alias'::text")),
    comment="Facts as edges, from the subject of a fact to the entity that it names. A projection of the ledger.",
)  # fmt: skip

entity_vectors = Table(
    "entity_vectors",
    metadata,
    must("scope", Uuid()),
    must("entity", Uuid()),
    must("space", SmallInteger()),
    tenant(),
    must("embedding", Vector()),
    PrimaryKeyConstraint("scope", "entity", "space"),
    comment="The vector of the name of an entity.",
)

graph_versions = Table(
    "graph_versions",
    metadata,
    must("scope", Uuid()),
    must("version", BigInteger()),
    tenant(),
    may("run", BigInteger()),
    must("at", TIME, comment="The last recorded time of the version; the facts of that time are its graph."),
    must("added", BigInteger()),
    must("confirmed", BigInteger()),
    must("ended", BigInteger()),
    PrimaryKeyConstraint("scope", "version"),
    comment="The versions of the graph of a scope: one for each run that wrote a decision.",
)
