"""Beliefs in words: a typed one is a whole sentence, in which the user bears the name that is held of them.

A text is written when its belief is asserted, and stays: nothing is told apart or taken for the same by it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from slowwave.core.beliefs.decision import Decision, Version
from slowwave.core.beliefs.identity import BeliefKey, Told, belief_key, normal, text_of
from slowwave.core.predicates import Predicates
from slowwave.core.predicates.sentences import USER
from slowwave.domain.claim import Claim

NAME = belief_key(USER, "name", "", single_valued=True)
"""The belief that says what the user is called."""


def called(held: Mapping[BeliefKey, Sequence[Version]]) -> str | None:
    """Return the name that is held of the user, of several the one that lasts; None where none is."""
    known = held.get(NAME, ())
    return max(known, key=lambda version: (version.valid.end, version.valid.start)).object if known else None


def worded(told: Told, predicates: Predicates, name: str | None, *, negated: bool = False) -> str:
    """Return a belief in words: its own text, else the sentence of its predicate, with the user's *name* in it.

    Of one that names no predicate or no object there is no sentence, only its parts.
    """
    if told.text or told.form == "statement" or told.predicate == "*" or not told.object:
        return text_of(told)
    subject = told.subject
    if predicates.of(told.predicate).name == NAME[1] and normal(subject) in (USER, normal(told.object)):
        subject, name = USER, None  # who is called something is not called so yet
    return predicates.sentence(subject, told.predicate, told.object, negated=negated, called=name)


def asserted(claim: Claim, predicates: Predicates, name: str | None) -> Claim:
    """Return a *claim* that asserts with its text: whatever is decided about it, and opened by it, reads so."""
    return claim if claim.text or claim.form == "statement" else replace(claim, text=worded(claim, predicates, name))


def in_words(decision: Decision, predicates: Predicates, name: str | None) -> Decision:
    """Return *decision* with the text of what it asserts, ends or leaves as it is."""
    claim = decision.claim
    if claim.text or claim.form == "statement":
        return decision
    if decision.kind == "delete" and claim.mode == "end":
        return replace(decision, claim=replace(claim, text=decision.closes[0].text)) if decision.closes else decision
    told = replace(
        claim, text=worded(claim, predicates, name, negated=decision.kind != "delete" and claim.mode == "end")
    )
    if decision.kind not in ("add", "update"):
        return replace(decision, claim=told)
    new, *rest = decision.opens
    return replace(decision, claim=told, opens=(replace(new, text=told.text), *rest))
