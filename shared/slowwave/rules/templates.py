"""A rule's templates, filled with the values that were found."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from slowwave.rules.compiling import Rule
from slowwave.rules.pack_schema import FIELD

LONGEST_VALUE = 120
"""The most characters of a metadata value in a claim: an error's first line, not its stack."""


class TemplateValues(NamedTuple):
    """Values for a template's slots, as found in an episode."""

    speaker: str
    groups: Mapping[str, str | None]
    object: str | None
    when: str | None
    metadata: Mapping[str, Any]

    def of(self, rule: Rule, name: str) -> str | None:
        """Return the value of the slot *name*, None if there is none."""
        if name == "user":
            return self.speaker
        if name == "object":
            return self.object
        if name == "who" and self.groups.get("relative"):
            return f"{self.speaker}'s {self.groups['relative']}"
        if name.startswith("metadata."):
            return _short(self.metadata.get(name.removeprefix("metadata.")))
        if rule.part.when_time and name == rule.part.when_time.group:
            return self.when
        return self.groups.get(name)


def filled_claim(rule: Rule, values: TemplateValues, not_names: frozenset[str]) -> tuple[str, str, str] | None:
    """Return subject, predicate and object; None if a slot is empty or the subject is not a name."""
    claim = rule.part.claim
    if claim.subject == "user":
        subject: str | None = values.speaker
    else:
        subject = _filled(claim.subject, lambda name: values.of(rule, name))
        named = "{user}" not in claim.subject and not values.groups.get("relative")
        if subject and named and not not_names.isdisjoint(subject.casefold().split()):
            return None
    predicate = _filled(claim.predicate, lambda name: _slug(values.of(rule, name)))
    object = _filled(claim.object, lambda name: values.of(rule, name))
    if not subject or not predicate or object is None:
        return None
    return subject, predicate, object


def _filled(template: str, value: Callable[[str], str | None]) -> str | None:
    if "{" not in template:
        return template
    found = {name: value(name) for name in FIELD.findall(template)}
    if not all(found.values()):
        return None
    return " ".join(FIELD.sub(lambda match: found[match[1]] or "", template).split())


def _short(value: Any) -> str | None:
    if value is None or isinstance(value, dict | list):
        return None
    line = next((line.strip() for line in str(value).splitlines() if line.strip()), "")
    return line if len(line) <= LONGEST_VALUE else line[: LONGEST_VALUE - 1] + "…"


def _slug(words: str | None) -> str | None:
    """Words as a part of a predicate: `Ice cream` is `ice_cream`."""
    text = "".join(character if character.isalnum() else " " for character in (words or "").casefold())
    return "_".join(text.split()) or None
