"""Reviews: claims that could not be decided for certain wait for a person, whose decision is applied as a delta."""

import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from slowwave.core.corrections import FactPayload
from slowwave.core.fold import Version
from slowwave.core.masking import Masking
from slowwave.core.predicates import Predicates
from slowwave.core.time_spans import BEGINNING
from slowwave.domain.dead_letter import DeadLetter, Review, Verdict
from slowwave.domain.delta import AddDelta, DeleteDelta, MemoryDelta, NoopDelta, UpdateDelta
from slowwave.domain.scope import Scope
from slowwave.errors import Incorrect, NotFound
from slowwave.ports import Embedder
from slowwave.store import clock
from slowwave.store.beliefs import held_facts
from slowwave.store.beliefs.deltas import ERASED
from slowwave.store.beliefs.manual_corrections import apply_delta
from slowwave.store.dead_letters import dead_letters
from slowwave.store.fingerprints import fingerprinter
from slowwave.store.statements import sql


def waiting(
    connection: Connection,
    scope: Scope | None = None,
    *,
    number: int | None = None,
    after: int = 0,
    most: int | None = None,
) -> list[Review]:
    """Return the pending reviews of a tenant, or of one *scope*, oldest first; or only the one with *number*.

    *most* limits the page, which starts after the review *after*.
    """
    letters = dead_letters.letters(
        connection, state="open", numbers=None if number is None else [number], conflicts=True,
        scope=None if scope is None else scope.id, after=after, most=most,
    )  # fmt: skip
    facts = {fact for letter in letters for fact in letter.item.get("among", ())}
    rows = connection.exec_driver_sql(sql("dead_letters/review_beliefs"), {"facts": list(facts)}) if facts else ()
    texts = {str(row.fact): row.text for row in rows}
    return [_review(letter, texts) for letter in letters]


def decide(
    connection: Connection,
    number: int,
    verdict: Verdict,
    *,
    by: str,
    scope: Scope | None,
    object: str | None,
    replaces: uuid.UUID | None,
    embedder: Embedder,
    predicates: Predicates,
    masking: Masking,
) -> uuid.UUID:
    """Apply the decision of *by* about a review, and close the review; return the id of the delta.

    Raises `NotFound` for a review that is not pending (here), `Incorrect` if the replaced belief must be named, and the
    errors of applying a delta by hand.
    """
    found = next(iter(waiting(connection, scope, number=number)), None)
    if found is None:
        raise NotFound(f"there is no review {number}", hint="`slowwave review` lists those that wait")
    delta = _delta(connection, found, verdict, by=by, object=object, replaces=replaces)
    applied = apply_delta(connection, found.scope, delta, embedder, predicates, masking=masking)
    dead_letters.mark(connection, [number], "decided")
    return applied


def _review(letter: DeadLetter, texts: Mapping[str, str]) -> Review:
    assert letter.scope
    assert letter.episode
    item = letter.item
    return Review(
        number=letter.letter,
        reason=letter.reason,
        scope=letter.scope,
        subject=item["subject"],
        predicate=item["predicate"],
        object=item["object"],
        mode=item.get("mode", "assert"),
        confidence=item.get("confidence", 1.0),
        valid_from=datetime.fromisoformat(item["valid_from"]) if "valid_from" in item else letter.created,
        single_valued=item["single_valued"],
        text=item.get("text", ""),
        among=tuple(uuid.UUID(fact) for fact in item.get("among", ())),
        beliefs=tuple(texts.get(fact, ERASED) for fact in item.get("among", ())),
        episode=letter.episode,
        said=letter.content or "",
        created=letter.created,
    )


def _delta(
    connection: Connection, review: Review, verdict: Verdict, *, by: str, object: str | None, replaces: uuid.UUID | None
) -> MemoryDelta:
    told: dict[str, Any] = {
        "source_episode_ids": [str(review.episode)],
        "promotion_ts": clock.now(connection),
        "rule_id": f"review/{verdict}",
        "confidence": review.confidence,
        "reason": f"{_DONE[verdict]} by {by}: {review.reason}",
    }
    if verdict == "reject":
        return NoopDelta(**told)
    old = _replaced(review, replaces)
    found = held_facts.open_of_facts(connection, review.scope.id, old)
    versions = [version for fact in old for version in found.get(fact, ())]
    told["valid_from"] = _beginning(versions) if review.mode == "correct" and old else review.valid_from
    if review.mode == "end" and old and object is None:
        return DeleteDelta(**told, replaces=[str(fact) for fact in old])
    payload = _payload(review, versions, object)
    if _already_believed(connection, review, payload, old):
        return DeleteDelta(**told, replaces=[str(fact) for fact in old]) if old else NoopDelta(**told)
    if not old:
        return AddDelta(**told, fact_payload=payload)
    return UpdateDelta(**told, replaces=[str(fact) for fact in old], fact_payload=payload)


def _already_believed(
    connection: Connection, review: Review, payload: dict[str, Any], old: Sequence[uuid.UUID]
) -> bool:
    """Return whether the new belief is held already, for a multi-valued predicate: then only the old one is ended."""
    if payload["single_valued"]:
        return False
    belief = fingerprinter(connection).belief(FactPayload.model_validate(payload).key)
    return any(version.fact not in old for version in held_facts.open_versions(connection, review.scope.id, [belief]))


def _payload(review: Review, old: Sequence[Version], object: str | None) -> dict[str, Any]:
    """Return the new fact of a decision; a correction without predicate is about the belief that it replaces."""
    about = old[0] if old and review.predicate == "*" else None
    return {
        "subject": about.subject if about else review.subject,
        "predicate": about.predicate if about else review.predicate,
        "object": object or review.object,
        "single_valued": about.key[2] is None if about else review.single_valued,
        "text": "" if object or about else review.text,
    }


_DONE = {"accept": "accepted", "reject": "rejected", "edit": "edited"}


def _replaced(review: Review, named: uuid.UUID | None) -> list[uuid.UUID]:
    """Return the replaced beliefs: the named one, or those that alone can be meant."""
    if named is None and (review.mode == "assert" or len(review.among) <= 1):
        return list(review.among)
    if named is None or (review.among and named not in review.among):
        raise Incorrect(
            f"review {review.number} could mean any of {_listed(review)}",
            hint="name one with replaces= or --replaces; `slowwave why ID` explains each",
        )
    return [named]


def _listed(review: Review) -> str:
    return ", ".join(f"{fact} ({text})" for fact, text in zip(review.among, review.beliefs, strict=True))


def _beginning(versions: Sequence[Version]) -> datetime | None:
    """Return the beginning of the corrected belief, which was never true. None means since always."""
    begins = min((version.valid.start for version in versions), default=BEGINNING)
    return None if begins == BEGINNING else begins
