"""The identity of a belief: the key that equal beliefs share, and the normalised sentence of a statement."""

import re
from functools import lru_cache
from typing import Any, Protocol

from slowwave.core.predicates.english import IRREGULAR, singles
from slowwave.domain.claim import Claim, Form
from slowwave.domain.fact import in_words

_PAST = {forms[-1]: forms[1] for forms in IRREGULAR} | {"got": "got"}
"""A map from participles to the past forms of their verbs."""
_GOING_ON = re.compile(r"\b(has|have|had) been (?=\w+ing\b)")
_DONE = re.compile(rf"\b(?:has|have|had) (\w+ed|{'|'.join(_PAST)})\b(?!.*\b(?:for|since)\b)")
_TO_COME = re.compile(r"\b(?:is|are) (?:going to|gonna) (?=[a-z])")
_ARTICLE = re.compile(r"(?:^(?:An?|The)|(?<![\w'’-])(?:an?|the)) (?!few\b|little\b)")
TOGETHER = " (ours)"
"""The suffix of a rule's name in a claim that somebody made about `us`, or about a thing that is `ours`."""
_STATEMENT_PREFIX = "said:"
"""The prefix of a statement's predicate, which no registered predicate has."""
BeliefKey = tuple[str, str, str | None]
"""The key of a belief: normalised subject, predicate and object. The key for a single-valued predicate has no
object."""


@lru_cache(maxsize=4096)
def normalised_statement(text: str) -> str:
    """Return a statement's *text* without articles, plurals, and differences between forms of the past tense.

    >>> normalised_statement("The user has bought the red bikes") == normalised_statement("The user bought a red bike")
    True
    >>> normalised_statement("Ann has lived in Oslo for years") == normalised_statement("Ann lived in Oslo for years")
    False
    """
    text = " ".join(text.split()).rstrip(".!")
    text = _GOING_ON.sub(lambda found: "was " if found[1] == "had" else "is ", text)
    text = _TO_COME.sub("will ", text)
    text = _DONE.sub(lambda found: _PAST.get(found[1], found[1]), text)
    return singles(_ARTICLE.sub("", text))


class ClaimOrVersion(Protocol):
    """A claim, or a version of a fact."""

    @property
    def subject(self) -> str:
        """The entity that the belief is about."""

    @property
    def predicate(self) -> str:
        """The registered predicate, or the verb of a statement."""

    @property
    def object(self) -> str:
        """The object, if there is a single one."""

    @property
    def form(self) -> Form:
        """The form of the belief."""

    @property
    def text(self) -> str:
        """The whole sentence, or an empty text."""


FACT_FIELDS = ("subject", "predicate", "object", "single_valued", "form", "text", "tense")


def fact_fields(belief: ClaimOrVersion) -> dict[str, Any]:
    """Return by name the fields of a fact that claims, versions and payloads have in common."""
    return {name: getattr(belief, name) for name in FACT_FIELDS}


def identity(belief: ClaimOrVersion) -> tuple[str, str, str]:
    """Return the subject, predicate and object by which a belief is compared. For a statement, the object is the
    normalised sentence.
    """
    if belief.form == "typed":
        return belief.subject, belief.predicate, belief.object
    return belief.subject, *identity_of_statement(belief.predicate, belief.text)


def identity_of_statement(predicate: str, text: str) -> tuple[str, str]:
    """Return the predicate and object by which a statement is compared. *predicate* is the statement's verb, and *text*
    its sentence.
    """
    return _STATEMENT_PREFIX + predicate, normalised_statement(text)


def compared_words(belief: ClaimOrVersion) -> str:
    """Return the words by which beliefs with the same key are compared: such beliefs are the same if these words are
    equal.
    """
    return normal(identity(belief)[2])


@lru_cache(maxsize=4096)
def normal(text: str) -> str:
    """Return *text* in the form in which beliefs are compared, with folded case and collapsed white space."""
    return " ".join(text.casefold().split())


def belief_key(subject: str, predicate: str, object: str, *, single_valued: bool) -> BeliefKey:
    """Return the key that competing beliefs share. With *single_valued*, the key has no object, because only one value
    is believed at a time.
    """
    return normal(subject), predicate, None if single_valued else normal(object)


def key_of(claim: Claim) -> BeliefKey:
    """Return the key of the belief that *claim* is about."""
    return belief_key(*identity(claim), single_valued=claim.single_valued)


def text_of(belief: ClaimOrVersion) -> str:
    """Return a belief in words: its own text, or else its subject, predicate and object."""
    return belief.text or in_words(belief.subject, belief.predicate, belief.object)


def means(belief: ClaimOrVersion, object_: str) -> bool:
    """Return whether the words *object_* refer to this belief. Empty words refer to any belief.

    A typed object must be equal to the words, and a statement must contain the words.
    """
    if belief.form == "typed":
        return not object_ or normal(object_) == normal(belief.object)
    return set(normal(object_).split()) <= set(normal(belief.text).split())
