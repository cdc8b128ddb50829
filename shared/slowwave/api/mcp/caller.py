"""The caller over MCP, and the user of a call: defaults of the connection, and arguments over them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from mcp.server.mcpserver import Context

from slowwave.errors import Incorrect
from slowwave.formatting import brief
from slowwave.memory import Memory, MemoryScope


@dataclass(frozen=True, slots=True)
class ScopeArguments:
    """The default user, agent and channel of calls that name none, and the *tenant*, which no call can name."""

    user: str | None = None
    agent: str | None = None
    channel: str | None = None
    tenant: str | None = None

    @classmethod
    def of_query(cls, query: Mapping[str, str], tenant: str) -> "ScopeArguments":
        """Return the defaults in a client's URL: `/mcp?user=nora&agent=coder&channel=shop`."""
        return cls(query.get("user"), query.get("agent"), query.get("channel"), tenant)

    def scope(self, memory: Memory, user: str | None = None, channel: str | None = None) -> MemoryScope:
        """Return the memory of *user* in *channel*, or of the defaults. Raises `Incorrect` if there is no user."""
        return memory.scope(
            self.named(user), agent=self.agent, channel=channel or self.channel, tenant=self.tenant
        )  # fmt: skip

    def named(self, user: str | None) -> str:
        """Return *user*, or the default user. Raises `Incorrect` if there is none."""
        if user is None and self.user is None:
            raise Incorrect.listing(
                "the call",
                ["user: is missing"],
                hint="name the user: with the argument `user`, or with ?user=… in the URL",
            )
        return user or self.user or ""

    def __repr__(self) -> str:
        return brief(self, self.user, self.agent and f"agent {self.agent}", self.channel and f"channel {self.channel}")


CallerContext = Context[Any, Any]


@dataclass(frozen=True, slots=True)
class CallerOf:
    """The context of a call: the *memory*, opened at first use, and the caller's defaults and permissions.

    *allow* takes the call and its required verb; it returns the caller's defaults, or raises `Unauthorised` or
    `Forbidden`.
    """

    memory: Callable[[], Memory]
    allow: Callable[[CallerContext, Literal["push", "recall", "review", "operate"]], ScopeArguments]

    def __repr__(self) -> str:
        return brief(self)
