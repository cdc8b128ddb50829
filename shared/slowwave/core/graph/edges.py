"""A fact as an edge of the graph: its subject, and the entity that is its object, if any."""

import re
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from slowwave.core.beliefs.identity import Related, normal
from slowwave.core.predicates import Predicates
from slowwave.domain.fact import SUMMARY

VALUE = "value"
"""The object kind of predicates whose object is a property, not an entity: an age, an address, a sentence."""
ALIAS = "alias"
"""The object kind of predicates whose object is another name of the subject."""

LONGEST_NAME = 60
"""The longest object, in characters, that counts as a name if the registry does not say what it is."""
MOST_WORDS = 5
LONGEST_ENTITY = 200
"""The longest object, in characters, of an entity predicate: longer text is a story, not a name."""

_SENTENCE = re.compile(r"[.!?;:]\s|[\n,;]|^\W*\d")


@dataclass(frozen=True, slots=True)
class Ends:
    """The names at both ends of an edge.

    *target* is None if the object is a property; *kind* is the kind of the object.
    """

    source: str
    target: str | None = None
    kind: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The names, the source's first."""
        return (self.source,) if self.target is None else (self.source, self.target)


@lru_cache(maxsize=4096)
def entity_id(scope: uuid.UUID, name: str) -> uuid.UUID:
    """Return the id of the entity called *name* in *scope*, in any spelling."""
    return uuid.uuid5(scope, f"entity/{normal(name)}")


def ends(belief: Related, predicates: Predicates) -> Ends | None:
    """Return the ends of *belief* by the registry of *predicates*, or None if it has no subject.

    If the registry does not say what an object is, one that reads as a name is an entity. A statement names only its
    subject, as the rest of it is a phrase.
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


def names_of(beliefs: Iterable[Related], predicates: Predicates) -> list[str]:
    """Return the names at the ends of *beliefs*, each once in any spelling."""
    found = (ends(one, predicates) for one in beliefs)
    return list({normal(name): name for one in found if one is not None for name in one.names}.values())


def reads_as_name(text: str) -> bool:
    """Return whether *text* is short and begins like a name, not like a number, a list or a sentence.

    >>> [reads_as_name(text) for text in ("Ada Lovelace", "32 years", "go there, then home")]
    [True, False, False]
    """
    return len(text) <= LONGEST_NAME and len(text.split()) <= MOST_WORDS and not _SENTENCE.search(text)
