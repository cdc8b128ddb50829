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
    may("target", Uuid(), "Null where the object is no entity: then it is a property of the source."),
    may("kind", Text(), "The sort of thing that the object is, where the registry of predicates said so."),
    must("valid", TSTZMULTIRANGE(), comment="When it is so in the world, as far as it is believed; empty once it is "
         "no longer."),
    must("weight", BigInteger(), comment="One, and one for each episode that said it again."),
    PrimaryKeyConstraint("scope", "fact"),
    Index("edges_from", "scope", "source", text("weight DESC"), "fact", postgresql_where=text(_NAMED)),
    Index("edges_to", "scope", "target", text("weight DESC"), "fact", postgresql_where=text(_NAMED)),
    Index(
        "edges_about", "scope", "source", text("weight DESC"), "fact",
        postgresql_where=text("NOT isempty(valid) AND target IS NULL"),
    ),
    Index("edges_alias_of", "scope", "source", postgresql_where=text("kind = 'alias'::text")),
    Index("edges_alias", "scope", "target", postgresql_where=text("kind = 'alias'::text")),
    comment="Facts as edges: from who a fact is about to the entity it names. A projection of the ledger.",
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
    comment="What the name of an entity means to an embedder.",
)

graph_versions = Table(
    "graph_versions",
    metadata,
    must("scope", Uuid()),
    must("version", BigInteger()),
    tenant(),
    may("run", BigInteger()),
    must("at", TIME, comment="The last time recorded in it: what is believed then is the graph of that version."),
    must("added", BigInteger()),
    must("confirmed", BigInteger()),
    must("ended", BigInteger()),
    PrimaryKeyConstraint("scope", "version"),
    comment="The versions of the graph of a scope: one a run that decided anything.",
)
