"""The explanation of a belief: its deltas, the rules of the deltas, and the words of the episodes."""

import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from slowwave.domain.claim import Form, Origin, Tense
from slowwave.domain.episode import is_drawn
from slowwave.domain.scope import Scope
from slowwave.formatting import brief, many, one_line, probability_text, since, utc
from slowwave.former_names import warn_of_former


@dataclass(frozen=True, slots=True)
class Evidence:
    """The words of an episode that support a delta, and the episode's whole content.

    The *words* begin at the character *start* of *content*. *channel* is set only if the episode and the delta are in
    different channels.
    """

    episode: uuid.UUID
    key: str
    position: int
    occurred: datetime
    session: str
    speaker: str
    content: str
    words: str
    channel: str | None = None
    start: int = 0

    def __repr__(self) -> str:
        return brief(self, self.words, f"by {self.speaker}", since(self.occurred, "on"), id=self.episode)


@dataclass(frozen=True, slots=True)
class MissingEpisode:
    """An episode that a delta cites and that is not stored any more.

    If *erased* is False, retention dropped the month in which the episode was *received*.
    """

    episode: uuid.UUID
    position: int
    received: datetime
    erased: bool

    def __repr__(self) -> str:
        return brief(self, "erased" if self.erased else f"dropped with {self.received:%Y-%m}", id=self.episode)

    def __str__(self) -> str:
        """Return the reason as a sentence.

        >>> print(MissingEpisode(uuid.UUID(int=1), 7, datetime(2026, 3, 2), erased=False))
        The month 2026-03 of episode 7 was dropped: the retention periods of all its conversations were over.
        """
        if self.erased:
            return f"Episode {self.position} was erased."
        month = f"The month {self.received.astimezone(UTC):%Y-%m} of episode {self.position} was dropped"
        return f"{month}: the retention periods of all its conversations were over."


@dataclass(frozen=True, slots=True)
class Replaced:
    """A replaced fact in words. *rule* is the rule that found the fact, and *recorded* is its recording time."""

    fact: uuid.UUID
    text: str
    rule: str
    recorded: datetime

    def __repr__(self) -> str:
        return brief(self, self.text, f"by {self.rule}", id=self.fact)


@dataclass(frozen=True, slots=True)
class Step:
    """One delta in the history of a fact, with the belief in words, and the facts that the delta replaced.

    *evidence* has the cited words that are still stored, and *missing* the cited episodes that are not.
    """

    delta: uuid.UUID
    kind: str
    text: str
    rule: str
    reason: str
    confidence: float
    recorded: datetime
    run: int | None
    replaces: Sequence[Replaced]
    evidence: Sequence[Evidence]
    origins: Sequence[Origin] = ()
    missing: Sequence[MissingEpisode] = ()

    def __repr__(self) -> str:
        return brief(self, self.kind, self.text, f"by {self.rule}", probability_text(self.confidence), id=self.delta)


@dataclass(frozen=True, slots=True)
class Explanation:
    """The explanation of a fact: its words, its form, whether it is *believed* now, and all deltas about it.

    *scope* is the scope that believes or believed the fact. If *until* is set, the fact was true only until that time.
    """

    fact: uuid.UUID
    text: str
    believed: bool
    steps: Sequence[Step]
    form: Form = "typed"
    tense: Tense = "current"
    scope: Scope | None = None
    until: datetime | None = None

    @property
    def held(self) -> bool:
        """The former name of `believed`."""
        warn_of_former("held", "believed")
        return self.believed

    def __repr__(self) -> str:
        state = "believed" if self.believed else "no longer believed"
        return brief(self, self.text, state, many(len(self.steps), "delta"), id=self.fact)

    def __str__(self) -> str:
        """Return the fact, and its deltas with their rules, runs, words and replaced facts, in several lines."""
        return explanation_text(self)


def explanation_text(
    explanation: Explanation, *, heading: Callable[[str], str] = str, mark: Callable[[str], str] = str
) -> str:
    """Return an explanation in several lines. *heading* styles the fact's text, and *mark* the quoted words."""
    state = "believed" if explanation.believed else "no longer believed"
    state = f"so until {utc(explanation.until)}" if explanation.until else state
    state = f"statement, {state}" if explanation.form == "statement" else state
    lines = [f"{heading(one_line(explanation.text))}  ({state}; {explanation.fact})"]
    for step in explanation.steps:
        by = f"by {step.rule}" + (f" in run {step.run}" if step.run is not None else " by hand")
        reason = one_line(step.reason)
        lines.append(f"{utc(step.recorded)}  {step.kind} {by}, confidence {step.confidence:.2f}: {reason}")
        lines += (f"    {line}" for line in _details(step, explanation.fact, mark))
    return "\n".join(lines)


def _details(step: Step, fact: uuid.UUID, mark: Callable[[str], str]) -> Iterator[str]:
    """Yield the lines about what a delta rests on, and what it replaced."""
    yield from (f"promoted from {origin.memory}" for origin in step.origins if origin.relation == "promoted_from")
    yield from (quotation(evidence, mark=mark) for evidence in step.evidence)
    yield from map(str, step.missing)
    for before in step.replaces:
        if before.fact != fact:
            yield f"replaces: {one_line(before.text)}  ({before.fact})"
            yield f"    believed since {utc(before.recorded)} by {before.rule}"
        elif step.kind == "update":
            yield f"new text: {one_line(step.text)}  ({step.delta})"


def quotation(evidence: Evidence, *, mark: Callable[[str], str] = str) -> str:
    """Return an episode in one line, with its speaker and time; *mark* styles the quoted words."""
    before, words, after = one_line(evidence.content), one_line(evidence.words), ""
    if words and words in before:
        before, _, after = before.partition(words)
    when = f"{evidence.occurred.astimezone(UTC):%a %d %b %Y %H:%M}Z"
    where = f", in {one_line(evidence.channel)}" if evidence.channel else ""
    key = "" if is_drawn(evidence.key) else f", {one_line(evidence.key)}"
    return f"{one_line(evidence.speaker)}, {when}{key}{where}: {before}{mark(f'»{words}«')}{after}"
