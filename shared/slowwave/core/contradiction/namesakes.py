"""Namesakes: two people of one name, told apart by their roles. What is said of one is not news of the other."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from slowwave.core.beliefs.identity import BeliefKey, ClaimOrVersion, belief_key, normal
from slowwave.core.beliefs.versions import Version
from slowwave.core.predicates import Predicates
from slowwave.domain.claim import Claim


def with_roles(claims: Sequence[Claim], predicates: Predicates) -> list[Claim]:
    """Return the claims of an episode, each with the role that another one gives its subject, or who is in its news."""
    given = {
        normal(one.object): predicates.of(one.predicate).name
        for one in claims
        if one.mode == "assert" and one.form == "typed" and predicates.of(one.predicate).object == "person"
    }
    roles = ((claim, _role_in(claim, given)) for claim in claims) if given else ()
    return [replace(claim, role=role) if role else claim for claim, role in roles] or list(claims)


def _role_in(claim: Claim, given: Mapping[str, str]) -> str:
    """Return the role *given* to a claim's subject; for news, to the first one of its words."""
    mine = given.get(normal(claim.subject), "")
    return mine or next((role for name, role in given.items() if claim.effect and _names(claim, name)), "")


def _names(news: Claim, name: str) -> bool:
    return set(normal(name).split()) <= set(normal(news.object).split())


def role_keys(told: Sequence[ClaimOrVersion], predicates: Predicates) -> Iterator[BeliefKey]:
    """Give the keys of the beliefs by which who is named in *told* may be somebody to whom it gives a role."""
    roles = [one for one in predicates.registered if one.object == "person" and not one.open]
    given = [one for one in told if one.form == "typed" and predicates.of(one.predicate).object == "person"]
    named = {normal(one.subject) for one in told}
    for owner, name in {(one.subject, one.object) for one in given if normal(one.object) in named}:
        for role in roles:
            yield belief_key(owner, role.name, name, single_valued=role.single_valued)


def names_in(claim: Claim, version: Version, predicates: Predicates) -> set[str]:
    """Return the names of those whom a claim and a belief are about: of news of somebody with a role, theirs too."""
    names = {version.subject, claim.subject}
    has_role = claim.effect and claim.role and version.predicate in predicates.of_people
    return {*names, version.object} if has_role and _names(claim, version.object) else names


def may_be_another(
    version: Version, name: str, claim: Claim, held: Mapping[BeliefKey, Iterable[Version]], predicates: Predicates
) -> bool:
    """Return whether a belief about somebody of that *name* may be about another than *claim* tells of.

    There are two if one name has two roles that began apart. Then it is the same person only if the role given with
    the claim is the one that the belief began with, or the only one that there was by then.
    """
    known = [one for key, versions in held.items() if key[1] in predicates.of_people for one in versions]
    began = {one.predicate: one.valid.start for one in known if normal(one.object) == normal(name)}
    if began and claim.role:
        began.setdefault(claim.role, claim.valid_from)
    if len(set(began.values())) < 2:  # of one role, or of several told at once
        return False
    start = version.valid.start
    mine = {one for one in began if began[one] == start} or {one for one in began if began[one] <= start}
    return len(mine) != 1 or claim.role not in mine
