"""Entries of an index, made from memories: previews with token counts."""

from collections.abc import Mapping, Sequence
from typing import Literal

from slowwave.core.tokens import tokens
from slowwave.domain.queries.episode import RememberedEpisode
from slowwave.domain.queries.index import PREVIEW_CHARACTERS, IndexEntry
from slowwave.domain.recollection import Recollection
from slowwave.domain.scope import Scope
from slowwave.domain.standing import Standing
from slowwave.ports.external_sources import ExternalEntry
from slowwave.store.memory_state.strengths import standings
from slowwave.wiring import Parts
from slowwave.wiring.external_sources import ask_sources


def indexed(parts: Parts, tenant: str, found: Sequence[Recollection | RememberedEpisode]) -> list[IndexEntry]:
    """Return one entry for each of *found*, in the same order."""
    placed = [(one.scope, one) for one in found if one.scope is not None]
    entry = parts.lifecycle.policies.of(tenant).tiers.entry
    with parts.database.tenant(tenant) as connection:
        known = standings(connection, {(scope.id, one.id) for scope, one in placed})
    return [_entry(one, scope, known.get(one.id), entry) for scope, one in placed]


def external(parts: Parts, scope: Scope, question: str, limit: int) -> tuple[list[IndexEntry], Mapping[str, str]]:
    """Return the entries from external memories for *question*, and the error of each memory that failed, by name."""
    told = ask_sources(parts.settings, question, user=scope.user, limit=limit)
    return [_foreign(one, name, scope) for name, found in told.found.items() for one in found], told.failed


def _foreign(one: ExternalEntry, source: str, scope: Scope) -> IndexEntry:
    preview, cost = one.text[:PREVIEW_CHARACTERS], tokens(one.text)
    return IndexEntry(
        one.id, "external", preview, cost, "external", one.occurred, scope, score=one.score, source=source
    )  # fmt: skip


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
