"""Unread turns, whose language no pack reads: the list of turns, the counts, and the setting to change."""

from collections.abc import Iterable, Mapping, Sequence

from slowwave.domain.queries.unread import UnreadTurn, UnreadTurns
from slowwave.domain.scope import Scope
from slowwave.memory.queries.lookup import episode_named
from slowwave.memory.queries.pages import Name
from slowwave.runtime import clock
from slowwave.store.audit.reads_and_deltas import log_returned
from slowwave.store.queries import conversation_turns as stored
from slowwave.wiring import Parts

OF_ENGLISH = "static"
"""The name of the default embedder, which knows only English words."""


def unread(
    parts: Parts, scopes: Sequence[Scope], limit: int, *, before: Name | None, session: str | None
) -> UnreadTurns:
    """Return the unread turns of *scopes*; see `QueryVerbs.unread`."""
    cursor = None if before is None else episode_named(parts, scopes, before)
    began = clock.monotonic()
    with parts.database.tenant(scopes[0].tenant) as connection:
        languages = stored.languages(connection, scopes)
        found = stored.newest(connection, scopes, most=limit, before=cursor) if languages else []
        log_returned(
            connection, [turn.episode for turn in found], searched=scopes, verb="unread", session=session,
            latency_ms=(clock.monotonic() - began) * 1000,
        )  # fmt: skip
    return with_advice(parts, languages, found)


def with_advice(parts: Parts, languages: Mapping[str, int], turns: Iterable[UnreadTurn] = ()) -> UnreadTurns:
    """Return *turns* with the counts by language, the reason why the turns were not read, and the setting to change.

    Loads the packs only if there is an unread turn.
    """
    if not languages:
        return UnreadTurns(turns)
    read = parts.unread.read
    foreign = [] if read is None else [code for code in languages if code not in read]
    these = "these languages" if len(languages) > 1 else "this language"
    came = "they came" if sum(languages.values()) > 1 else "it came"
    reason = f"no rule pack reads {these}" if len(foreign) == len(languages) else f"nothing read {these} when {came}"
    by_meaning = (
        "SLOWWAVE_EMBEDDER=e5 to find them at least by meaning" if parts.settings.embedder == OF_ENGLISH else ""
    )
    ways = ["SLOWWAVE_MODEL to have a model read such turns from then on"] * bool(foreign) + [by_meaning]
    remedy = ", or ".join(filter(None, ways))
    return UnreadTurns(turns, languages=languages, reason=reason, remedy=f"Set {remedy}." if remedy else "")
