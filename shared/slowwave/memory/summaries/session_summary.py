"""The summary of a session: the part that a run stored, and what was said since then."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from slowwave.core.summaries.extractive_summary import QUOTING, Line, quoted, subject
from slowwave.core.summaries.lines import by_model, fitting
from slowwave.core.tokens import tokens
from slowwave.domain.episode import StoredEpisode
from slowwave.domain.queries.summary import EXTRACT, Summary
from slowwave.domain.retention import Conversation
from slowwave.domain.scope import Scope
from slowwave.errors import NotFound
from slowwave.jobs.summaries.model_summaries import Telling
from slowwave.runtime import clock
from slowwave.store.audit.reads import log_lookup
from slowwave.store.queries.conversations import conversations
from slowwave.store.queries.episodes import by_ids
from slowwave.store.recall.timeline import latest_messages
from slowwave.store.summaries.model_summaries import tellings_by_subject
from slowwave.store.summaries.session_summaries import SessionSummary, latest_summaries, summarised_until
from slowwave.wiring import Parts

PAGE = 500
"""Messages read per page."""


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
        log_lookup(
            connection, list(quoted), memory_type="episodic", scope=found.scope, verb="summary", session=session,
            latency_ms=(clock.monotonic() - began) * 1000,
        )  # fmt: skip
    return found


def _summary(connection: Any, conversation: Conversation, max_tokens: int) -> Summary:
    scope, session = conversation.scope, conversation.session
    before = latest_summaries(connection, scope.id, [session]).get(session)
    summed_up, head = summarised_until(connection, scope.id)

    told_of = tellings_by_subject(connection, scope.id, [subject(session)]).get(subject(session))
    by, covered, at = _by(before, told_of), head, conversation.last_at
    if told_of is not None:
        quotes = _quoted([], _messages_since(connection, scope, session, after=told_of.covered))
        lines = [*told_of.lines, *quotes]
    elif before is None or by == EXTRACT:
        lines = _quoted(before.lines if before else [], _messages_since(connection, scope, session, after=summed_up))
    else:
        lines, covered, at = list(before.lines), summed_up, before.since

    episodes = by_ids(connection, [scope], {source.episode for line in lines for source in line.sources})
    chosen = fitting(lines, {one.id: one.occurred for one in episodes}, most=max_tokens)
    text = "\n".join(line.text for line in chosen)
    return Summary(session, scope, text, tokens(text), tuple(chosen), covered, at, before.fact if before else None, by)


def _quoted(lines: Sequence[Line], pages: Iterable[Sequence[StoredEpisode]]) -> list[Line]:
    for page in pages:
        lines = quoted(lines, page)
    return list(lines)


def _messages_since(connection: Any, scope: Scope, session: str, *, after: int) -> Iterator[list[StoredEpisode]]:
    """Give the messages of a session after a position, page by page, the last page first."""
    before: int | None = None
    while page := latest_messages(connection, scope.id, session, after=after, before=before, most=PAGE):
        yield page
        before = page[0].position


def _by(before: SessionSummary | None, told_of: Telling | None) -> str:
    """Return who made a summary; see `Summary.by`."""
    if told_of is not None and told_of.model is not None:
        return by_model(told_of.model)
    name = before.rule.partition("/")[2] if before else QUOTING
    return EXTRACT if name == QUOTING else name
