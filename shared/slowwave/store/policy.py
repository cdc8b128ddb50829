"""The policy a transaction writes memories by, the one in force for its tenant, and the registry of predicates."""

from collections.abc import Callable

from sqlalchemy import Connection

from slowwave.core.policy import BARE, Policy
from slowwave.core.predicates import PLAIN, Predicates

_KEY = "slowwave.policy"
_REGISTRY = "slowwave.predicates"


def plain() -> Predicates:
    """Return the registry in which nothing is registered."""
    return PLAIN


def govern(connection: Connection, policy: Policy, registry: Callable[[], Predicates] = plain) -> None:
    """Make what *connection* writes of memories follow *policy*, and of entities the *registry* of predicates."""
    connection.info[_KEY] = policy
    connection.info[_REGISTRY] = registry


def policy_of(connection: Connection) -> Policy:
    """Return the policy of the tenant *connection* works for; where nobody chose one, nothing fades or moves."""
    policy = connection.info.get(_KEY, BARE)
    assert isinstance(policy, Policy)
    return policy


def registry_of(connection: Connection) -> Predicates:
    """Return the registry of predicates that says what the objects of facts are; it is read when first asked for."""
    registry = connection.info.get(_REGISTRY, plain)()
    assert isinstance(registry, Predicates)
    return registry
