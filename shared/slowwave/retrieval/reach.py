"""The scopes that a question searches."""

from collections.abc import Collection
from dataclasses import replace
from typing import Literal

from slowwave.domain.scope import GLOBAL_CHANNEL, Scope
from slowwave.store.operator.queries import PostgresQueries

Reads = Literal["agent", "channel", "user"]
"""The memories to search: those of one agent, of all agents in a channel, or of all agents in all channels."""


def reads(agent: str | None, channel: str | None) -> Reads:
    """Return which memories to search, as named by the arguments: `agent`, `channel` or `user`. Both may be None."""
    if agent is not None:
        return "agent"
    return "user" if channel is None else "channel"


def reach_of(
    records: PostgresQueries, scope: Scope, breadth: Reads, *, channels: Collection[str] | None = None,
    agents: Collection[str] | None = None,
) -> list[Scope]:  # fmt: skip
    """Return the scopes that a question searches. The scope for writes comes first.

    If an agent was named, these are the agent's scopes in the channel and in `_global`. If only a channel was named,
    these are the scopes of all the user's agents in the channel and in `_global`. Otherwise, these are all scopes of
    the user. If *channels* or *agents* are given, they replace the channels or agents of this rule, and only scopes
    with memories are returned.
    """
    if channels is not None or agents is not None:
        return _chosen(records, scope, breadth, channels, agents)
    own = reach(scope)
    if breadth == "agent":
        return own
    there = records.scopes(scope.tenant, user=scope.user)
    channels = {scope.channel, GLOBAL_CHANNEL}
    return own + [one for one in there if one not in own and (breadth == "user" or one.channel in channels)]


def _chosen(
    records: PostgresQueries,
    scope: Scope,
    breadth: Reads,
    channels: Collection[str] | None,
    agents: Collection[str] | None,
) -> list[Scope]:
    """Return the user's scopes in *channels* and of *agents*.

    The scope for writes comes first, if it is among these scopes.
    """
    if channels is None and breadth != "user":
        channels = {scope.channel, GLOBAL_CHANNEL}
    if agents is None and breadth == "agent":
        agents = {scope.agent}
    there = records.scopes(scope.tenant, user=scope.user)
    chosen = [
        one
        for one in there
        if (channels is None or one.channel in channels) and (agents is None or one.agent in agents)
    ]
    return sorted(chosen, key=lambda one: (one != scope, one))


def reach(scope: Scope) -> list[Scope]:
    """Return the scopes that a question in *scope* searches: *scope*, and the scope of the same user and agent in
    `_global`.
    """
    everywhere = replace(scope, channel=GLOBAL_CHANNEL)
    return [scope] if scope == everywhere else [scope, everywhere]
