"""Values that a transaction reads: the database's time, the tenant's policy, and the numbers of embedding spaces."""

from collections.abc import Callable
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING

from sqlalchemy import Connection

if TYPE_CHECKING:
    from slowwave.core.policy import Policy
    from slowwave.core.predicates import Predicates

_KEY = "slowwave.policy"
_REGISTRY = "slowwave.predicates"
_NUMBER = "SELECT space FROM embedding_spaces WHERE (name, dimensions) = (%(name)s, %(dimensions)s)"


def now(connection: Connection) -> datetime:
    """Return the database's time, in UTC."""
    time = connection.exec_driver_sql("SELECT slowwave_now()").scalar_one()
    assert isinstance(time, datetime)
    return time


def bare() -> "Policy":
    """Return the policy that fades and moves nothing."""
    from slowwave.core.policy import BARE

    return BARE


def plain() -> "Predicates":
    """Return an empty registry of predicates."""
    from slowwave.core.predicates import PLAIN

    return PLAIN


def govern(
    connection: Connection, policy: "Callable[[], Policy]", registry: "Callable[[], Predicates]" = plain
) -> None:
    """Set the memory *policy* and the predicate *registry* of *connection*. Both are read at their first use."""
    connection.info[_KEY] = cache(policy)
    connection.info[_REGISTRY] = registry


def policy_of(connection: Connection) -> "Policy":
    """Return the policy of the tenant of *connection*.

    If no policy was set, the returned policy fades and moves nothing.
    """
    policy: Policy = connection.info.get(_KEY, bare)()
    return policy


def registry_of(connection: Connection) -> "Predicates":
    """Return the registry of predicates of *connection*. The registry is read on first use."""
    registry: Predicates = connection.info.get(_REGISTRY, plain)()
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
