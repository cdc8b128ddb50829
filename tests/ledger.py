"""The fold of a scope's ledger, and the rows of its fact table."""

from slowwave.core.ledger import Belief
from slowwave.domain.scope import Scope
from slowwave.store.beliefs.digest import rebuilt as stored_rebuilt
from slowwave.wiring import Parts


def rebuilt(parts: Parts, scope: Scope) -> tuple[set[Belief], set[Belief]]:
    """Return the facts to which a scope's ledger folds, and the rows of its fact table."""
    with parts.database.tenant(scope.tenant) as connection:
        return stored_rebuilt(connection, scope.id)
