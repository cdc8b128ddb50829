"""The summary of a session: what a run has kept of it, and what was said there since."""

from collections.abc import Iterator, Sequence
from typing import Any

from slowwave import clock
from slowwave.core.summaries.rolling import QUOTING, quoted
from slowwave.core.summaries.telling import fitting
from slowwave.core.tokens import tokens
from slowwave.domain.episode import StoredEpisode
from slowwave.domain.reading.summary import Summary
from slowwave.domain.retention import Conversation
from slowwave.domain.scope import Scope
from slowwave.errors import NotFound
from slowwave.store.audit.reads import log_looked_up
from slowwave.store.reading.conversations import conversations
from slowwave.store.reading.episodes import by_ids
from slowwave.store.recall.timeline import last_said
from slowwave.store.summaries.kept import Kept, kept, reach
from slowwave.wiring import Parts

PAGE = 500
"""Messages that are read at once."""


def summary(parts: Parts, scopes: Sequence[Scope], name: str, *, max_tokens: int, session: str | None) -> Summary:
    """Return the summary of a session of *scopes*; see `Summaries.summary`."""
    began = clock.monotonic()
    with parts.database.tenant(scopes[0].tenant) as connection:
        known = {one.scope: one for one in conversations(connection, scopes, sessions=[name], most=len(scopes))}
        first = next((known[scope] for scope in scopes if scope in known), None)
        if first is None:
            raise NotFound(f"there is no conversation {name!r} here", hint="`slowwave conversations` lists them")
        found = _summary(connection, first, max_tokens)
        quoted = dict.fromkeys(source.episode for source in found.sources)
        log_looked_up(
            connection, list(quoted), memory_type="episodic", scope=found.scope, verb="summary", session=session,
            latency_ms=(clock.monotonic() - began) * 1000,
        )  # fmt: skip
    return found


def _summary(connection: Any, conversation: Conversation, max_tokens: int) -> Summary:
    scope, session = conversation.scope, conversation.session
    before = kept(connection, scope.id, [session]).get(session)
    summed_up, head = reach(connection, scope.id)

    lines = list(before.lines) if before else []
    covered, at = summed_up, before.since if before else conversation.first_at
    if before is None or _quotes(before):
        for page in _said(connection, scope, session, after=summed_up):
            lines = quoted(lines, page)
        covered, at = head, conversation.last_at

    episodes = by_ids(connection, [scope], {line.source.episode for line in lines})
    told = fitting(lines, {one.id: one.occurred for one in episodes}, most=max_tokens)
    text = "\n".join(line.text for line in told)
    return Summary(session, scope, text, tokens(text), tuple(told), covered, at, before.fact if before else None)


def _said(connection: Any, scope: Scope, session: str, *, after: int) -> Iterator[list[StoredEpisode]]:
    """Give what was said in a session after a position, a page at a time, the last one first."""
    before: int | None = None
    while page := last_said(connection, scope.id, session, after=after, before=before, most=PAGE):
        yield page
        before = page[0].position


def _quotes(before: Kept) -> bool:
    return before.rule == f"summarise/{QUOTING}"
