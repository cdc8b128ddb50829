"""The registry of predicates: canonical names and properties; it normalises claims and makes sentences."""

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property

from slowwave.core.predicates.predicate import Predicate
from slowwave.core.predicates.sentences import filled, negative, plain_template, subject_of
from slowwave.domain.claim import Claim


class Predicates:
    """The registered predicates. An unregistered one holds many values and contradicts nothing."""

    def __init__(self, registered: Iterable[Predicate] = ()) -> None:
        self.registered = tuple(sorted(registered, key=lambda one: one.name))
        self._named = {name: one for one in self.registered for name in (one.name, *one.aliases) if not one.open}
        self._open = sorted((one for one in self.registered if one.open), key=lambda one: -len(one.name))

    def of(self, name: str) -> Predicate:
        """Return the predicate with this *name* or alias.

        >>> Predicates([Predicate("lives_in", aliases=("resides_in",))]).of("resides_in").name
        'lives_in'
        >>> Predicates([Predicate("favourite_*", single_valued=True)]).of("favourite_tea").name
        'favourite_*'
        """
        known = self._named.get(name)
        return known or next((one for one in self._open if name.startswith(one.name[:-1])), Predicate(name))

    @cached_property
    def roles(self) -> dict[str, frozenset[str]]:
        """Words for people's roles, each with all its synonyms: `gp` and `doctor`."""
        people = (one for one in self.registered if one.object == "person" and not one.open)
        named = [frozenset(name for name in (one.name, *one.aliases) if "_" not in name) for one in people]
        return {name: names for names in named for name in names}

    def roles_in(self, text: str) -> frozenset[str]:
        """Return all names of the roles that *text* names: `doctor` and `gp` for "Who is my GP?"."""
        return frozenset[str]().union(*(self.roles.get(word, ()) for word in re.findall(r"\w+", text.lower())))

    @cached_property
    def of_people(self) -> frozenset[str]:
        """The names of predicates whose object is a person, such as `brother`."""
        return frozenset(one.name for one in self.registered if one.object == "person")

    def knows(self, name: str) -> bool:
        """Return whether *name* is registered, itself or by a prefix."""
        return name in self._named or any(name.startswith(one.name[:-1]) for one in self._open)

    def canonical(self, claim: Claim) -> Claim:
        """Return *claim* under the predicate's canonical name, with its number of values."""
        if claim.predicate == "*" or claim.form == "statement":
            return claim
        known = self.of(claim.predicate)
        name = claim.predicate if known.open else known.name
        if (name, known.single_valued) == (claim.predicate, claim.single_valued):
            return claim
        return replace(claim, predicate=name, single_valued=known.single_valued)

    def reach(self, claims: Iterable[Claim]) -> list[Claim]:
        """Return *claims*, followed by claims about all other beliefs that they may change: opposites, and those they
        end.
        """
        found = list(claims)
        for claim in tuple(found):
            known = self.of(claim.predicate) if claim.form == "typed" else PLAIN.of(claim.predicate)
            found += [replace(claim, predicate=name) for name in known.opposites]
            found += [
                replace(claim, predicate=name, mode="end", single_valued=self.of(name).single_valued)
                for name in known.ends
            ]
        return found

    def rest(self, name: str) -> str:
        """Return in words the part of *name* that the `*` of its predicate stands for, else an empty text.

        >>> Predicates([Predicate("favourite_*")]).rest("favourite_ice_cream")
        'ice cream'
        """
        known = self.of(name)
        return name[len(known.name) - 1 :].replace("_", " ") if known.open else ""

    def sentence(
        self,
        subject: str,
        predicate: str,
        object: str,
        *,
        negated: bool = False,
        when: str | None = None,
        called: str | None = None,
    ) -> str:
        """Return a belief as a whole sentence in the third person, followed by *when* it holds.

        The user appears by the name *called*, else as "the user". Objects stay in their original language.

        >>> likes = Predicates([Predicate("likes")])
        >>> likes.sentence("user", "likes", "my garden", when="since March 2021")
        'The user likes their garden since March 2021'
        >>> likes.sentence("user's sister", "likes", "tea", negated=True, called="Nora")
        "Nora's sister does not like tea"
        """
        known = self.of(predicate)
        says = known.says or plain_template(predicate)
        if negated:
            says = known.denied or negative(says)
        said = filled(says, subject=subject_of(subject, called, object), object=object, rest=self.rest(predicate))
        return f"{said} {when}" if when else said


PLAIN = Predicates()
"""An empty registry."""
