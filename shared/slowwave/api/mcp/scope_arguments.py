"""The user of a call: the defaults of a connection, and the arguments that override them."""

from collections.abc import Mapping
from dataclasses import dataclass

from slowwave.errors import Incorrect
from slowwave.formatting.summary_lines import brief
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
