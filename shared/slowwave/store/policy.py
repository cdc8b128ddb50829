"""The policy a transaction writes memories by: the one in force for its tenant."""

from sqlalchemy import Connection

from slowwave.core.policy import BARE, Policy

_KEY = "slowwave.policy"


def govern(connection: Connection, policy: Policy) -> None:
    """Make what *connection* writes of memories follow *policy*."""
    connection.info[_KEY] = policy


def policy_of(connection: Connection) -> Policy:
    """Return the policy of the tenant *connection* works for; where nobody chose one, nothing fades or moves."""
    policy = connection.info.get(_KEY, BARE)
    assert isinstance(policy, Policy)
    return policy
