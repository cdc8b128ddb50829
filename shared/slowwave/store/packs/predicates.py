"""The predicates in force: whether each is single-valued, and how many facts have it."""

from collections.abc import Collection, Mapping

from sqlalchemy import Connection

from slowwave.core.predicates.cardinality import Holding
from slowwave.domain.scope import SYSTEM_TENANT
from slowwave.store.statements import sql


def in_force(connection: Connection) -> dict[str, Holding]:
    """Return by name whether each predicate is single-valued, and who declared it. *connection* acts as dispatch."""
    found = connection.exec_driver_sql("SELECT predicate, single_valued, said_by FROM predicates ORDER BY predicate")
    return {row.predicate: Holding(row.single_valued, row.said_by) for row in found}


def keep(connection: Connection, said: Mapping[str, Holding], places: Collection[str]) -> None:
    """Store the declarations *said*; delete other declarations of *places*. *connection* acts as dispatch.

    Declarations of a removed place stay, because facts were written under them.
    """
    connection.exec_driver_sql(
        sql("packs/upsert_predicates"),
        {
            "tenant": SYSTEM_TENANT,
            "names": list(said),
            "single": [one.single_valued for one in said.values()],
            "said_by": [one.said_by for one in said.values()],
        },
    )
    connection.exec_driver_sql(
        "DELETE FROM predicates WHERE said_by = ANY(%(places)s::text[]) AND predicate <> ALL(%(names)s::text[])",
        {"places": list(places), "names": list(said)},
    )


def held(connection: Connection, tenant: str) -> list[str]:
    """Return the predicates of the typed facts of *tenant*."""
    return list(connection.exec_driver_sql(sql("packs/predicates_in_use"), {"tenant": tenant}).scalars())


def held_otherwise(connection: Connection, tenant: str, wanted: Mapping[str, bool]) -> dict[str, int]:
    """Return how many facts of each predicate were stored with another cardinality than *wanted* (True: single)."""
    split = {
        "to_single": [p for p, one in wanted.items() if one],
        "to_many": [p for p, one in wanted.items() if not one],
    }
    found = connection.exec_driver_sql(sql("packs/cardinality_conflicts"), {"tenant": tenant, **split})
    return {row.predicate: row.facts for row in found}
