"""Listings of a scope: pages of stored episodes, and the entries of an index."""

import uuid
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Literal

from slowwave.core.tokens import tokens
from slowwave.domain.episode import EpisodeKind
from slowwave.domain.fact import Fact
from slowwave.domain.queries.episode import EpisodeFilters, RememberedEpisode
from slowwave.domain.queries.index import PREVIEW_CHARACTERS, IndexEntry
from slowwave.domain.recollection import Recollection
from slowwave.domain.retention import Conversation
from slowwave.domain.scope import Scope
from slowwave.domain.standing import Standing
from slowwave.errors import Incorrect, NotFound
from slowwave.memory.queries.access_tracking import counted_read
from slowwave.memory.queries.lookup import episode_named, memories_named
from slowwave.ports.recall import ExternalEntry
from slowwave.runtime import clock
from slowwave.store.audit.log import log_read
from slowwave.store.memory_state.standing import standings
from slowwave.store.queries import conversation_turns as stored
from slowwave.store.queries.episodes import newest, oldest
from slowwave.wiring import Parts
from slowwave.wiring.external_sources import ask_sources

Name = uuid.UUID | str
EpisodePage = Callable[[Any], list[RememberedEpisode]]
"""A function that reads a page, within a transaction."""


def page(
    parts: Parts, scopes: Sequence[Scope], filters: EpisodeFilters, limit: int, *, before: Name | None,
    after: Name | None, newest_first: bool,
) -> EpisodePage:  # fmt: skip
    """Return a function that reads a page of *limit* episodes.

    The page ends before the episode *before*, or starts after the episode *after*.

    If both are None, the page has the newest episodes if *newest_first* is True, and otherwise the oldest episodes.
    Raises `NotFound`.
    """
    if before is not None and after is not None:
        raise Incorrect.listing("the page", ["before, after: are both given"], hint="give only one of them")
    cursor = before if after is None else after
    found = None if cursor is None else episode_named(parts, scopes, cursor)
    backwards = before is not None or (after is None and newest_first)

    def read(connection: Any) -> list[RememberedEpisode]:
        if backwards:
            episodes = newest(connection, scopes, filters, most=limit, before=found)
        else:
            episodes = oldest(connection, scopes, filters, most=limit, after=found)
        return episodes if backwards == newest_first else episodes[::-1]

    return read


def around(
    connection: Any, middle: RememberedEpisode, filters: EpisodeFilters, before: int, after: int
) -> list[RememberedEpisode]:
    """Return *middle* with *before* earlier and *after* later episodes of the same scope, in order."""
    scopes = [middle.scope]
    earlier = newest(connection, scopes, filters, most=before, before=middle)
    later = oldest(connection, scopes, filters, most=after, after=middle)
    return [*earlier[::-1], middle, *later]


def anchor(parts: Parts, scopes: Sequence[Scope], name: Name) -> RememberedEpisode:
    """Return the episode with *name*, or the latest source episode if *name* is a fact. Raises `NotFound`."""
    (found,) = memories_named(parts, scopes, [name])
    if not isinstance(found, Fact):
        return found
    last = max(found.sources, key=lambda source: source.position, default=None)
    if last is None:
        raise NotFound(f"no episode is the source of {found.text!r}", hint="`slowwave why` shows where it comes from")
    return episode_named(parts, _scopes_to_search(parts, scopes, last.scope), last.episode)


def _scopes_to_search(parts: Parts, scopes: Sequence[Scope], elsewhere: uuid.UUID | None) -> Sequence[Scope]:
    """Return the scope with the id *elsewhere* if it is a scope of this tenant, and otherwise *scopes*."""
    other = None if elsewhere is None else parts.records.scope(elsewhere)
    return scopes if other is None or other.tenant != scopes[0].tenant else [other]


def conversation(
    parts: Parts, scopes: Sequence[Scope], name: str, limit: int, *, before: Name | None, after: Name | None,
    middle: Name | None, kinds: Collection[EpisodeKind] | None, session: str | None, accessed: bool,
) -> list[RememberedEpisode]:  # fmt: skip
    """Return the episodes of a conversation; see `QueryVerbs.conversation`."""
    filters = EpisodeFilters(kinds, None, [name], archived=True)
    if middle is not None and (before is not None or after is not None):
        raise Incorrect.listing(
            "the page", ["around: cannot be combined with before or after"], hint="give only one of them"
        )
    if middle is None:
        read = page(parts, scopes, filters, limit, before=before, after=after, newest_first=False)
    else:
        read = _widened(episode_named(parts, scopes, middle), filters, limit)
    found = counted_read(parts, scopes, read, verb="conversation", session=session, accessed=accessed)
    if not found and before is None and after is None:
        raise NotFound(
            f"there is no conversation {name!r} here, or it has expired", hint="`slowwave conversations` lists them"
        )
    return found


def _widened(middle: RememberedEpisode, filters: EpisodeFilters, limit: int) -> EpisodePage:
    """Return a function that reads up to *limit* episodes around *middle*, about the same number on both sides."""
    if middle.session not in (filters.sessions or ()):
        raise NotFound(f"{middle.key} was not said in this conversation", hint=f"it was said in {middle.session!r}")
    earlier = limit // 2
    return lambda connection: around(connection, middle, filters, earlier, limit - 1 - earlier)


def conversations(
    parts: Parts, scopes: Sequence[Scope], limit: int, *, archived: bool | None, after: Conversation | str | None,
    session: str | None,
) -> list[Conversation]:  # fmt: skip
    """Return the conversations of *scopes*; see `QueryVerbs.conversations`."""
    began, tenant = clock.monotonic(), scopes[0].tenant
    with parts.database.tenant(tenant) as connection:
        if isinstance(after, str):
            after = _one(stored.conversations(connection, scopes, sessions=[after], most=2), after)
        found = stored.conversations(connection, scopes, archived=archived, after=after, most=limit)
        log_read(
            connection, None, memory_type="episodic", searched=scopes, found={}, count=len(found), session=session,
            verb="conversations", latency_ms=(clock.monotonic() - began) * 1000,
        )  # fmt: skip
    return found


def _one(found: Sequence[Conversation], name: str) -> Conversation:
    if not found:
        raise NotFound(f"there is no conversation {name!r} here", hint="`slowwave conversations` lists them")
    if len(found) > 1:
        raise Incorrect(f"{name!r} is a conversation of several agents or channels", hint="name the agent, too")
    return found[0]


def indexed(parts: Parts, tenant: str, found: Sequence[Recollection | RememberedEpisode]) -> list[IndexEntry]:
    """Return one index entry per memory in *found*, in the same order."""
    placed = [(one.scope, one) for one in found if one.scope is not None]
    entry = parts.lifecycle.policies.of(tenant).tiers.entry
    with parts.database.tenant(tenant) as connection:
        known = standings(connection, {(scope.id, one.id) for scope, one in placed})
    return [_entry(one, scope, known.get(one.id), entry) for scope, one in placed]


def external(parts: Parts, scope: Scope, question: str, limit: int) -> tuple[list[IndexEntry], Mapping[str, str]]:
    """Return the entries that external memories have for *question*, and the error of each external memory that failed,
    by the memory's name.
    """
    answers = ask_sources(parts.settings, question, user=scope.user, limit=limit)
    return [_foreign(one, name, scope) for name, found in answers.found.items() for one in found], answers.failed


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
