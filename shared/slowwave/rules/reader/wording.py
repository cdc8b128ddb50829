"""Claims in words: the registry's sentence about a thing that has a name, else the reader's own."""

import re
from dataclasses import dataclass

from slowwave.core.predicates import Predicates
from slowwave.core.predicates.sentences import filled, subject_of
from slowwave.rules.reader.times import When
from slowwave.rules.reader.words import Said, content

SHORT = 2
"""Words of an object that is but a thing: the registry knows its article."""

_OWN = re.compile(r"\{subject\} ([\w ]+) \{(?:an_|to_do_|place_)?object\}")
_VERB = re.compile(r"\w*[^\Ws]s(?: (?:at|for|in|on))?|\w+ed")
_NO_VERB = re.compile(r"(?:\w*[aeiouy]\w*ing|\w+ly|an?|the|her|his|their|every)\b")
_TOLD_OF = re.compile(r", | (?=(?:(?:with|of|to) )?wh(?:o|om|ose|ich)\b)")
_PLAIN = str.maketrans("_", " ", "{}")


@dataclass(frozen=True, slots=True)
class Wording:
    """Words claims of a talk by the *predicates* there are; the user is *called* so."""

    predicates: Predicates
    called: str | None

    def text(self, subject: str, predicate: str, verb: str, object_: str, when: When) -> str:
        """Return the sentence of a claim: *predicate* is as it is registered, *verb* as the reader put it."""
        verb = " ".join(verb.translate(_PLAIN).split())
        words = when.words if Said([object_]).share(content(when.words)) < 1 else ""
        says = self.predicates.of(predicate).says
        if not says or _is_own(says, verb, object_) or self._is_another(predicate, verb):
            says = f"{{subject}} {verb} {{object}}"
        elif says == "{subject} {does_object}" and _NO_VERB.match(object_):
            says = "{subject} is in the habit of {object}"
        thing, more = self.parted(predicate, object_)
        called = subject_of(subject, self.called, object_)
        thing, more = (thing, more + when.dated) if more else (thing + when.dated, "")
        text = filled(says, subject=called, object=thing, rest=self.predicates.rest(predicate)) + _behind(more)
        return f"{text} {words}" if words else text

    def _is_another(self, predicate: str, verb: str) -> bool:
        """Return whether *verb* is another word for *predicate*, a verb as its own is: who loves does more than like.

        What is so of one thing at a time reads the same however it was said.
        """
        known = self.predicates.of(predicate)
        own = None if known.single_valued else _OWN.fullmatch(known.says or "")
        if own is None or own[1].startswith("is ") or verb.replace(" ", "_") not in known.aliases:
            return False
        return _VERB.fullmatch(verb) is not None

    def parted(self, predicate: str, object_: str) -> tuple[str, str]:
        """Return whom somebody is related to apart from what is told of them behind a comma, or in a clause."""
        found = _TOLD_OF.search(object_) if "{subject}'s" in (self.predicates.of(predicate).says or "") else None
        end = found.start() if found else len(object_)
        return object_[:end], object_[end:]


def _behind(more: str) -> str:
    """Return what is told behind a sentence, with its date in words."""
    return filled("{subject}{object}", subject="", object=more)


def _is_own(says: str, verb: str, object_: str) -> bool:
    """Return whether the reader's own words say what the registry's would, of more than a thing."""
    found = _OWN.fullmatch(says)
    return found is not None and found[1] == verb and len(object_.split()) > SHORT
