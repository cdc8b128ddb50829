"""A rule pack that is ready to run: an `Extractor` without a model."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from pathlib import Path

from slowwave.domain.claim import Claim, Said, Source
from slowwave.domain.episode import StoredEpisode
from slowwave.rules.cadence import Cadence
from slowwave.rules.case import Case
from slowwave.rules.checking import FailedCase, check_cases
from slowwave.rules.matching import Finding, Matcher
from slowwave.rules.predicates import Declared, Predicates

MOST_CLAIMS = 100
"""Of one episode: a text that claims more is not somebody talking."""


@dataclass(frozen=True)
class Pack:
    """Rules, when they are due, and the cases that show what they mean.

    *predicates* are those it was read with: what all packs share and what it brings, as *declared* in their places.
    *digest* differs when a byte of the pack differs. *next_runs* are the cron runs after the time of loading.
    """

    pack: str
    version: int
    folder: Path
    cadence: Cadence
    declared: tuple[Declared, ...] = field(repr=False)
    predicates: Predicates = field(repr=False)
    rules: tuple[str, ...]
    cases: tuple[Case, ...]
    digest: str
    next_runs: tuple[datetime, ...]
    matcher: Matcher = field(repr=False, compare=False)

    def propose(self, episodes: Sequence[StoredEpisode]) -> list[Claim]:
        """Return the claims of *episodes*, in order of position and, within one, of its words."""
        ordered = sorted(episodes, key=lambda episode: episode.position)
        return [claim for episode in ordered for claim in self._claims(episode)]

    def sound(self) -> bool:
        """Return whether the pack passes its own cases here and now."""
        return not self.failures()

    def failures(self) -> list[FailedCase]:
        """Return the cases of the pack that fail."""
        return check_cases(self, self.cases, self.predicates)

    def _claims(self, episode: StoredEpisode) -> list[Claim]:
        dated = [
            (one, begin, end)
            for one in _distinct(islice(self.matcher.findings(episode), 10 * MOST_CLAIMS))
            for begin, end in _valid(episode.occurred, one)
        ]
        return [self._claim(episode, ordinal, *one) for ordinal, one in enumerate(dated[:MOST_CLAIMS])]

    def _claim(
        self, episode: StoredEpisode, ordinal: int, found: Finding, begin: datetime, end: datetime | None
    ) -> Claim:
        subject, predicate, object = found.statement
        single = self.predicates.of(predicate).single_valued
        mode: Said = found.mode
        if mode == "correct" and found.rule.part.claim.mode == "assert" and not single:
            mode = "assert"  # "actually, I like tea" does not say what was wrong
        claim = Claim(
            subject=subject,
            predicate=predicate,
            object=object,
            mode=mode,
            certainty=found.certainty,
            confidence=found.confidence,
            valid_from=begin,
            valid_to=end,
            single_valued=single,
            rule=found.rule.name,
            session=episode.session,
            source=Source(episode.id, episode.key, episode.position, found.start, found.end),
            ordinal=ordinal,
        )
        return self.predicates.canonical(claim)


def _valid(occurred: datetime, found: Finding) -> list[tuple[datetime, datetime | None]]:
    """From when, and up to when, a claim holds; once more for now where it is *still* so when it is told."""
    part, time = found.rule.part.when_time, found.time
    if part is None or time is None or part.use == "object":
        return [(occurred, None)]
    if part.use == "until":
        return [(occurred, time.end if time.end > occurred else None)]
    begin = time.start if part.use == "since" else min(time.end, max(occurred, time.start))
    return [(begin, None), (occurred, None)] if part.still and begin < occurred else [(begin, None)]


def _distinct(findings: Iterable[Finding]) -> list[Finding]:
    """One for what several rules found in the same words: the rule that stands first in the pack wins."""
    kept: dict[tuple[int, str, str], list[Finding]] = {}
    for one in sorted(findings, key=lambda one: (one.rank, one.core)):
        subject, predicate, _ = one.statement
        others = kept.setdefault((one.sentence, subject.casefold(), predicate), [])
        if not any(_same(one, other) for other in others):
            others.append(one)
    return sorted((one for others in kept.values() for one in others), key=lambda one: (one.core, one.rank))


def _same(one: Finding, other: Finding) -> bool:
    if one.mode == other.mode and one.statement[2].casefold() == other.statement[2].casefold():
        return True
    return one.core[0] < other.core[1] and other.core[0] < one.core[1]
