"""A pack's test cases in `cases.yaml`: messages and the expected beliefs, and the check of these cases."""

import uuid
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

from pydantic import AfterValidator, AliasChoices, BeforeValidator, Field

from slowwave.core.fold import Fold, Version
from slowwave.core.predicates import Predicates
from slowwave.domain.claim import Form
from slowwave.domain.episode import EpisodeKind, Role, StoredEpisode, offset_of
from slowwave.ports import Extractor
from slowwave.rules.yaml_file import Part

FIRST = datetime(2026, 3, 2, 9, tzinfo=UTC)
"""The time of the first message without a time, a Monday. Further messages without a time follow one minute apart."""
Forms = Collection[Form]
Unclaimed = Callable[[Sequence[StoredEpisode], str], Iterable[str]]


def _utc(instant: datetime) -> datetime:
    try:
        return instant.replace(tzinfo=UTC) if instant.tzinfo is None else instant.astimezone(UTC)
    except OverflowError:
        raise ValueError("lies outside the years 1 to 9999 in UTC") from None


def _aware(instant: datetime) -> datetime:
    _utc(instant)
    return instant.replace(tzinfo=UTC) if instant.tzinfo is None else instant


def _as_message(value: Any) -> Any:
    return {"text": value} if isinstance(value, str) else value


Instant = Annotated[datetime, AfterValidator(_utc)]


class CaseMessage(Part):
    """One message. By default, an unnamed user sends the message, one minute after the previous message."""

    text: Annotated[str, Field(min_length=1)]
    role: Role = "user"
    kind: EpisodeKind = "message"
    speaker: str | None = None
    at: Annotated[datetime, AfterValidator(_aware)] | None = None
    session: str = "s1"
    metadata: dict[str, Any] = Field(default_factory=dict)

    def episode(self, number: int) -> StoredEpisode:
        """Return the message as the *number*-th episode of a scope, counted from 0."""
        at = self.at or FIRST + timedelta(minutes=number)
        occurred = at.astimezone(UTC)
        speaker = {"speaker": self.speaker} if self.speaker else {}
        return StoredEpisode(
            id=uuid.uuid5(uuid.NAMESPACE_OID, f"case/{number}"),
            key=f"e{number + 1}",
            position=number + 1,
            received=occurred,
            occurred=occurred,
            content=self.text,
            metadata={**self.metadata, **speaker},
            utc_offset=offset_of(at),
            **self.model_dump(include={"session", "role", "kind"}),
        )


class Case(Part):
    """An example of the texts that a pack understands, used as a test of the pack.

    If a case lists *statements*, these are all statements that are believed at the end, and `believe` lists only typed
    facts. `told`, the former name of `episodes`, is accepted too, with a warning.
    """

    it: Annotated[str, Field(min_length=1)]
    episodes: Annotated[
        list[Annotated[CaseMessage, BeforeValidator(_as_message)]],
        Field(min_length=1, validation_alias=AliasChoices("episodes", "told")),
    ]
    believe: list[str]
    statements: list[str] | None = None
    believed_at: dict[Instant, list[str]] = Field(default_factory=dict)

    @property
    def stored(self) -> list[StoredEpisode]:
        """The episodes as Slowwave stores them, in one scope."""
        return [message.episode(number) for number, message in enumerate(self.episodes)]


@dataclass(frozen=True, slots=True)
class FailedCase:
    """A case whose beliefs differ from the expected beliefs, at the end or at the time *at*.

    If the run of the case failed, *broke* is the reason.
    """

    it: str
    at: datetime | None
    expected: tuple[str, ...]
    got: tuple[str, ...]
    rules: Mapping[str, str]
    """The rule that made each belief in *got*."""
    broke: str = ""
    unclaimed: tuple[str, ...] = ()
    """What stopped the rules that could make the missing beliefs."""

    @property
    def missing(self) -> list[str]:
        """The expected beliefs that are not held."""
        return [belief for belief in self.expected if belief not in self.got]

    def __str__(self) -> str:
        if self.broke:
            return f"{self.it}: {self.broke}"
        missing = [f"missing: {belief}" for belief in self.missing]
        strange = [belief for belief in self.got if belief not in self.expected]
        extra = [f"not expected: {belief} (by {self.rules[belief]})" for belief in strange]
        when = f", at {self.at.isoformat()}" if self.at else ""
        return f"{self.it}{when}: " + "; ".join(
            [*missing, *self.unclaimed, *extra] or ["the same belief is held twice"]
        )


def check_cases(
    extractor: Extractor,
    cases: Iterable[Case],
    predicates: Predicates,
    *,
    typed: bool = False,
    unclaimed: Unclaimed = lambda _episodes, _belief: (),
) -> list[FailedCase]:
    """Return those of *cases* that fail; *predicates* say which claims contradict each other.

    For a pack of *typed* facts, statements are checked only if a case lists them. *unclaimed* says why episodes do not
    give a belief.
    """
    failures = ((case, failed) for case in cases for failed in _check(extractor, case, predicates, typed=typed))
    return [
        replace(
            failed,
            unclaimed=tuple(
                reason
                for one in failed.missing
                if one not in (case.statements or ())
                for reason in unclaimed(case.stored, one)
            ),
        )
        for case, failed in failures
    ]


def _check(extractor: Extractor, case: Case, predicates: Predicates, *, typed: bool) -> list[FailedCase]:
    episodes = case.stored
    fold = Fold(predicates=predicates)
    for claim in extractor.propose(episodes):
        fold.decide(predicates.canonical(claim))
    end = max(episode.occurred for episode in episodes)
    typed = typed or case.statements is not None
    believe: Forms = {"typed"} if typed else {"typed", "statement"}
    moments: list[tuple[datetime | None, datetime, Forms, list[str]]] = [(None, end, believe, case.believe)]
    moments += [(at, at, believe, then) for at, then in case.believed_at.items()]
    moments += [] if case.statements is None else [(None, end, {"statement"}, case.statements)]
    failed = []
    for named, at, forms, believed in moments:
        found = _beliefs(fold, at, forms)
        expected, got = tuple(sorted(believed)), tuple(belief for belief, _ in found)
        if expected != got:
            failed.append(FailedCase(case.it, named, expected, got, dict(found)))
    return failed


def _beliefs(fold: Fold, at: datetime, forms: Forms) -> list[tuple[str, str]]:
    return sorted((_expected_form(version), version.rule) for version in fold.believed(at) if version.form in forms)


def _expected_form(version: Version) -> str:
    """Return a belief in the form of the cases: the text of a statement, or subject, predicate and object."""
    return version.text if version.form == "statement" else f"{version.subject} {version.predicate} {version.object}"
