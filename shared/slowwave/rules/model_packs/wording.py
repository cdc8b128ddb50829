"""Claims in words: the registry's sentence for an object that is only a thing, else the model's own words."""

import re
from dataclasses import dataclass

from slowwave.core.predicates import Predicates
from slowwave.core.predicates.sentences import filled, subject_of
from slowwave.rules.model_packs.times import When
from slowwave.rules.model_packs.words import SourceWords, content

SHORT = 2
"""The most words of an object that is only a thing: the registry knows its article."""

_OWN = re.compile(r"\{subject\} ([\w ]+) \{(?:an_|to_do_|place_)?object\}")
_VERB = re.compile(r"\w*[^\Ws]s(?: (?:at|for|in|on))?|\w+ed")
_NO_VERB = re.compile(r"(?:\w*[aeiouy]\w*ing|\w+ly|an?|the|her|his|their|every)\b")
_STATE = re.compile(
    r"\w+(?:ed|ful|less|ous|able|ible)|pregnant|single|ill|sick|well|fit|blind|deaf|alone|happy|sad|free|busy|away|home"
)
"""A word for a state, which has no article: somebody is `retired`."""
_TOLD_OF = re.compile(r", | (?=(?:(?:with|of|to) )?wh(?:o|om|ose|ich)\b)")
_PLAIN = str.maketrans("_", " ", "{}")


@dataclass(frozen=True, slots=True)
class Wording:
    """Words the claims of a talk with the registered *predicates*; *called* is the user's name."""

    predicates: Predicates
    called: str | None

    def text(self, subject: str, predicate: str, verb: str, object_: str, when: When) -> str:
        """Return the sentence of a claim: *predicate* in its registered form, *verb* in the model's words."""
        verb = " ".join(verb.translate(_PLAIN).split())
        words = when.words if SourceWords([object_]).share(content(when.words)) < 1 else ""
        says = self.predicates.of(predicate).says
        if not says or _is_own(says, verb, object_) or self._is_another(predicate, verb):
            says = f"{{subject}} {verb} {{object}}"
        elif says == "{subject} {does_object}" and _NO_VERB.match(object_):
            says = "{subject} is in the habit of {object}"
        elif says == "{subject} is {an_object}" and _STATE.fullmatch(object_):
            says = "{subject} is {object}"
        thing, more = self.parted(predicate, object_)
        called = subject_of(subject, self.called, object_)
        thing, more = (thing, more + when.dated) if more else (thing + when.dated, "")
        text = filled(says, subject=called, object=thing, rest=self.predicates.rest(predicate)) + _behind(more)
        return f"{text} {words}" if words else text

    def _is_another(self, predicate: str, verb: str) -> bool:
        """Return whether *verb* is another verb than that of *predicate*: to love is more than to like.

        Single-valued predicates always have the same sentence.
        """
        known = self.predicates.of(predicate)
        own = None if known.single_valued else _OWN.fullmatch(known.says or "")
        if own is None or own[1].startswith("is ") or verb.replace(" ", "_") not in known.aliases:
            return False
        return _VERB.fullmatch(verb) is not None

    def parted(self, predicate: str, object_: str) -> tuple[str, str]:
        """Return the related person separately from what is said of them after a comma, or in a clause."""
        found = _TOLD_OF.search(object_) if "{subject}'s" in (self.predicates.of(predicate).says or "") else None
        end = found.start() if found else len(object_)
        return object_[:end], object_[end:]


def _behind(more: str) -> str:
    """Return the words after a sentence, with their date in words."""
    return filled("{subject}{object}", subject="", object=more)


def _is_own(says: str, verb: str, object_: str) -> bool:
    """Return whether the model's words say the same as the registry's sentence, about more than a thing."""
    found = _OWN.fullmatch(says)
    return found is not None and found[1] == verb and len(object_.split()) > SHORT
