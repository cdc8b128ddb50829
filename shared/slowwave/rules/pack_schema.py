"""The fields of a pack's `pack.yaml`."""

import re
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    AliasChoices,
    BeforeValidator,
    Field,
    ValidationInfo,
    field_validator,
    model_validator,
)

from slowwave.domain.claim import Certainty, Effect, StatedMode
from slowwave.rules.cadence import PackCadence
from slowwave.rules.predicates import PredicateParts
from slowwave.rules.regexes import Compiler, group_names
from slowwave.rules.yaml_file import Part

FIELD = re.compile(r"\{([\w.]+)\}")
"""A slot of a template: `{object}`, `{metadata.tool}`."""


def _like(pattern: str, expected: str) -> AfterValidator:
    def check(text: str) -> str:
        if not re.fullmatch(pattern, text):
            raise ValueError(f"expected {expected}, got {text!r}")
        return text

    return AfterValidator(check)


def _prose(text: str) -> str:
    if len(text.split()) < 3:
        raise ValueError("expected a sentence that explains the rule")
    return text


def _probability(number: float) -> float:
    if not 0 <= number <= 1:
        raise ValueError(f"expected 0 to 1, got {number}")
    return number


def _pattern(text: str, info: ValidationInfo) -> str:
    compiler: Compiler = (info.context or {}).get("compiler") or Compiler({})
    return compiler.checked(text)


def _shared(text: str, info: ValidationInfo) -> str:
    compiler: Compiler = (info.context or {}).get("compiler") or Compiler({})
    return compiler.shared(text)


def _listed(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


def _with_more(patterns: list[str]) -> list[str]:
    if any("more" not in group_names(pattern) for pattern in patterns):
        raise ValueError("expected a group named more in every pattern")
    return patterns


_SLUG = _like(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", "small letters, digits and hyphens")
_PREDICATE = _like(r"\*|([a-z]|\{\w+\})([a-z0-9]|\{\w+\}|_(?!_|$))*", "small letters, digits and underscores")
_LANGUAGE = _like(r"[a-z]{2,3}", "the code of a language, such as en")
Slug = Annotated[str, _SLUG, Field(max_length=60)]
Pattern = Annotated[str, AfterValidator(_pattern), Field(min_length=1)]
Patterns = Annotated[list[Pattern], BeforeValidator(_listed)]
Shared = Annotated[list[Annotated[str, AfterValidator(_shared), Field(min_length=1)]], BeforeValidator(_listed)]
"""Patterns that many rules have. Each pattern is compiled once."""
Prose = Annotated[str, AfterValidator(_prose)]
Languages = Annotated[tuple[Annotated[str, _LANGUAGE], ...], BeforeValidator(_listed)]
"""Language codes such as `en`. The list is empty if the pack reads any language."""


class ClaimPart(Part):
    """The claim of a rule: templates that contain the rule's named groups. The subject `user` is the speaker.

    With an *effect*, the claim reports a change, its object names the changed thing, and the subject `*` means the
    owner of this thing.
    """

    subject: Annotated[str, Field(min_length=1)] = "user"
    predicate: Annotated[str, _PREDICATE]
    object: str = "{object}"
    mode: StatedMode = "assert"
    effect: Effect = ""

    @model_validator(mode="after")
    def _is_news(self) -> "ClaimPart":
        if self.effect and (self.predicate, self.mode) != ("*", "end"):
            raise ValueError("expected predicate '*' and mode end beside an effect")
        if not self.effect and self.predicate == "*" and self.mode == "end" and self.object:
            raise ValueError("expected an effect, or an object of ''")
        return self


class TimePart(Part):
    """The named group that contains a date, and the use of this date.

    *use* says when the claim is true: `since` the start of the period, `by` its end, or `until` its end. With `object`,
    the date is only a part of the object. *prefer* resolves a date without a year: `past` and `future` choose the
    nearest date in this direction, and `tense` chooses the direction by the verb near the date. *still* says that the
    claim is also true at the time of the turn. *passes* says that the claim ends with the period.
    """

    group: str = "when"
    use: Literal["since", "by", "until", "object"] = "by"
    prefer: Literal["past", "future", "tense"] = "past"
    required: bool = False
    still: bool = False
    passes: bool = False


class RulePart(Part):
    """One rule. With *otherwise*, the rule reads only words in which no rule above it has found a claim.

    A match makes the claim of the rule and the claims of *also*. With *more*, a text that adds to the object becomes
    part of the object (see `TidyPart`). An object that matches *vague* counts only with such a text. Instead of *when*,
    a rule may have *asked* for the previous turn of the other party, and *answered* for the answer. An answer that
    matches *denied* ends the claim. `said`, the former name of *answered*, is accepted with a warning.
    """

    id: Slug
    says: Prose
    when: Shared = Field(default_factory=list)
    asked: Shared = Field(default_factory=list)
    answered: Annotated[Shared, Field(validation_alias=AliasChoices("answered", "said"))] = Field(default_factory=list)
    denied: Shared = Field(default_factory=list)
    unless: Shared = Field(default_factory=list)
    roles: tuple[Literal["user", "assistant", "tool"], ...] = ("user",)
    kinds: tuple[Literal["message", "model_call", "tool_call", "outcome"], ...] = ("message",)
    where: dict[str, str | int | float | bool | None] = Field(default_factory=dict)
    claim: ClaimPart
    also: list[ClaimPart] = Field(default_factory=list)
    certainty: Certainty = "explicit"
    confidence: Annotated[float, AfterValidator(_probability)] | None = None
    when_time: TimePart | None = None
    despite: list[str] = Field(default_factory=list)
    turns: tuple[Literal["correct", "end", "forget"], ...] = ("correct", "end", "forget")
    each: bool = False
    otherwise: bool = False
    tidy: Literal["full", "light", "none"] = "full"
    refuse: Shared = Field(default_factory=list)
    more: bool = False
    vague: Shared = Field(default_factory=list)
    disabled: bool = False

    @model_validator(mode="after")
    def _templates_resolve(self) -> "RulePart":
        if self.asked or self.answered or self.denied:
            return self._answers_resolve()
        if not self.when and not self.where:
            raise ValueError("expected when, where, or asked and answered, or it would match everything")
        for number, pattern in enumerate(self.when):
            groups = group_names(pattern)
            missing = sorted(self._needed() - groups - ({"who"} if "relative" in groups else set()))
            if missing:
                raise ValueError(f"when.{number} has no group named {', '.join(missing)}")
        if not self.when and self._needed():
            raise ValueError(f"no group named {', '.join(sorted(self._needed()))} without a pattern")
        return self

    def _answers_resolve(self) -> "RulePart":
        if not (self.asked and self.answered) or self.when or self.when_time:
            raise ValueError("expected both asked and answered, and neither when nor when_time beside them")
        fields = {"answered": self.answered, "denied": self.denied}
        answers = [(name, *one) for name, patterns in fields.items() for one in enumerate(patterns)]
        for number, asked in enumerate(self.asked):
            for field, place, answer in answers:
                if missing := sorted(self._needed() - group_names(asked) - group_names(answer)):
                    raise ValueError(f"asked.{number} and {field}.{place} have no group named {', '.join(missing)}")
        return self

    def _needed(self) -> set[str]:
        parts = [part for claim in (self.claim, *self.also) for part in (claim.subject, claim.predicate, claim.object)]
        names = {name for part in parts for name in FIELD.findall(part)}
        time = {self.when_time.group} if self.when_time else set()
        return {name for name in names - time if name != "user" and not name.startswith("metadata.")}


class GuardPart(Part):
    """Words that prevent a claim, or lower its certainty."""

    id: Slug
    says: Prose
    when: Patterns
    within: Literal["sentence", "clause"] = "clause"
    certainty: Certainty | None = None


class TurnPart(Part):
    """Words that turn an assertion into a correction, an end or a request to forget.

    A correction applies to single-valued predicates. A correction applies to other predicates, too, if *many* is True
    or the words name a wrong value.
    """

    id: Slug
    says: Prose
    when: Patterns
    within: Literal["sentence", "clause"] = "clause"
    mode: Literal["correct", "end", "forget"]
    lifts: list[str] = Field(default_factory=list)
    many: bool = False


class TidyPart(Part):
    """The words that are removed from objects.

    *lead* is removed from the start of an object. *cut* and *trim* are removed together with everything after them.
    *trim* applies only to rules with `tidy: full`. An object is dropped if it contains a match of *refuse*, or has more
    than *longest* characters. The text right after an object adds to the object if it matches *more* and not *no_more*.
    """

    lead: Patterns = Field(default_factory=list)
    cut: Patterns = Field(default_factory=list)
    trim: Patterns = Field(default_factory=list)
    refuse: Patterns = Field(default_factory=list)
    more: Annotated[Patterns, AfterValidator(_with_more)] = Field(default_factory=list)
    no_more: Patterns = Field(default_factory=list)
    longest: Annotated[int, Field(ge=1, le=1_000)] = 80


class SharedPart(Part):
    """The fields of `pack.yaml` that rule packs and model packs have."""

    pack: Slug
    version: Annotated[int, Field(ge=1, le=2**31 - 1, strict=True)]
    says: Prose | None = None
    languages: Languages = ()
    cadence: PackCadence
    predicates: PredicateParts = Field(default_factory=dict)


class ManifestPart(SharedPart):
    """The fields of `pack.yaml` that every engine for rule packs has."""

    engine: str = "rules"
    gives_way: bool = False


class PackPart(ManifestPart):
    """The complete `pack.yaml` for the engine `rules`: patterns, *statements*, or both."""

    statements: bool = False
    words: dict[str, str] = Field(default_factory=dict)
    breaks: Patterns = Field(default_factory=list)
    splits: Patterns = Field(default_factory=list)
    instead: Patterns = Field(default_factory=list)
    not_names: list[str] = Field(default_factory=list)
    guards: list[GuardPart] = Field(default_factory=list)
    turns: list[TurnPart] = Field(default_factory=list)
    tidy: TidyPart = Field(default_factory=TidyPart)
    rules: list[RulePart] = Field(default_factory=list, validate_default=True)

    @field_validator("rules")
    @classmethod
    def _reads_something(cls, rules: list[RulePart], info: ValidationInfo) -> list[RulePart]:
        if not rules and not info.data.get("statements"):
            raise ValueError("expected at least one rule, or `statements: true`")
        return rules


_FILE = _like(r"[A-Za-z0-9_][A-Za-z0-9_.-]*", "the name of a file in the pack's folder")
FileName = Annotated[str, _FILE, Field(max_length=100)]


class ConfinedPart(ManifestPart):
    """The limits on processor time and memory for each window, in the separate process of the pack."""

    seconds: Annotated[int, Field(ge=1, le=60, strict=True)] = 10
    megabytes: Annotated[int, Field(ge=128, le=8_192, strict=True)] = 512


class CodedPart(ConfinedPart):
    """The complete `pack.yaml` for the engine `python`."""

    module: FileName = "reader.py"


class ProgramPart(ConfinedPart):
    """The complete `pack.yaml` for the engine `clips`."""

    program: FileName = "rules.clp"


class OwnPart(ManifestPart):
    """The complete `pack.yaml` for an engine from an installed package.

    *options* are the options of the engine. *files* lists the files of the folder that the engine reads besides
    `pack.yaml`. A pack with a changed file counts as a different pack.
    """

    options: dict[str, Any] = Field(default_factory=dict)
    files: list[FileName] = Field(default_factory=list)
