"""Reach of a question about a user: the scopes that a read searches, given the named agent and channel."""

from collections.abc import Collection
from typing import Literal

from slowwave.domain.scope import GLOBAL_CHANNEL, Scope
from slowwave.retrieval.recall import reach
from slowwave.wiring import Parts

Reads = Literal["agent", "channel", "user"]
"""The memories to search: of one agent, of all agents in a channel, or of all agents in all channels."""


def reads(agent: str | None, channel: str | None) -> Reads:
    """Return the kind of reach for this *agent* and *channel*, either of which may be None."""
    if agent is not None:
        return "agent"
    return "user" if channel is None else "channel"


def reach_of(
    parts: Parts,
    scope: Scope,
    whose: Reads,
    *,
    channels: Collection[str] | None = None,
    agents: Collection[str] | None = None,
) -> list[Scope]:
    """Return the scopes that a question searches, the scope for writes first.

    For a named agent, these are its scopes in the channel and in `_global`; for a channel alone, the same two channels
    of all agents of the user; for neither, all scopes of the user. *channels* and *agents* replace the channels and
    agents of this choice, among the user's scopes with memories.
    """
    if channels is not None or agents is not None:
        return _chosen(parts, scope, whose, channels, agents)
    own = reach(scope)
    if whose == "agent":
        return own
    there = parts.records.scopes(scope.tenant, user=scope.user)
    channels = {scope.channel, GLOBAL_CHANNEL}
    return own + [one for one in there if one not in own and (whose == "user" or one.channel in channels)]


def _chosen(
    parts: Parts, scope: Scope, whose: Reads, channels: Collection[str] | None, agents: Collection[str] | None
) -> list[Scope]:
    """Return the user's scopes in *channels* and of *agents*, the scope for writes first if it is among them."""
    if channels is None and whose != "user":
        channels = {scope.channel, GLOBAL_CHANNEL}
    if agents is None and whose == "agent":
        agents = {scope.agent}
    there = parts.records.scopes(scope.tenant, user=scope.user)
    chosen = [
        one
        for one in there
        if (channels is None or one.channel in channels) and (agents is None or one.agent in agents)
    ]
    return sorted(chosen, key=lambda one: (one != scope, one))
