"""Beliefs in words: a typed belief becomes a whole sentence, with the user's known name as its subject.

The text is written when its belief is asserted, and does not change: beliefs are never compared by it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from slowwave.core.beliefs.identity import BeliefKey, ClaimOrVersion, belief_key, normal, text_of
from slowwave.core.beliefs.versions import Decision, Version
from slowwave.core.predicates import Predicates
from slowwave.core.predicates.sentences import USER
from slowwave.domain.claim import Claim

NAME = belief_key(USER, "name", "", single_valued=True)
"""The key of the belief that holds the user's name."""


def called(believed: Mapping[BeliefKey, Sequence[Version]]) -> str | None:
    """Return the user's name, as believed; of several the lasting one; None if no name is believed."""
    known = believed.get(NAME, ())
    return max(known, key=lambda version: (version.valid.end, version.valid.start)).object if known else None


def worded(belief: ClaimOrVersion, predicates: Predicates, name: str | None, *, negated: bool = False) -> str:
    """Return a belief in words: its own text, else the sentence of its predicate, with the user's *name* in it.

    If it has no predicate or no object, its parts are joined instead.
    """
    if belief.text or belief.form == "statement" or belief.predicate == "*" or not belief.object:
        return text_of(belief)
    subject = belief.subject
    if predicates.of(belief.predicate).name == NAME[1] and normal(subject) in (USER, normal(belief.object)):
        subject, name = USER, None  # the name is not in use before this belief
    return predicates.sentence(subject, belief.predicate, belief.object, negated=negated, called=name)


def asserted(claim: Claim, predicates: Predicates, name: str | None) -> Claim:
    """Return an asserting *claim* with its text, which its decision and the versions opened by it use."""
    return claim if claim.text or claim.form == "statement" else replace(claim, text=worded(claim, predicates, name))


def in_words(decision: Decision, predicates: Predicates, name: str | None) -> Decision:
    """Return *decision* with the text of the belief that it asserts, ends or keeps."""
    claim = decision.claim
    if claim.text or claim.form == "statement":
        return decision
    if decision.kind == "delete" and claim.mode == "end":
        return replace(decision, claim=replace(claim, text=decision.closes[0].text)) if decision.closes else decision
    changed = replace(
        claim, text=worded(claim, predicates, name, negated=decision.kind != "delete" and claim.mode == "end")
    )
    if decision.kind not in ("add", "update"):
        return replace(decision, claim=changed)
    new, *rest = decision.opens
    return replace(decision, claim=changed, opens=(replace(new, text=changed.text), *rest))
