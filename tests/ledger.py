"""A scope's ledger folded again, beside what its fact table holds."""

from slowwave.core.ledger import Belief
from slowwave.domain.scope import Scope
from slowwave.store.beliefs.digest import rebuilt as stored_rebuilt
from slowwave.wiring import Parts


def rebuilt(parts: Parts, scope: Scope) -> tuple[set[Belief], set[Belief]]:
    """Return what a scope's ledger folds to and what its fact table holds."""
    with parts.database.tenant(scope.tenant) as connection:
        return stored_rebuilt(connection, scope.id)
