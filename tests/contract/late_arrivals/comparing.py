"""Comparison of two scopes: the beliefs of each, and whether the invariants hold."""

from typing import Any

from slowwave import wiring
from slowwave.domain.scope import Scope
from slowwave.store.beliefs.digest import rebuilt
from slowwave.store.graph import rebuild as graph
from slowwave.store.seals import seal_broken
from slowwave.store.statements import sql
from slowwave.store.summaries import tree
from tests.contract.harness import Harness


def believed(harness: Harness, scope: Scope) -> list[tuple[Any, ...]]:
    """Return the open beliefs without their facts and recorded times."""
    return harness.rows(
        "SELECT subject, predicate, object, valid, confidence, form, text, tense, position, session, rule FROM facts "
        "WHERE scope = %s AND upper_inf(recorded) ORDER BY subject, predicate, object, valid, text",
        scope.id,
    )


def reviews(harness: Harness, scope: Scope) -> list[tuple[Any, ...]]:
    """Return the open reviews."""
    return harness.rows(
        "SELECT position, reason, item ->> 'object' FROM dead_letters WHERE scope = %s AND category = 'conflict' "
        "AND state = 'open' ORDER BY position, reason",
        scope.id,
    )


def digested(parts: wiring.Parts, scope: Scope, *, without: int = 1, past: bool = True) -> list[str]:
    """Return the rows of the digest of a scope in order, *without* their first columns; *past* facts too, or not.

    The first column is the tenant; the first four name the scope. The ledger must fold to the facts.
    """
    with parts.database.tenant(scope.tenant) as connection:
        ledger, table = rebuilt(connection, scope.id)
        assert ledger == table
        rows = connection.exec_driver_sql(sql("beliefs/digest"), {"scopes": [scope.id]})
        return sorted(str(tuple(row)[without:]) for row in rows if past or row.open)


def same(harness: Harness, scope: Scope, other: Scope, *, case: object = None) -> None:
    """Assert that both scopes have the same beliefs and open reviews, and that all invariants hold."""
    alike(harness, scope, other, case=case)
    sound(harness, scope, other)


def alike(harness: Harness, scope: Scope, other: Scope, *, case: object = None) -> None:
    """Assert that both scopes have the same beliefs and open reviews."""
    assert (case, believed(harness, scope)) == (case, believed(harness, other))
    assert (case, reviews(harness, scope)) == (case, reviews(harness, other))


def sound(harness: Harness, *scopes: Scope) -> None:
    """Assert that the ledgers of *scopes* fold to their facts, graphs and trees, and that all invariants hold."""
    for scope in scopes:
        with harness.parts.database.tenant(scope.tenant) as connection:
            ledger, table = rebuilt(connection, scope.id)
            assert ledger == table
            assert [look(connection, scope.id) for look in (seal_broken, graph.differences, tree.differences)] == [
                None
            ] * 3
    found = wiring.checks(harness.parts.database).findings(folds=0)
    assert [one for one in found if one.invariant not in ("job-unscheduled", "buried-together")] == []
