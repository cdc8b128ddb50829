"""The registry of predicates: their names, their relations, and whether each holds one value or many."""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from slowwave.core.predicates.sentences import filled, negative, plain_template, subject_of
from slowwave.domain.claim import Claim

Policy = Literal["prefer_new", "prefer_old", "prefer_surer", "flag_review"]
"""The choice between two incompatible claims: the newer claim, the older claim, the more certain claim, or a person's
decision."""


@dataclass(frozen=True, slots=True)
class Holding:
    """A declaration by a pack or registry (*declared_by*) that a predicate holds one value or many."""

    single_valued: bool
    declared_by: str


@dataclass(frozen=True, slots=True)
class Recast:
    """A predicate that changes from many values to one (*single_valued*), or from one to many, and who declares it."""

    predicate: str
    single_valued: bool
    wanted_by: str


def recasts(
    before: Mapping[str, Holding], now: Mapping[str, Holding], names: Iterable[str], places: Collection[str]
) -> list[Recast]:
    """Return the predicates in *names* whose number of values (one or many) is not the same *now* as *before*.

    Both mappings have one entry per name; a name that ends in `*` stands for all names with this prefix. A predicate
    without an entry holds many values. *wanted_by* is the place that declares the predicate now, else the place that
    declared it before. A place that is not in *places* was removed; its declarations stay in force.

    >>> recasts({"pet": Holding(False, "home")}, {"pet": Holding(True, "home")}, ["pet"], ["home"])
    [Recast(predicate='pet', single_valued=True, wanted_by='home')]
    >>> recasts({"pet": Holding(True, "gone")}, {}, ["pet"], ["home"])
    []
    """
    found = []
    for name in names:
        was, is_ = _of(before, name), _of(now, name)
        wanted_by = is_.declared_by if is_ else was.declared_by if was else None
        single = is_ is not None and is_.single_valued
        if wanted_by in places and wanted_by is not None and single != (was is not None and was.single_valued):
            found.append(Recast(name, single, wanted_by))
    return found


def _of(holdings: Mapping[str, Holding], name: str) -> Holding | None:
    if name in holdings:
        return holdings[name]
    begun = [one for one in holdings if one.endswith("*") and name.startswith(one[:-1])]
    return holdings[max(begun, key=len)] if begun else None


@dataclass(frozen=True, slots=True)
class Predicate:
    """A predicate and its properties. By default, it holds many values and contradicts no other predicate.

    A *name* that ends in `*` stands for all names with this prefix. The predicate is incompatible with its *opposites*
    for the same object. A new belief with this predicate ends beliefs with the predicates in *ends*. With *lasts*,
    beliefs are permanent. With *ahead*, beliefs are wishes, plans or due dates. An object may also be called by one of
    its *kinds*; for example, a thing that somebody drives is a car. Questions also use the words of *asked*: "whom does
    she report to" asks for her boss.

    *says* and *denied* are sentence templates; see `sentence`. *object* is the kind of the object: `person` or another
    kind of entity, `value` for an object that is no entity, or `alias` for another name of the subject. *subject* is
    the kind of the subject. None means unknown.
    """

    name: str
    aliases: tuple[str, ...] = ()
    single_valued: bool = False
    opposites: tuple[str, ...] = ()
    ends: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    lasts: bool = False
    ahead: bool = False
    policy: Policy = "prefer_surer"
    says: str | None = None
    denied: str | None = None
    object: str | None = None
    subject: str | None = None

    @property
    def open(self) -> bool:
        """True for a predicate whose name ends in `*`, and stands for all names with this prefix."""
        return self.name.endswith("*")


class Predicates:
    """The registered predicates. An unregistered predicate holds many values and contradicts no other predicate."""

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
        """Words for people's roles. Each word has the set of all its synonyms, such as `gp` and `doctor`."""
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
        """Return whether *name* is registered, as a whole or by a prefix."""
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
        """Return *claims*, followed by claims about all other beliefs that they may change by *opposites* or *ends*."""
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
        statement = filled(says, subject=subject_of(subject, called, object), object=object, rest=self.rest(predicate))
        return f"{statement} {when}" if when else statement


PLAIN = Predicates()
"""An empty registry."""
