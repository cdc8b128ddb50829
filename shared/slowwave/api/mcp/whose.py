"""The user asked about: the defaults of a connection, and what a single call says beside them."""

from collections.abc import Mapping
from dataclasses import dataclass

from slowwave.brief import brief
from slowwave.errors import Incorrect
from slowwave.memory import Memory, MemoryScope


@dataclass(frozen=True, slots=True)
class Whose:
    """The user, agent and channel that are meant where a call names none, and the *tenant* that nobody else names."""

    user: str | None = None
    agent: str | None = None
    channel: str | None = None
    tenant: str | None = None

    @classmethod
    def of_query(cls, query: Mapping[str, str], tenant: str) -> "Whose":
        """Return what the address of a client says: `/mcp?user=nora&agent=coder&channel=shop`."""
        return cls(query.get("user"), query.get("agent"), query.get("channel"), tenant)

    def scope(self, memory: Memory, user: str | None = None, channel: str | None = None) -> MemoryScope:
        """Return the memory of *user* in *channel*, else of those meant here. Raises `Incorrect` where nobody is."""
        return memory.scope(
            self.named(user), agent=self.agent, channel=channel or self.channel, tenant=self.tenant
        )  # fmt: skip

    def named(self, user: str | None) -> str:
        """Return *user*, else the one meant here. Raises `Incorrect` where that is nobody."""
        if user is None and self.user is None:
            raise Incorrect.listing(
                "the call",
                ["user: is missing"],
                hint="say whose memory is meant: the argument `user`, or ?user=… of the address",
            )
        return user or self.user or ""

    def __repr__(self) -> str:
        return brief(self, self.user, self.agent and f"agent {self.agent}", self.channel and f"channel {self.channel}")
