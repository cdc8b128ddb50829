"""Values that a transaction reads: the database's time, the tenant's policy, and the numbers of embedding spaces."""

from collections.abc import Callable
from datetime import datetime

from sqlalchemy import Connection

from slowwave.core.policy import BARE, Policy
from slowwave.core.predicates import PLAIN, Predicates

_KEY = "slowwave.policy"
_REGISTRY = "slowwave.predicates"
_NUMBER = "SELECT space FROM embedding_spaces WHERE (name, dimensions) = (%(name)s, %(dimensions)s)"


def now(connection: Connection) -> datetime:
    """Return the database's time, in UTC."""
    time = connection.exec_driver_sql("SELECT slowwave_now()").scalar_one()
    assert isinstance(time, datetime)
    return time


def plain() -> Predicates:
    """Return an empty registry of predicates."""
    return PLAIN


def govern(connection: Connection, policy: Policy, registry: Callable[[], Predicates] = plain) -> None:
    """Set the memory *policy* and the predicate *registry* for the writes of *connection*."""
    connection.info[_KEY] = policy
    connection.info[_REGISTRY] = registry


def policy_of(connection: Connection) -> Policy:
    """Return the policy of the tenant of *connection*.

    If no policy was set, the returned policy fades and moves nothing.
    """
    policy = connection.info.get(_KEY, BARE)
    assert isinstance(policy, Policy)
    return policy


def registry_of(connection: Connection) -> Predicates:
    """Return the registry of predicates of *connection*. The registry is read on first use."""
    registry = connection.info.get(_REGISTRY, plain)()
    assert isinstance(registry, Predicates)
    return registry


def space_number(connection: Connection, name: str, dimensions: int) -> int:
    """Return the number of an embedding space; create a new space if needed. After a rollback, the number stays
    unused.
    """
    parameters = {"name": name, "dimensions": dimensions}
    number = connection.exec_driver_sql(_NUMBER, parameters).scalar_one_or_none()
    if number is None:
        connection.exec_driver_sql("SELECT slowwave_make_space(%(name)s, %(dimensions)s)", parameters)
        number = connection.exec_driver_sql(_NUMBER, parameters).scalar_one()
    assert isinstance(number, int)
    return number
