"""Resources of a scope that a client can add to a prompt without a tool call: the profile and the facts."""

from collections.abc import Callable
from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp.types import Resource

from slowwave.api.mcp.caller import CallerContext, CallerOf
from slowwave.domain.queries.profile import Profile
from slowwave.memory import MemoryScope

MOST_FACTS = 100
PLAIN = "text/plain"
SAYS = {
    "profile": "The user's profile, by purpose",
    "facts": f"The facts believed about the user, at most {MOST_FACTS}",
}
_PARTS = ("preferences", "expertise_areas", "communication_style", "metadata")


OWN = [Resource(uri=f"slowwave://{name}", name=name, description=says, mime_type=PLAIN) for name, says in SAYS.items()]
"""The resources that a client lists, of the connection's user."""


def add_resources(server: MCPServer[Any], asking: CallerOf) -> None:
    """Add the profile and the facts: of the connection's user, of any user, and of a user's channel."""
    _add(server, asking, "profile", _profile)
    _add(server, asking, "facts", _facts)


def _add(server: MCPServer[Any], asking: CallerOf, name: str, read: Callable[[MemoryScope], str]) -> None:
    says = SAYS[name]

    def scope(call: CallerContext, user: str | None = None, channel: str | None = None) -> MemoryScope:
        return asking.allow(call, "recall").scope(asking.memory(), user, channel)

    @server.resource(f"slowwave://{name}{{?channel}}", name=name, description=says, mime_type=PLAIN)
    def own(call: CallerContext, channel: str | None = None) -> str:
        return read(scope(call, None, channel))

    @server.resource(
        f"slowwave://users/{{user}}/{name}{{?channel}}", name=f"{name}-of", description=says, mime_type=PLAIN
    )
    def of_user(call: CallerContext, user: str, channel: str | None = None) -> str:
        return read(scope(call, user, channel))


def _profile(scope: MemoryScope) -> str:
    profile: Profile = scope.profile()
    lines = []
    for name in _PARTS:
        part = getattr(profile, name)
        lines += [f"{name.replace('_', ' ')}:", *(f"- {entry.fact.text}" for entry in part)] if part else []
    return "\n".join(lines) or "there is no profile of this user yet"


def _facts(scope: MemoryScope) -> str:
    facts = scope.facts(limit=MOST_FACTS)
    return "\n".join(f"- {one.text}" for one in facts) or "there are no facts about this user yet"
