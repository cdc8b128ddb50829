"""Entries of an index, made of memories: previews, with what each would cost to read."""

from collections.abc import Sequence
from typing import Literal

from slowwave.core.tokens import tokens
from slowwave.domain.reading.episode import RememberedEpisode
from slowwave.domain.reading.index import PREVIEW_CHARACTERS, IndexEntry
from slowwave.domain.recollection import Recollection
from slowwave.domain.scope import Scope
from slowwave.domain.standing import Standing
from slowwave.store.standing.strengths import standings
from slowwave.wiring import Parts


def indexed(parts: Parts, tenant: str, found: Sequence[Recollection | RememberedEpisode]) -> list[IndexEntry]:
    """Return an entry each for *found*, in the same order."""
    placed = [(one.scope, one) for one in found if one.scope is not None]
    entry = parts.lifecycle.policies.of(tenant).ladder.entry
    with parts.database.tenant(tenant) as connection:
        known = standings(connection, {(scope.id, one.id) for scope, one in placed})
    return [_entry(one, scope, known.get(one.id), entry) for scope, one in placed]


def _entry(one: Recollection | RememberedEpisode, scope: Scope, stands: Standing | None, entry: str) -> IndexEntry:
    kind: Literal["fact", "episode"]
    if isinstance(one, Recollection):
        kind, text, score = one.kind, one.text, one.score
    else:
        kind, text, score = "episode", one.content, None
    tier, strength = (stands.tier, stands.strength) if stands else (entry, None)
    return IndexEntry(
        one.id, kind, text[:PREVIEW_CHARACTERS], tokens(text), tier, one.occurred, scope, one.session, one.role, score,
        strength,
    )  # fmt: skip
