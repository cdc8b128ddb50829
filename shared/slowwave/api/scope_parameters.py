"""The memory that a request names by user, agent and channel, in the tenant of its key."""

from typing import Annotated

from fastapi import Depends, Request
from pydantic import BaseModel, ConfigDict

from slowwave.domain.access import Caller
from slowwave.domain.arguments import Name
from slowwave.memory import Memory, MemoryScope


class Whose(BaseModel):
    """A memory of a user, by agent and channel. Without an agent, the memories of all agents answer."""

    model_config = ConfigDict(extra="forbid")

    user: Name
    agent: Name | None = None
    channel: Name | None = None

    def of(self, memory: Memory, caller: Caller) -> MemoryScope:
        """Return the memory in the caller's tenant."""
        return memory.scope(self.user, agent=self.agent, channel=self.channel, tenant=caller.tenant)


def memory_of(request: Request) -> Memory:
    """Return the memory that an app serves."""
    memory: Memory = request.app.state.memory
    return memory


def scope_of_query(user: Name, agent: Name | None = None, channel: Name | None = None) -> Whose:
    """Return the memory that the query parameters of a request name."""
    return Whose(user=user, agent=agent, channel=channel)


Remembering = Annotated[Memory, Depends(memory_of)]
InQuery = Annotated[Whose, Depends(scope_of_query)]
