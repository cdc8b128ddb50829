"""Reviews of claims that could not be decided for certain: a person decides, and the decision is applied as a delta."""

import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from slowwave.core.beliefs.identity import compared_words
from slowwave.core.fold import Version
from slowwave.core.ledger import FactPayload
from slowwave.core.masking import Masking
from slowwave.core.predicates import Predicates
from slowwave.core.time_spans import BEGINNING, END, Span
from slowwave.domain.dead_letter import DeadLetter, Review, Verdict
from slowwave.domain.delta import AddDelta, DeleteDelta, MemoryDelta, NoopDelta, UpdateDelta
from slowwave.domain.scope import Scope
from slowwave.errors import FactConflictError, Incorrect, NotFound
from slowwave.ports import Embedder
from slowwave.store import dead_letters, transaction
from slowwave.store.beliefs import affected_facts
from slowwave.store.beliefs.deltas import ERASED
from slowwave.store.beliefs.manual_corrections import apply_delta
from slowwave.store.fingerprints import fingerprinter
from slowwave.store.statements import execute

_DONE = {"accept": "accepted", "reject": "rejected", "edit": "edited"}


def waiting(
    connection: Connection,
    scope: Scope | None = None,
    *,
    number: int | None = None,
    after: int = 0,
    most: int | None = None,
) -> list[Review]:
    """Return the pending reviews of a tenant or of one *scope*, oldest first, or only the review with this *number*.

    *most* limits the page, which starts after the review *after*.
    """
    letters = dead_letters.letters(
        connection, state="open", numbers=None if number is None else [number], conflicts=True,
        scope=None if scope is None else scope.id, after=after, most=most,
    )  # fmt: skip
    facts = {fact for letter in letters for fact in letter.item.get("among", ())}
    rows = execute(connection, "dead_letters/review_beliefs", facts=list(facts)) if facts else ()
    known = {str(row.fact): (row.now, row.text) for row in rows}
    return [_review(letter, known) for letter in letters]


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
    """Apply the *verdict* of the person *by* about a review, and close the review; return the id of the delta.

    Raises `NotFound` if the review is not pending, or not in *scope*. Raises `Incorrect` if *replaces* is needed but
    missing. Raises the errors of `apply_delta` too.
    """
    found = next(iter(waiting(connection, scope, number=number)), None)
    if found is None:
        raise NotFound(f"there is no review {number}", hint="`slowwave review` lists those that wait")
    delta = _delta(connection, found, verdict, by=by, object=object, replaces=replaces)
    applied = apply_delta(connection, found.scope, delta, embedder, predicates, masking=masking)
    dead_letters.mark(connection, [number], "decided")
    return applied


def _review(letter: DeadLetter, known: Mapping[str, tuple[uuid.UUID, str]]) -> Review:
    assert letter.scope
    assert letter.episode
    item = letter.item
    among = [known.get(fact, (uuid.UUID(fact), ERASED)) for fact in item.get("among", ())]
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
        among=tuple(fact for fact, _ in among),
        beliefs=tuple(text for _, text in among),
        episode=letter.episode,
        content=letter.content or "",
        created=letter.created,
    )


def _delta(
    connection: Connection, review: Review, verdict: Verdict, *, by: str, object: str | None, replaces: uuid.UUID | None
) -> MemoryDelta:
    fields: dict[str, Any] = {
        "source_episode_ids": [str(review.episode)],
        "promotion_ts": transaction.now(connection),
        "rule_id": f"review/{verdict}",
        "confidence": review.confidence,
        "reason": f"{_DONE[verdict]} by {by}: {review.reason}",
    }
    if verdict == "reject":
        return NoopDelta(**fields)
    found = affected_facts.open_of_facts(
        connection, review.scope.id, [*review.among, *([replaces] if replaces else ())]
    )
    old = [
        version
        for fact in _replaced(review, replaces, found)
        for version in found.get(fact, ())
        if review.mode == "correct" or version.valid.end > review.valid_from
    ]
    if object is None and review.mode == "end":
        return DeleteDelta(**fields, valid_from=review.valid_from, replaces=_facts(old)) if old else NoopDelta(**fields)
    if review.predicate == "*" and not old:
        if object is None:  # it has been taken back already
            return NoopDelta(**fields)
        raise Incorrect(
            f"nothing that review {review.number} could mean is believed any more",
            hint="reject it, and push what is right as an episode",
        )
    payload = _payload(review, old, object)
    span = _span(review, old)
    same, rivals, later = _rivals(connection, review, payload, span, old)
    fields["valid_from"] = None if span.start == BEGINNING else span.start
    if same:
        return DeleteDelta(**fields, replaces=_facts(old)) if old else NoopDelta(**fields)
    if later < END:
        fields["valid_to"] = later
    if object is None and review.among and not (found or rivals):
        raise FactConflictError(
            f"nothing that review {review.number} would replace is believed any more, at any time",
            hint="reject it; or edit it, and give the object that is right all the same",
        )
    replaced = [version for version in (*old, *rivals) if version.valid.overlaps(Span(span.start, later))]
    if not replaced:
        return AddDelta(**fields, fact_payload=payload)
    return UpdateDelta(**fields, replaces=_facts(replaced), fact_payload=payload)


def _facts(versions: Sequence[Version]) -> list[str]:
    return list(dict.fromkeys(str(version.fact) for version in versions))


def _span(review: Review, old: Sequence[Version]) -> Span:
    """Return the valid time of the new belief.

    A correction has the valid time of the *old* beliefs. Any other belief is valid from the claim's start.
    """
    if review.mode == "correct" and old:
        return Span(min(one.valid.start for one in old), max(one.valid.end for one in old))
    return Span(review.valid_from)


def _rivals(
    connection: Connection, review: Review, payload: Mapping[str, Any], span: Span, old: Sequence[Version]
) -> tuple[bool, list[Version], datetime]:
    """Compare the new belief with open versions other than *old*.

    Return whether the new belief is already held, the versions to replace, and the end of the new belief. The belief
    ends at the start of its next version, if there is one.
    """
    fact = FactPayload.model_validate(payload)
    belief = fingerprinter(connection).belief(fact.key)
    facts = {version.fact for version in old}
    others = [
        version
        for version in affected_facts.open_versions(connection, review.scope.id, [belief])
        if version.fact not in facts and version.valid.overlaps(span)
    ]
    covering = [version for version in others if version.valid.covers(span.start)]
    known = covering if fact.single_valued else others
    if any(compared_words(version) == compared_words(fact) for version in known):
        return True, [], END
    return False, covering, min([span.end, *(one.valid.start for one in others if one not in covering)])


def _payload(review: Review, old: Sequence[Version], object: str | None) -> dict[str, Any]:
    """Return the payload of the new fact. A correction without predicate takes the predicate of the replaced belief."""
    about = old[0] if old and review.predicate == "*" else None
    return {
        "subject": about.subject if about else review.subject,
        "predicate": about.predicate if about else review.predicate,
        "object": object or review.object,
        "single_valued": about.key[2] is None if about else review.single_valued,
        "text": "" if object or about else review.text,
    }


def _replaced(
    review: Review, named: uuid.UUID | None, found: Mapping[uuid.UUID, Sequence[Version]]
) -> Sequence[uuid.UUID]:
    """Return the replaced beliefs: the *named* belief, or else the beliefs that the review certainly means."""
    if named is not None and (named in review.among or not review.among):
        return [named]
    if named is None and (review.mode == "assert" or len(review.among) == 1 or (review.among and not found)):
        return review.among
    if named is None and not review.among and review.mode == "correct" and review.predicate != "*":
        return ()
    raise Incorrect(
        f"review {review.number} could mean any of {_listed(review) or 'the facts that are believed'}",
        hint="name one with replaces= or --replaces; `slowwave why ID` explains each; or reject the review",
    )


def _listed(review: Review) -> str:
    return ", ".join(f"{fact} ({text})" for fact, text in zip(review.among, review.beliefs, strict=True))
