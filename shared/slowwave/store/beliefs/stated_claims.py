"""Claims as they were stated, including reports of changes, and the lookup of affected facts by words and names."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row

from slowwave.core.beliefs.versions import NAME, asserted, called
from slowwave.core.contradiction.belief_state import BeliefMatter
from slowwave.core.contradiction.matters import Matters
from slowwave.core.contradiction.reported_changes import head, is_news
from slowwave.core.contradiction.values import says_which
from slowwave.core.contradiction.words import words_of
from slowwave.core.fold import Decision, Fold
from slowwave.core.ledger import payload
from slowwave.domain.claim import Claim, Source
from slowwave.store.beliefs.facts import source as stored_source
from slowwave.store.blocks.binary_results import execute_binary
from slowwave.store.direct import send
from slowwave.store.fingerprints import Fingerprinter, known_fingerprinter
from slowwave.store.statements import execute, sql
from slowwave.store.transaction import registry_of

OWN = "_"
"""The prefix of the packs of jobs and of work by hand. Decisions of these packs are not folded again."""
_WORDS = ("subject", "predicate", "object", "mode", "certainty", "single_valued", "session", "form", "text", "tense")


def claim_fields(decision: Decision, pack: str) -> dict[str, Any]:
    """Return the claim's fields that the payload of *decision* stores besides the text; no fields for built-in jobs.

    The fields have the values of the claim as it was stated, before a decision changed them.
    """
    stated = decision.original_claim
    if stated is None or decision.again or pack.startswith(OWN):
        return {}
    known = payload(decision) | {"mode": decision.claim.mode}
    plain = {name: value for name in known if (value := getattr(stated, name)) != known[name]}
    rare = {
        "to": stated.valid_to and stated.valid_to.isoformat(),
        "wrong": stated.wrong,
        "effect": stated.effect,
        "role": stated.role,
    }
    optional = {name: value for name, value in rare.items() if value}
    return {"claim": {"from": stated.valid_from.isoformat(), "ordinal": stated.ordinal, **optional, **plain}}


def review_fields(decision: Decision, place: datetime) -> dict[str, Any]:
    """Return the other fields that a reviewer and a `Fold` need: times, confidence, replaced facts, cited words.

    *place* is the time that gives the claim its place in the order of the ledger.
    """
    claim = decision.claim
    return {
        "delta": str(decision.id),
        "mode": claim.mode,
        "confidence": claim.confidence,
        "valid_from": claim.valid_from.isoformat(),
        "among": [str(fact) for fact in decision.among],
        "rule": claim.rule,
        "stands_at": place.isoformat(),
        "sources": [_listed(source) for source in (claim.source, *claim.more_sources)],
    }


def claim(
    payload: Mapping[str, Any],
    *,
    mode: str,
    confidence: float,
    rule: str,
    sources: Sequence[Sequence[Any]],
    since: datetime,
) -> Claim:
    """Return the claim for which a payload was stored, with the words that the claim cites.

    A decision that was not made from a pack's claim gives an equivalent claim, valid from *since*.
    """
    fields = {"form": "typed", "text": "", "tense": "current", "mode": mode, **payload, **payload.get("claim", {})}
    first, *more = (stored_source(*each) for each in sources)
    until = fields.get("to")
    return Claim(
        **{name: fields[name] for name in _WORDS},
        confidence=confidence,
        valid_from=datetime.fromisoformat(fields["from"]) if "from" in fields else since,
        valid_to=datetime.fromisoformat(until) if until else None,
        rule=rule,
        source=first,
        ordinal=fields.get("ordinal", 0),
        more_sources=tuple(more),
        wrong=fields.get("wrong", ""),
        effect=fields.get("effect", ""),
        role=fields.get("role", ""),
    )


def _listed(source: Source) -> list[Any]:
    return [str(value) if isinstance(value, uuid.UUID) else value for value in asdict(source).values()]


def keep_words(
    connection: Connection, scope: uuid.UUID, opened: Sequence[tuple[int, BeliefMatter]], prints: Fingerprinter
) -> None:
    """Store the words by which later reports of changes find a belief. *opened* has each new belief with its number."""
    matters = Matters(registry_of(connection))
    words = sorted({(prints.word(word), belief) for belief, matter in opened for word in matters.words(matter)})
    if words:
        send(
            connection,
            sql("beliefs/news/keep"),
            {"scope": scope, "words": [word for word, _ in words], "beliefs": [belief for _, belief in words]},
        )


def worded(
    connection: Connection, scope: uuid.UUID, claims: Sequence[Claim], prints: Fingerprinter
) -> Sequence[Row[Any]]:
    """Return the open versions of beliefs that share words with some of *claims*.

    Of *claims*, only reported changes count, and corrections that identify a belief only by words.
    """
    news = [claim for claim in claims if is_news(claim) or says_which(claim)]
    if not news:
        return ()
    matters = Matters(registry_of(connection))
    named = (words_of(one.object) if one.effect in ("", "change") else [head(one)] for one in news)
    heads = {word for words in named for word in words}
    words = {prints.word(word) for word in matters.named(heads)}
    wanted = {"scope": scope, "words": sorted(words), "since": min(claim.valid_from for claim in news)}
    return execute(connection, "beliefs/news/worded", **wanted).all()


def recall_news(connection: Connection, scope: uuid.UUID, fold: Fold, claims: Sequence[Claim]) -> None:
    """Load into *fold* the reported changes, later than *claims*, that may have ended what *claims* assert."""
    asserting = [claim for claim in claims if claim.mode in ("assert", "correct")]
    if not asserting:
        return
    matters, name = Matters(registry_of(connection)), called(fold.active) or fold.called
    assertions = [asserted(claim, matters.predicates, name) for claim in asserting]
    words = matters.named(frozenset[str]().union(*map(matters.words, assertions)))
    prints = {fold.matter(word) for word in words}
    wanted = {"scope": scope, "prints": sorted(prints), "since": min(claim.valid_from for claim in asserting)}
    for row in execute(connection, "beliefs/news/reported", **wanted):
        fold.record_news(news_of(row))


def news_of(row: Any) -> Claim:
    """Return the reported change in a ledger row, as it was stated."""
    return claim(
        row.payload, mode="end", confidence=row.confidence, rule=row.rule, sources=row.sources, since=row.valid_from
    )


def names_of_users(connection: Connection, scopes: Sequence[uuid.UUID]) -> dict[uuid.UUID, str]:
    """Return the name of the user of each of *scopes*, read from that scope or else from `_global`.

    Unknown names are omitted.
    """
    prints = known_fingerprinter(connection)
    return loaded_names(connection, scopes, prints) if prints else {}  # without prints, the tenant has no facts


def loaded_names(connection: Connection, scopes: Sequence[uuid.UUID], prints: Fingerprinter) -> dict[uuid.UUID, str]:
    """Return what `names_of_users` returns. *prints* is the fingerprinter of the tenant."""
    asked = {"scopes": list(scopes), "digest": prints.belief(NAME)}
    return {row.scope: row.name for row in execute_binary(connection, sql("beliefs/names"), asked)}
