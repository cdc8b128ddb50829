"""What an agent has in mind, on the parts of this process."""

from slowwave.domain.job import SUMMARISE
from slowwave.domain.scope import Scope
from slowwave.domain.working import Conversation, Limits
from slowwave.jobs.working import WorkingMemory
from slowwave.rules.cadence import TOKENS
from slowwave.wiring import Parts

PRESSURE = f"{SUMMARISE}/token_pressure"
"""The schedule that fires when turns leave a working memory."""


def working_memory(parts: Parts, scope: Scope, conversation: str) -> WorkingMemory:
    """Return what an agent has in mind in one conversation."""
    settings = parts.settings
    summarising = parts.lifecycle.triggers.get(SUMMARISE)
    tokens = settings.working_tokens or (summarising and summarising.token_pressure) or TOKENS
    limits = Limits(tokens, settings.working_turns, settings.working_seconds)

    def ask(of: Scope, position: int) -> None:
        for due in parts.schedule.fire_scope(PRESSURE, of, str(position), by="working memory", target=position):
            if parts.bell is not None:
                parts.bell.ring(due.scope, due.job)

    return WorkingMemory(Conversation(scope, conversation), parts.cache.cache, limits, parts.push, ask)
