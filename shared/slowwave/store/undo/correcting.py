"""The correction of a wrong fact: the claims behind the fact, and the claim that states the right object."""

import uuid
from dataclasses import replace
from datetime import datetime

from sqlalchemy import Connection

from slowwave.domain.claim import CONFIDENCE, Claim
from slowwave.domain.scope import Scope
from slowwave.domain.undo import Undone
from slowwave.errors import Incorrect, NotFound
from slowwave.ports import Embedder
from slowwave.store.beliefs import affected_facts
from slowwave.store.beliefs.manual_corrections import PACK, apply_claims, sources_of
from slowwave.store.statements import execute
from slowwave.store.undo.orders import is_ordered
from slowwave.store.undo.targets import Target, with_derived

RULE = "correct/by_hand"


def wrong_fact(connection: Connection, scope: Scope, fact: uuid.UUID) -> Target:
    """Return the target of an undo that leaves out all claims that made or confirmed a wrong fact.

    For a promoted fact, the claims of its source fact are included. Raises `NotFound` for an unknown fact. Raises
    `Incorrect` if the fact is not believed any more, unless an undo of this fact is in force.
    """
    found: dict[uuid.UUID, dict[uuid.UUID, datetime]] = {}
    for row in execute(connection, "undo/wrong", scope=scope.id, fact=fact):
        found.setdefault(row.scope, {})[row.delta] = row.place
    if not found:
        raise NotFound(f"there is no fact {fact} here", hint="`slowwave facts` lists the ids of what is believed")
    words = f"fact {fact}"
    if not affected_facts.open_of_facts(connection, scope.id, [fact]) and not is_ordered(connection, words):
        raise Incorrect(f"the fact {fact} is not believed here any more", hint="`slowwave why` shows what became of it")
    return Target(words, with_derived(connection, found))


def right_claim(connection: Connection, scope: Scope, fact: uuid.UUID, object_: str) -> Claim:
    """Return a claim with *object_* that otherwise equals a fact's claim, with the same start and sources.

    Raises `NotFound`.
    """
    row = execute(connection, "undo/last_version", scope=scope.id, fact=fact).one_or_none()
    if row is None:
        raise NotFound(f"there is no fact {fact} here", hint="`slowwave facts` lists the ids of what is believed")
    wrong, sources = affected_facts.version(row), sources_of(connection, [fact])[fact]
    return Claim(
        subject=wrong.subject, predicate=wrong.predicate, object=object_, mode="assert", certainty="explicit",
        confidence=CONFIDENCE["explicit"], valid_from=wrong.valid.start, valid_to=None,
        single_valued=wrong.key[2] is None, rule=RULE, session=wrong.session, source=sources[0], ordinal=0,
        more_sources=tuple(sources[1:]), form=wrong.form, text=object_ if wrong.form == "statement" else "",
        tense=wrong.tense,
    )  # fmt: skip


def state_right(
    connection: Connection, scope: Scope, claim: Claim, undone: Undone, embedder: Embedder
) -> uuid.UUID | None:
    """Apply *claim* in place of the claims *undone*; return the new fact, or None if *claim* waits for a review."""
    assert undone.id is not None
    why = f"corrected by {undone.by}" + (f": {undone.reason}" if undone.reason else "")
    once = replace(claim, ordinal=undone.id.int & 0x7FFFFFFF)
    facts = apply_claims(connection, scope, [once], embedder, pack=PACK, reason=why)
    return facts[0] if facts else None
