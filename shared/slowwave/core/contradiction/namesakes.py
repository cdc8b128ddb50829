"""Facts about several people with one name or role, and about things of one kind with different names, places or
devices.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from itertools import combinations

from slowwave.core.beliefs.identity import BeliefKey, ClaimOrVersion, belief_key, normal, text_of
from slowwave.core.beliefs.versions import Version
from slowwave.core.contradiction.belief_state import DATED, is_part
from slowwave.core.contradiction.nouns import is_one_of, possessions
from slowwave.core.contradiction.people import SERVING, is_anybodys, relative_in
from slowwave.core.contradiction.words import words_of
from slowwave.core.predicates import Predicates
from slowwave.core.predicates.sentences import base
from slowwave.domain.claim import Claim

WHICH = re.compile(
    r" (?P<how>(?P<at>in|on|at|near)|to|with|of|from|for|by) (?:the )?(?P<name>[A-Z][\w'-]+(?: [A-Z][\w'-]+)*)"
)
"""A phrase with a name that distinguishes things: the place, the company, the owner."""
_DEVICE = re.compile(
    r" on (?:my|our|the|that|their|his|her) "
    r"(?P<name>(?:[a-z]+ )?(?:laptop|desktop|phone|tablet|computer|pc|machine|tv|watch))\b"
)
"""A phrase that names the device on which something is used."""
_WHERE = re.compile(r" (?:on|in|at|for|with) (.+)", re.IGNORECASE)
_OF_ROLES = {"home": ("lives_in",), "job": ("works_at", "works_as")}
"""The first words of news about a person with a role, and the predicates that it ends for that person."""
_OWNING = re.compile(r"\b(?:own|run)s? an? ")
_KIND_OF = re.compile(r"\((\w+)\)")
_IS_ROLE = re.compile(rf" is (?:the|our|\S+'s) (?:[\w-]+ )*?(?:{'|'.join(SERVING)}|cleaner|walker|groomer|builder)\b")
_OF_MANY = ("friend", "colleague", "neighbour", "cousin", "uncle", "aunt", "nephew", "niece")
"""Roles that several people often have. For example, the only known friend may not be the friend whom the news
means."""


@lru_cache(maxsize=4_096)
def _names_in(text: str) -> dict[str, set[str]]:
    """Return the stems of the distinguishing names in *text*, by preposition; `at` stands for any place."""
    found: dict[str, set[str]] = {}
    for which in WHICH.finditer(text):
        if not DATED.match(which["name"]):
            found.setdefault("at" if which["at"] else which["how"], set()).update(words_of(which["name"]))
    for device in _DEVICE.finditer(f" {text}"):
        found.setdefault("device", set()).update(words_of(device["name"]))
    return found


def places_in(text: str) -> frozenset[str]:
    """Return the stems of the places named in *text*.

    >>> places_in("Ada's wife works at Bosch")
    frozenset({'bosch'})
    """
    return frozenset(_names_in(text).get("at", ()))


def are_apart(one: str, other: str) -> bool:
    """Return whether two texts name different places, companions or owners, so that they are about different things.

    >>> are_apart("a garage in Bow Street", "a garage on Mill Lane"), are_apart("a garage", "a garage on Mill Lane")
    (True, False)
    """
    mine, its = _names_in(one), _names_in(other)
    return any(not (mine[how] <= its[how] or its[how] <= mine[how]) for how in mine.keys() & its.keys())


def is_elsewhere(report: str, believed: str) -> bool:
    """Return whether *report* names a place or thing that *believed* does not name.

    >>> is_elsewhere("Xero for the business", "Sam uses Datev"), is_elsewhere("Brave at work", "uses Edge at work")
    (True, False)
    """
    where = _WHERE.search(report)
    there = words_of(where[1])[-1:] if where else ()
    return not set(there).issubset(words_of(believed)) or are_apart(report, believed)


def are_several(versions: Sequence[Version]) -> bool:
    """Return whether versions are about several things that names distinguish."""
    return any(are_apart(text_of(one), text_of(other)) for one, other in combinations(versions, 2))


def is_of_part(news: Claim, version: Version) -> bool:
    """Return whether *news* is about one of several things that a belief names or counts."""
    one = news.effect in ("end", "finish", "pass") and is_one_of(news.object, text_of(version))
    return one or is_part(words_of(news.object), version)


def predicate_and_verb(predicate: str) -> frozenset[str]:
    """Return a predicate, and the verb by which statements say the same.

    >>> sorted(predicate_and_verb("works_at"))
    ['work', 'works_at']
    """
    verb = predicate.partition("_")[0]
    return frozenset((predicate, base(verb))) if verb.endswith("s") else frozenset((predicate,))


def with_other_statements(
    meant: Sequence[Version], words: str, active: Mapping[BeliefKey, Iterable[Version]], predicates: Predicates
) -> list[Version]:
    """Return *meant*, followed by the statements with the same verb about other things; or an empty list.

    After `also works at a bookshop`, `quit` may end either job. The list is empty if there are no such statements, or
    if *words* name the thing that ended.
    """
    named_stems = set(words_of(words))
    typed = (version for version in meant if version.form == "typed" and version.single_valued)
    sentences = {
        normal(one.object): normal(predicates.sentence(one.subject, one.predicate, one.object))
        for one in typed
        if named_stems.isdisjoint(words_of(one.object))
    }
    heads = tuple({text.partition(object_)[0] for object_, text in sentences.items()} - {""})
    beside = [
        version
        for versions in (active.values() if heads else ())
        for version in versions
        if version.form == "statement" and version not in meant and version.tense == "current"
        and normal(text_of(version)).startswith(heads)
    ]  # fmt: skip
    return [*meant, *beside] if beside else []


def with_roles(claims: Sequence[Claim], predicates: Predicates) -> list[Claim]:
    """Return the *claims* of an episode, with the roles that other claims of the episode give to their people."""
    given = {
        normal(one.object): predicates.of(one.predicate).name
        for one in claims
        if one.mode == "assert" and one.form == "typed" and predicates.of(one.predicate).object == "person"
    }
    roles = ((claim, _role_in(claim, given)) for claim in claims) if given else ()
    return [replace(claim, role=role) if role else claim for claim, role in roles] or list(claims)


def _role_in(claim: Claim, given: Mapping[str, str]) -> str:
    """Return the role of a claim's subject, by the roles that are *given* by name, or an empty text.

    For news, return the role of the first named person who has a role.
    """
    mine = given.get(normal(claim.subject), "")
    return mine or next((role for name, role in given.items() if claim.effect and _names(claim, name)), "")


def _names(news: Claim, name: str) -> bool:
    return set(normal(name).split()) <= set(normal(news.object).split())


def role_keys(beliefs: Sequence[ClaimOrVersion], predicates: Predicates) -> Iterator[BeliefKey]:
    """Yield the keys of beliefs that may give a name in *beliefs* a role, and of beliefs that news by role may end."""
    ended = {one for claim in beliefs for one in _ended_of_role(claim)}
    roles = [one for one in predicates.registered if one.object == "person" and not one.open]
    given = [one for one in beliefs if one.form == "typed" and predicates.of(one.predicate).object == "person"]
    named = {normal(one.subject) for one in beliefs}
    for owner, name in {(one.subject, one.object) for one in given if normal(one.object) in named}:
        for role in roles:
            yield belief_key(owner, role.name, name, single_valued=role.single_valued)
    for name, predicate in {(one.object, predicate) for one in given for predicate in ended}:
        yield belief_key(name, predicate, "", single_valued=True)


def names_in(claim: Claim, version: Version, predicates: Predicates) -> set[str]:
    """Return the names of the people in a claim and a belief.

    For news about a role (`my sister moved`), the name of the person with this role is included.
    """
    names = {version.subject, claim.subject}
    has_role = claim.effect and claim.role and version.predicate in predicates.of_people
    return {*names, version.object} if has_role and _names(claim, version.object) else names


def of_kind(news: Claim, meant: list[Version], predicates: Predicates) -> list[Version]:
    """Return the pets in *meant* of the kind in *news* (`my dog Ben`), or all of *meant* if there are none."""
    news_stems = set(words_of(news.object))
    pets = [version for version in meant if predicates.of(version.predicate).object == "animal"]
    return [pet for pet in pets if not news_stems.isdisjoint(words_of("".join(_KIND_OF.findall(pet.object))))] or meant


def pet_and_person(
    news: Claim, ended: Iterable[Version], active: Mapping[BeliefKey, Iterable[Version]], predicates: Predicates
) -> list[Version]:
    """Return the beliefs in which the name in *news* belongs to a pet or to a person.

    The result is empty if there is no such pet or no such person, or if *news* names the kind of the pet.
    """
    pets = [version for version in ended if predicates.of(version.predicate).object == "animal"]
    kinds = set(_KIND_OF.findall(" ".join(pet.object for pet in pets)))
    name = normal(" ".join(word for word in news.object.split() if word[:1].isupper()) or news.object)
    if not pets or not kinds.isdisjoint(words_of(news.object)):
        return []
    known = [one for versions in active.values() for one in versions if one.valid.covers(news.valid_from)]
    people = [one for one in known if _is_person(one, name, kinds, predicates)]
    return list({version.fact: version for version in (*ended, *people)}.values()) if people else []


def _is_person(belief: Version, name: str, kinds: Set[str], predicates: Predicates) -> bool:
    """Return whether *belief* shows that *name* is a person, by a role, a job, or a task with an animal of *kinds*.

    `Sam's dog walker is Ben` and `Ben walks Sam's dog` are about a person; `Ben sleeps in the kitchen` may be the dog.
    """
    if belief.form == "typed":
        of_subject = predicates.of(belief.predicate).subject == "person" and normal(belief.subject) == name
        return of_subject or (belief.predicate in predicates.of_people and normal(belief.object) == name)
    text = normal(belief.text)
    if belief.predicate.endswith(": name"):
        return text.endswith(f" {name}")
    stems = words_of(text.removeprefix(f"{name} "))
    role = _IS_ROLE.match(text.removeprefix(name)) if text.startswith(name) else None
    return text.startswith(f"{name} ") and (bool(role) or not kinds.isdisjoint(stems))


def owned_by_another(
    news: Claim, ended: Iterable[Version], active: Mapping[BeliefKey, Iterable[Version]], predicates: Predicates
) -> list[Version]:
    """Return the beliefs in *ended* which say that a relative owns a thing, if *news* names the thing without an owner.

    Otherwise, the result is empty. For example, `they closed the bakery` need not mean the bakery of the parents.
    """
    named = news.object.casefold() != news.object or possessions(news.object) or relative_in(news.object, predicates)
    owned = [] if named or not is_anybodys(news) else [one for one in ended if _OWNING.search(one.text)]
    known = {normal(one.object) for key in active if owned and key[1] in predicates.of_people for one in active[key]}
    return [one for one in owned if relative_in(one.text, predicates) or normal(one.text).split(" ")[0] in known]


def may_be_another(
    version: Version, name: str, claim: Claim, active: Mapping[BeliefKey, Iterable[Version]], predicates: Predicates
) -> bool:
    """Return whether a belief about a person called *name* may be about another person than *claim*.

    If two roles of a name first began at different times, there are two people with this name. Then the belief is about
    the claim's person only if one role is known for the time when the belief began, and *claim* has this role. A role
    may have begun several times; the order of *active* does not matter.
    """
    began: dict[str, set[datetime]] = {}
    for one in (one for key, versions in active.items() if key[1] in predicates.of_people for one in versions):
        if normal(one.object) == normal(name):
            began.setdefault(one.predicate, set()).add(one.valid.start)
    if began and claim.role:
        began.setdefault(claim.role, {claim.valid_from})
    if len({min(starts) for starts in began.values()}) < 2:  # one role, or several roles that were told at once
        return False
    start = version.valid.start
    mine = {role for role, starts in began.items() if start in starts}
    mine = mine or {role for role, starts in began.items() if min(starts) <= start}
    return len(mine) != 1 or claim.role not in mine


def of_bearers(news: Claim, lasting: Iterable[Version], predicates: Predicates) -> list[Version]:
    """Return the beliefs about named people that *news* about a role may end: `my sister moved`, if Ada is the sister.

    If there may be several sisters, the news may mean any of them. Then the result is empty unless at least two of them
    have such a belief.
    """
    about, (owner, _, role) = _ended_of_role(news), news.subject.rpartition("'s ")
    current = list(lasting) if about else []
    mine = [version for version in current if normal(version.subject) == normal(owner)]
    role = predicates.of(role).name
    names = {normal(version.object) for version in mine if version.predicate == role}
    found = [version for version in current if version.predicate in about and normal(version.subject) in names]
    more = len(names) > 1 or role in _OF_MANY or any(is_one_of(role, text_of(version)) for version in mine)
    return [] if more and len({normal(version.subject) for version in found}) < 2 else found


def ends_role(news: ClaimOrVersion) -> bool:
    """Return whether *news* may end beliefs about a person whom it names by role."""
    return bool(_ended_of_role(news))


def _ended_of_role(news: ClaimOrVersion) -> tuple[str, ...]:
    """Return the predicates whose facts *news* ends, if it is news about a person by role (`my sister moved`); else
    nothing.
    """
    is_news = isinstance(news, Claim) and news.effect in ("end", "replace") and "'s " in news.subject
    return _OF_ROLES.get(news.object.partition(" ")[0], ()) if is_news else ()
