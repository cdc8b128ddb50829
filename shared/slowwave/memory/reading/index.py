"""Entries of an index, made of memories: previews, with what each would cost to read."""

from collections.abc import Sequence
from typing import Literal

from slowwave.core.tokens import tokens
from slowwave.domain.reading.episode import RememberedEpisode
from slowwave.domain.reading.index import PREVIEW_CHARACTERS, IndexEntry
from slowwave.domain.recollection import Recollection
from slowwave.domain.scope import Scope
from slowwave.store.reading.tiers import tiers
from slowwave.wiring import Parts

Kind = Literal["fact", "episode"]


def indexed(parts: Parts, tenant: str, found: Sequence[Recollection | RememberedEpisode]) -> list[IndexEntry]:
    """Return an entry each for *found*, in the same order."""
    placed = [(one.scope, one) for one in found if one.scope is not None]
    with parts.database.tenant(tenant) as connection:
        standing = tiers(connection, [(scope.id, one.id) for scope, one in placed])
    return [_entry(one, scope, standing[one.id]) for scope, one in placed]


def _entry(one: Recollection | RememberedEpisode, scope: Scope, tier: str) -> IndexEntry:
    if isinstance(one, Recollection):
        return _told(one, one.kind, one.text, scope, tier, one.score)
    return _told(one, "episode", one.content, scope, tier, None)


def _told(
    one: Recollection | RememberedEpisode, kind: Kind, text: str, scope: Scope, tier: str, score: float | None
) -> IndexEntry:
    preview, cost = text[:PREVIEW_CHARACTERS], tokens(text)
    return IndexEntry(one.id, kind, preview, cost, tier, one.occurred, scope, one.session, one.role, score)
