"""Namesakes: two people of one name, told apart by their roles. What is said of one is not news of the other."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from slowwave.core.beliefs.identity import BeliefKey, ClaimOrVersion, belief_key, normal
from slowwave.core.beliefs.versions import Version
from slowwave.core.predicates import Predicates
from slowwave.domain.claim import Claim


def with_roles(claims: Sequence[Claim], predicates: Predicates) -> list[Claim]:
    """Return the claims of an episode, each with the role that another one gives its subject."""
    given = {
        normal(one.object): predicates.of(one.predicate).name
        for one in claims
        if one.mode == "assert" and one.form == "typed" and predicates.of(one.predicate).object == "person"
    }
    roles = ((claim, given.get(normal(claim.subject), "")) for claim in claims) if given else ()
    return [replace(claim, role=role) if role else claim for claim, role in roles] or list(claims)


def role_keys(told: Sequence[ClaimOrVersion], predicates: Predicates) -> Iterator[BeliefKey]:
    """Give the keys of the beliefs by which who is named in *told* may be somebody to whom it gives a role."""
    roles = [one for one in predicates.registered if one.object == "person" and not one.open]
    given = [one for one in told if one.form == "typed" and predicates.of(one.predicate).object == "person"]
    named = {normal(one.subject) for one in told}
    for owner, name in {(one.subject, one.object) for one in given if normal(one.object) in named}:
        for role in roles:
            yield belief_key(owner, role.name, name, single_valued=role.single_valued)


def may_be_another(
    version: Version, name: str, role: str, held: Mapping[BeliefKey, Iterable[Version]], predicates: Predicates
) -> bool:
    """Return whether a belief about somebody of that *name* may be about another than who is told of now.

    There are two if one name has two roles that began apart. Then it is the same person only if the *role* given with
    the news is the one that the belief began with, or the only one that there was by then.
    """
    known = [one for key, versions in held.items() if key[1] in predicates.of_people for one in versions]
    began = {one.predicate: one.valid.start for one in known if normal(one.object) == normal(name)}
    if len(set(began.values())) < 2:  # of one role, or of several told at once
        return False
    start = version.valid.start
    mine = {one for one in began if began[one] == start} or {one for one in began if began[one] <= start}
    return len(mine) != 1 or role not in mine
