"""Reach of a question about a user: the scopes it searches, depending on the agent and channel named."""

from collections.abc import Collection
from typing import Literal

from slowwave.domain.scope import GLOBAL_CHANNEL, Scope
from slowwave.retrieval.recall import reach
from slowwave.wiring import Parts

Reads = Literal["agent", "channel", "user"]
"""The memories that answer: one agent's, all agents' in a channel, or all agents' in all channels."""


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
    """Return the scopes that a question searches, the one for writes first.

    A named agent searches the *scope*'s channel and `_global`; with only a channel named, all agents of the user do.
    With neither, all scopes of the user are searched. *channels* and *agents* override these: exactly they are
    searched, as far as they have memories of the user.
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
    """Return the scopes of the user in *channels* and of *agents*, the one for writes first if included."""
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
