"""Memory where agents live: what is known comes into the prompt, and what was said is pushed after it."""

from slowwave.adapters.clients import remembering
from slowwave.adapters.talk import AsyncTalk, Talk

__all__ = ["AsyncTalk", "Talk", "remembering"]
