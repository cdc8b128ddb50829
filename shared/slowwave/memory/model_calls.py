"""Synchronous model calls, and the restatement of a question before recall."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from slowwave.core.recall import synonyms
from slowwave.core.tokens import A_MESSAGE, tokens_at_most
from slowwave.domain.model_calls import Answer, Chunk, Words
from slowwave.domain.queries.filters import Filters
from slowwave.domain.scope import Scope
from slowwave.errors import Refused, Unavailable, Unreadable
from slowwave.jobs.model_calls.ask import call_provider
from slowwave.ports.model_calls import Outcome, Provider
from slowwave.runtime import clock
from slowwave.runtime.host import owner_name
from slowwave.store.graph.questions import aliases_in_question
from slowwave.store.model_calls.call_queue import PostgresSynchronousCalls
from slowwave.wiring import Parts
from slowwave.wiring.model_client import terms_of

REPLY_TOKENS = 300
"""The maximum number of tokens of a reply: enough for two sentences and three filters."""


def call_synchronously(
    parts: Parts, provider: Provider, scope: Scope, words: Words, read: Callable[[str], object],
    *, by: str, most_tokens: int, deadline_seconds: float,
) -> Answer | Outcome:  # fmt: skip
    """Return a reply that *read* can parse, or the failed call's outcome.

    Raises `Unavailable` if no slot is free, or if a budget or quota of the tenant or of the user of *scope* is used up.
    *by* is the name of the caller. *most_tokens* is the limit of the reply. A reply is unreadable if *read* raises
    `Unreadable`.
    """
    prompt = sum(tokens_at_most(message["content"]) + A_MESSAGE for message in words.messages)
    chunk = Chunk((), (), words, prompt, most_tokens)
    calls = PostgresSynchronousCalls(parts.database, terms_of(parts.settings, provider.name))
    taken = calls.begin(owner_name(by), scope, chunk, deadline_seconds=deadline_seconds)
    answer = call_provider(provider, chunk, timeout_seconds=deadline_seconds)
    outcome = answer if isinstance(answer, Outcome) else _judged(answer, read)
    calls.end(taken, outcome)
    return answer if outcome.kind == "ok" else outcome


def _judged(answer: Answer, read: Callable[[str], object]) -> Outcome:
    try:
        read(answer.text)
    except Unreadable as error:
        return Outcome("unreadable", answer, reason="it was cut off" if answer.cut else error.message)
    return Outcome("ok", answer)


def rewritten(
    parts: Parts, scopes: Sequence[Scope], question: str, filters: Filters, at: datetime | None
) -> synonyms.RewrittenQuestion:
    """Return *question* restated by the methods in the setting `restate`.

    If the setting is empty, the question is unchanged.

    The caller's filters stay in force; a model sets only filters that the caller left open. If the model is unavailable
    or late, or its reply is unreadable, only the model's part is missing, and the result has the reason.
    """
    ways = parts.settings.restating
    statements, near, reasons = list[str](), list[synonyms.NearWords](), dict[str, float]()
    if "expansion" in ways:
        statements, near = _expanded(parts, scopes, question)
        reasons["expansion"] = 1.0
    if by_model := [way for way in ways if way != "expansion"]:
        found = _hypothetical_answer(parts, scopes[0], question, by_model, at)
        reasons |= {way if found else f"{way}_away": 1.0 for way in by_model}
        if found:
            statements += [found.passage] if found.passage else []
            filters = _narrowed(filters, found)
    return synonyms.RewrittenQuestion(statements, near, filters, reasons)


def _expanded(parts: Parts, scopes: Sequence[Scope], question: str) -> tuple[list[str], list[synonyms.NearWords]]:
    with parts.database.tenant(scopes[0].tenant) as connection:
        names: Mapping[str, Sequence[str]] = aliases_in_question(connection, [scope.id for scope in scopes], question)
    statements, near = synonyms.as_statements(question, list(names), parts.predicates)
    return statements, [*near, *(word for name, others in names.items() for word in synonyms.other_names(name, others))]


def _hypothetical_answer(
    parts: Parts, scope: Scope, question: str, ways: Collection[str], at: datetime | None
) -> synonyms.HypotheticalAnswer | None:
    """Return a model's guess of the answer; None if no model is set, the model is late, or its reply is unreadable."""
    if (provider := parts.provider) is None:
        return None
    now = at or clock.now()

    def read(reply: str) -> synonyms.HypotheticalAnswer:
        return synonyms.hypothetical_answer(reply, ways, now)

    try:
        answer = call_synchronously(
            parts, provider, scope, synonyms.request_words(question, ways, now), read,
            by="restate", most_tokens=REPLY_TOKENS, deadline_seconds=parts.settings.restate_seconds,
        )  # fmt: skip
    except (Unavailable, Refused):
        return None
    return None if isinstance(answer, Outcome) else read(answer.text)


def _narrowed(filters: Filters, found: synonyms.HypotheticalAnswer) -> Filters:
    """Return *filters* with unset filters taken from *found*. Times that would make an empty range are not taken."""
    kinds = filters.kinds if filters.kinds is not None else found.kinds
    since, until = filters.since or found.since, filters.until or found.until
    if since and until and since >= until:
        since, until = filters.since, filters.until
    return replace(filters, kinds=kinds, since=since, until=until)
