"""Adapters to agent frameworks. They add memories to a prompt, and push the turns after the reply."""

from slowwave.adapters.clients import remembering
from slowwave.adapters.talk import AsyncTalk, Talk

__all__ = ["AsyncTalk", "Talk", "remembering"]
