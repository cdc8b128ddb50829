"""The policy of a transaction: the memory policy in force for its tenant, and the registry of predicates."""

from collections.abc import Callable

from sqlalchemy import Connection

from slowwave.core.policy import BARE, Policy
from slowwave.core.predicates import PLAIN, Predicates

_KEY = "slowwave.policy"
_REGISTRY = "slowwave.predicates"


def plain() -> Predicates:
    """Return an empty registry of predicates."""
    return PLAIN


def govern(connection: Connection, policy: Policy, registry: Callable[[], Predicates] = plain) -> None:
    """Set the memory *policy* and the predicate *registry* for what *connection* writes."""
    connection.info[_KEY] = policy
    connection.info[_REGISTRY] = registry


def policy_of(connection: Connection) -> Policy:
    """Return the policy of the tenant of *connection*; without one, nothing fades or moves."""
    policy = connection.info.get(_KEY, BARE)
    assert isinstance(policy, Policy)
    return policy


def registry_of(connection: Connection) -> Predicates:
    """Return the registry of predicates, which gives the kinds of facts' objects; it is read on first use."""
    registry = connection.info.get(_REGISTRY, plain)()
    assert isinstance(registry, Predicates)
    return registry
