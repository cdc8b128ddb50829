"""Reach of a question about a user: the scopes in which it looks, by whether an agent and a channel were named."""

from collections.abc import Collection
from typing import Literal

from slowwave.domain.scope import GLOBAL_CHANNEL, Scope
from slowwave.retrieval.recall import reach
from slowwave.wiring import Parts

Reads = Literal["agent", "channel", "user"]
"""Whose memories of a user answer: one agent's, every agent's in a channel, or every agent's in every channel."""


def reads(agent: str | None, channel: str | None) -> Reads:
    """Return whose memories answer where this *agent* and this *channel* were named."""
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
    """Return the scopes in which a question looks, the one written to first.

    An agent looks in the *scope*'s channel and in `_global`; so do all agents of the user where a channel alone was
    named. Where nothing was, every scope of the user is looked into. *channels* and *agents* take the place of those
    named before: of what is remembered of the user, exactly these are looked into.
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
    """Return the scopes of the user that are in *channels* and of *agents*, the one written to first if it is one."""
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
