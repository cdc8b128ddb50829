"""The ends of a fact as an edge: who it is about, and the entity that it names, if its object is one."""

import re
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from slowwave.core.beliefs.identity import Related, normal
from slowwave.core.predicates import Predicates
from slowwave.domain.fact import SUMMARY

VALUE = "value"
"""Of a predicate whose object is no entity but a property of the subject: an age, an address, a sentence."""
ALIAS = "alias"
"""Of a predicate whose object is another name of the subject."""

LONGEST_NAME = 60
"""Characters of what is taken for a name where no registry says what the object is."""
MOST_WORDS = 5
LONGEST_ENTITY = 200
"""Characters of an entity that the registry says is one: what is longer tells a story, and names nothing."""

_SENTENCE = re.compile(r"[.!?;:]\s|[\n,;]|^\W*\d")


@dataclass(frozen=True, slots=True)
class Ends:
    """The names at both ends of an edge. *target* is None where the object is a property; *kind* is what it is."""

    source: str
    target: str | None = None
    kind: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The names, the source's first."""
        return (self.source,) if self.target is None else (self.source, self.target)


@lru_cache(maxsize=4096)
def entity_id(scope: uuid.UUID, name: str) -> uuid.UUID:
    """Return the id of who or what is called *name* in *scope*, however it is written."""
    return uuid.uuid5(scope, f"entity/{normal(name)}")


def ends(told: Related, predicates: Predicates) -> Ends | None:
    """Return the ends of *told* as the registry of *predicates* sees them, or None for what is about nobody.

    Where the registry does not say what an object is, one that reads as a name is an entity. A statement names nothing
    but its subject, for the rest of it is a phrase.
    """
    if told.predicate == SUMMARY:
        return None
    if told.form == "statement":
        return Ends(told.subject)
    return _typed(told.subject, told.object, predicates.of(told.predicate).object)


@lru_cache(maxsize=4096)
def _typed(subject: str, object_: str, kind: str | None) -> Ends:
    names = reads_as_name(object_) if kind is None else len(object_) <= LONGEST_ENTITY
    if kind == VALUE or not names or normal(object_) == normal(subject):
        return Ends(subject, kind=VALUE)
    return Ends(subject, object_, kind)


def names_of(told: Iterable[Related], predicates: Predicates) -> list[str]:
    """Return the names at the ends of *told*, each once, however it is written."""
    found = (ends(one, predicates) for one in told)
    return list({normal(name): name for one in found if one is not None for name in one.names}.values())


def reads_as_name(text: str) -> bool:
    """Return whether *text* is short and begins like a name, rather than a number, a list or a sentence.

    >>> [reads_as_name(text) for text in ("Ada Lovelace", "32 years", "go there, then home")]
    [True, False, False]
    """
    return len(text) <= LONGEST_NAME and len(text.split()) <= MOST_WORDS and not _SENTENCE.search(text)
