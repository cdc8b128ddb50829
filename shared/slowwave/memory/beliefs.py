"""One fact by its id: why it is believed, and that it is to be known everywhere."""

import uuid

from slowwave.domain.explanation import Explanation
from slowwave.domain.scope import Scope
from slowwave.errors import NotFound
from slowwave.store.beliefs import reading
from slowwave.store.promotion.by_hand import promote_by_hand
from slowwave.wiring import Parts


def why(parts: Parts, fact: uuid.UUID | str, *, tenant: str) -> Explanation:
    """Return why a fact is or was believed, down to the words. Raises `NotFound`."""
    with parts.database.tenant(tenant) as connection:
        explanation = reading.why(connection, _id(fact))
    if explanation is None:
        raise _no_fact(fact)
    return explanation


def promote(parts: Parts, fact: uuid.UUID | str, reason: str, *, tenant: str, scope: Scope | None) -> uuid.UUID:
    """Let the agent know a fact of *scope*, or of any project channel, everywhere; see `MemoryScope.promote`."""
    with parts.database.tenant(tenant) as connection:
        return promote_by_hand(connection, _id(fact), tenant=tenant, reason=reason, scope=scope)


def _id(fact: uuid.UUID | str) -> uuid.UUID:
    """Return the id that *fact* is or spells. Raises `NotFound` where it is none."""
    try:
        return fact if isinstance(fact, uuid.UUID) else uuid.UUID(fact)
    except ValueError:
        raise _no_fact(fact) from None


def _no_fact(fact: uuid.UUID | str) -> NotFound:
    return NotFound(f"there is no fact {fact}", hint="`slowwave facts` lists the ids of what is believed")
