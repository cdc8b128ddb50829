"""Namesakes: two people of one name, told apart by their roles. What is said of one is not news of the other."""

from collections.abc import Iterable, Mapping

from slowwave.core.beliefs.identity import BeliefKey, normal
from slowwave.core.beliefs.versions import Version
from slowwave.core.predicates import Predicates
from slowwave.domain.claim import Claim


def is_role(claim: Claim, predicates: Predicates) -> bool:
    """Return whether *claim* says who somebody is to another: `Carl is Sam's brother`."""
    return claim.mode == "assert" and claim.form == "typed" and predicates.of(claim.predicate).object == "person"


def may_be_another(
    version: Version, name: str, told: Claim | None, held: Mapping[BeliefKey, Iterable[Version]],
    predicates: Predicates,
) -> bool:  # fmt: skip
    """Return whether a belief about somebody of that *name* may be about another than what is said now.

    There are two if one name has two roles that were told apart. Then it is the same person only if *told*, the role
    given with the news, is the one given with the belief.
    """
    known = (one for versions in held.values() for one in versions if one.form == "typed")
    bearing = [
        one for one in known if normal(one.object) == normal(name) and predicates.of(one.predicate).object == "person"
    ]
    roles = {one.predicate: one.position for one in sorted(bearing, key=lambda one: -one.position)}
    if len(set(roles.values())) < 2:  # of one role, or of several told at once
        return False
    mine = {role for role, position in roles.items() if position <= version.position}
    first = max(mine, key=lambda role: roles[role], default="")
    return told is None or normal(told.object) != normal(name) or told.predicate != first
