"""Adapters to agent frameworks. They add memories to a prompt. After the reply, they push the new turns."""

from slowwave.adapters.clients import remembering
from slowwave.adapters.talk import AsyncTalk, Talk

__all__ = ["AsyncTalk", "Talk", "remembering"]
