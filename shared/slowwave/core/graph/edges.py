"""Facts as edges of the graph, and names that mean one entity."""

import re
import uuid
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from slowwave.core.beliefs.identity import ClaimOrVersion, normal
from slowwave.core.predicates import Predicates
from slowwave.core.predicates.english import singles
from slowwave.core.predicates.sentences import USER
from slowwave.domain.fact import SUMMARY

_BEFORE = re.compile(r"^(?:an?|the|my|our|his|her|their) ")
_STROKES = re.compile(r"[\W_]+")
Pair = tuple[uuid.UUID, uuid.UUID]
"""A name, and another name of the same entity."""
VALUE = "value"
"""The object kind of predicates whose object is a property (an age, an address, a sentence), and not an entity."""
ALIAS = "alias"
"""The object kind of predicates whose object is another name of the subject."""
LONGEST_NAME = 60
"""The longest object, in characters, that counts as a name if the registry gives no object kind."""
MOST_WORDS = 5
LONGEST_ENTITY = 200
"""The longest object, in characters, that an entity predicate may have. A longer text is a story, and not a name."""
_SENTENCE = re.compile(r"[.!?;:]\s|[\n,;]|^\W*\d")
NEVER = "{}"
"""The empty multirange, which is *valid* of an edge that is no longer believed."""


def spelled(name: str) -> str:
    """Return *name* in lower case and in the singular, without articles, hyphens and possessors.

    Two spellings agree if this form is the same.

    >>> spelled("the Oslo offices") == spelled("Oslo-Office")
    True
    """
    plain = " ".join(_STROKES.sub(" ", normal(name)).split())
    return singles(_BEFORE.sub("", plain))


def roots(pairs: Iterable[Pair], first: uuid.UUID | None = None) -> Mapping[uuid.UUID, uuid.UUID]:
    """Return the representative of each name in *pairs*. All names of one entity have the same representative.

    A pair has a name of an entity and another name of the same entity. The representative is *first* (the user), if it
    is among the names. Otherwise, it is the smallest id among the names that are never second in a pair, or else the
    smallest id. The order of the pairs does not matter.

    >>> nora, user, ada = (uuid.UUID(int=number) for number in range(3))
    >>> roots([(user, nora), (nora, ada)], first=user) == dict.fromkeys([nora, user, ada], user)
    True
    """
    known = list(pairs)
    others = {other for _, other in known}
    entities = {name: {name} for pair in known for name in pair}
    for pair in known:
        fewer, more = sorted((entities[name] for name in pair), key=len)
        if fewer is not more:
            more |= fewer
            entities |= dict.fromkeys(fewer, more)
    distinct = {id(names): names for names in entities.values()}.values()
    chosen = [(names, min(names, key=lambda one: (one != first, one in others, one))) for names in distinct]
    return {name: root for names, root in chosen for name in names}


@dataclass(frozen=True, slots=True)
class Ends:
    """The names at both ends of an edge.

    *target* is None if the object is a property. *kind* is the kind of the object.
    """

    source: str
    target: str | None = None
    kind: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The names at both ends. The first name is the source."""
        return (self.source,) if self.target is None else (self.source, self.target)


@lru_cache(maxsize=4096)
def entity_id(scope: uuid.UUID, name: str) -> uuid.UUID:
    """Return the id of the entity called *name* in *scope*. It is the same for all spellings."""
    return uuid.uuid5(scope, f"entity/{normal(name)}")


def ends(belief: ClaimOrVersion, predicates: Predicates) -> Ends | None:
    """Return the ends of *belief* by the registry of *predicates*, or None if *belief* has no subject.

    If the registry gives no object kind, an object that reads as a name is an entity. A statement names only its
    subject, because the other words of a statement are a phrase.
    """
    if belief.predicate == SUMMARY:
        return None
    if belief.form == "statement":
        return Ends(belief.subject)
    return _typed(belief.subject, belief.object, predicates.of(belief.predicate).object)


@lru_cache(maxsize=4096)
def _typed(subject: str, object_: str, kind: str | None) -> Ends:
    names = reads_as_name(object_) if kind is None else len(object_) <= LONGEST_ENTITY
    if kind == VALUE or not names or normal(object_) == normal(subject):
        return Ends(subject, kind=VALUE)
    return Ends(subject, object_, kind)


def names_of(beliefs: Iterable[ClaimOrVersion], predicates: Predicates) -> list[str]:
    """Return the names at the ends of *beliefs*. Of several spellings of a name, only one is returned."""
    found = (ends(one, predicates) for one in beliefs)
    return list({normal(name): name for one in found if one is not None for name in one.names}.values())


def reads_as_name(text: str) -> bool:
    """Return whether *text* is short and looks like a name, and not like a number, a list or a sentence.

    >>> [reads_as_name(text) for text in ("Ada Lovelace", "32 years", "go there, then home")]
    [True, False, False]
    """
    return len(text) <= LONGEST_NAME and len(text.split()) <= MOST_WORDS and not _SENTENCE.search(text)


@dataclass(frozen=True, slots=True)
class Edge:
    """A fact as an edge. *valid* is the time for which the fact is believed to be true, as a Postgres multirange."""

    fact: uuid.UUID
    source: uuid.UUID
    relation: str
    target: uuid.UUID | None
    kind: str | None
    valid: str
    weight: int

    @property
    def active(self) -> bool:
        """True if the fact is believed to be true at any time."""
        return self.valid != NEVER


def frequencies(edges: Iterable[Edge]) -> Mapping[uuid.UUID, int]:
    """Return the frequency of each entity, which is the total weight of the believed facts that name it."""
    found: Counter[uuid.UUID] = Counter()
    for edge in edges:
        for end in (edge.source, edge.target) if edge.active else ():
            if end is not None:
                found[end] += edge.weight
    return found


def classes(scope: uuid.UUID, edges: Iterable[Edge], near: Iterable[Pair]) -> Mapping[uuid.UUID, uuid.UUID]:
    """Return the representative of each name in *scope*. Names that are their own representative are left out.

    Two names mean the same entity if an alias among *edges* says so, or if *near* has them as a pair with near vectors.
    """
    aliases = [(edge.source, edge.target) for edge in edges if edge.active and edge.kind == ALIAS and edge.target]
    found = roots([*aliases, *near], first=entity_id(scope, USER))
    return {name: root for name, root in found.items() if name != root}
