"""Learning of patterns: makes deltas and counts from tool attempts, routines and preferences, in order.

The result depends only on the order of the episodes, and not on the windows into which they were split. Earlier windows
leave all data that a later window needs.
"""

import uuid
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import count

from slowwave.core import patterns
from slowwave.core.beliefs.identity import key_of
from slowwave.core.fold import Decision, Fold, Version
from slowwave.core.withdrawal import withdraw
from slowwave.domain.attempt import Attempt, Way
from slowwave.domain.claim import CONFIDENCE, Claim, Source
from slowwave.domain.job_table import DETECT_PATTERNS
from slowwave.domain.limits import canonical_json
from slowwave.domain.pattern import ROUTINE_SPAN, Preference, Sighting, Tally

MOST_CITED = 10
"""The maximum number of sightings that a belief cites. They are the latest, and a strategy keeps no more of them."""

STRATEGY = f"{DETECT_PATTERNS}/strategy@1"
ROUTINE = f"{DETECT_PATTERNS}/routine@1"
PREFERENCE = f"{DETECT_PATTERNS}/preference@1"


@dataclass(frozen=True, slots=True)
class Known:
    """The record of a strategy before a window: its task and tools (*way*), and its successes and failures."""

    way: Way
    support: patterns.Support


@dataclass(slots=True)
class Learner:
    """The working state of one run: the strategies (*known*) and patterns (*seen*) before the run, and the decisions of
    the run.

    The run adds *decisions*, *tallies* and *sightings*. *sources* are the source words of held preferences, by fact.
    *done* are the ids of deltas that the ledger already has.
    """

    scope: uuid.UUID
    fold: Fold
    known: dict[uuid.UUID, Known] = field(default_factory=dict)
    seen: dict[uuid.UUID, dict[str, Sighting]] = field(default_factory=dict)
    sources: Mapping[uuid.UUID, Sequence[Source]] = field(default_factory=dict)
    done: Collection[uuid.UUID] = ()
    learning: patterns.Learning = patterns.LEARNING
    decisions: list[Decision] = field(default_factory=list)
    tallies: dict[uuid.UUID, Tally] = field(default_factory=dict)
    sightings: list[Sighting] = field(default_factory=list)

    def tried(self, attempt: Attempt) -> None:
        """Count an attempt and decide about its strategy. An attempt that names an unknown strategy is ignored."""
        way = _way(attempt, self.known)
        if way is None:
            return
        strategy = patterns.strategy_id(self.scope, way)
        before = self.known[strategy].support if strategy in self.known else patterns.Support()
        support = before.after(success=attempt.success)
        self.known[strategy] = Known(way, support)
        claim = strategy_claim(way, attempt, support)
        active = self._active(claim)
        if attempt.success and active is None:
            slot = str((support.successes - 1) % MOST_CITED)
            self._see(Sighting(strategy, slot, (attempt.outcome, *attempt.calls)))
            claim = strategy_claim(way, attempt, support, _evidence(self.seen[strategy].values()))

        meaning = patterns.verdict(
            support, success=attempt.success, believed=active is not None, learning=self.learning
        )
        if meaning in ("learn", "support"):
            self._believe(claim, str(support))
        elif meaning == "withdraw":
            self._decide(self._withdrawn(claim, str(support)))
        elif active is not None:
            self._decide(self._weaker(claim, active, support))
        self._count(strategy, way, attempt)

    def saw(self, occurrence: patterns.Occurrence) -> None:
        """Count an occurrence, at most once per week, and decide whether it is a routine."""
        weeks = self.seen.setdefault(occurrence.pattern, {})
        if occurrence.week in weeks:
            return
        self._see(Sighting(occurrence.pattern, occurrence.week, occurrence.sources))
        since = patterns.week(occurrence.at - ROUTINE_SPAN)
        recent = [sighting for at, sighting in weeks.items() if at >= since]
        if len(recent) >= self.learning.weeks:
            claim = routine_claim(occurrence)
            new = routine_claim(occurrence, _evidence(recent))
            self._believe(claim if self._active(claim) else new, f"seen in {len(recent)} weeks")

    def heard(self, same: Sequence[Preference]) -> None:
        """Decide, from the mentions of *same*, whether a preference recurs, or no longer recurs.

        *same* are all facts that say the preference. The belief begins with the first mentions that suffice, which an
        undo or a late arrival may change.
        """
        claims = [claim for each in same if not each.ended and (claim := preference_claim(each, self.learning))]
        active = self._active(held_claim(same[0]))
        own = active is not None and active.rule == PREFERENCE
        if active and claims and own and active.position != claims[-1].source.own_position:
            self._decide(self._withdrawn(self._cited(same[0], active), "it recurs since another time"))
        elif active and not claims:
            self._decide(self._withdrawn(self._cited(same[0], active), "it is not preferred any more"))
        elif own:
            return
        if claims and self._times(claims[-1], 0) <= self._times(claims[-1], 1):
            again = replace(claims[-1], ordinal=2 * self._times(claims[-1], 0))
            self._believe(again, f"said in {self.learning.sessions} conversations")

    def _cited(self, preference: Preference, held: Version) -> Claim:
        """Return *preference* as a claim with the source words of *held*, with the number of its next withdrawal."""
        claim = held_claim(preference, self.sources[held.fact])
        return replace(claim, ordinal=2 * self._times(claim, 1))

    def _times(self, claim: Claim, number: int) -> int:
        """Return how often the ledger has the decision *number* about *claim*: 0 believes it, and 1 withdraws it.

        The job believes a claim again only if it was the job that withdrew it.
        """
        return next(times for times in count() if self.fold.derive(claim, number + 2 * times) not in self.done)

    def _see(self, sighting: Sighting) -> None:
        self.seen.setdefault(sighting.pattern, {})[sighting.bucket] = sighting
        self.sightings.append(sighting)

    def _active(self, claim: Claim) -> Version | None:
        return next(iter(self.fold.active.get(key_of(claim), ())), None)

    def _believe(self, claim: Claim, reason: str) -> None:
        """Add *claim*, or write a noop if the belief is held already.

        The noop only confirms the valid time of the held version.
        """
        active = self._active(claim)
        start = max(claim.valid_from, active.valid.start) if active else claim.valid_from
        for decision in self.fold.decide(replace(claim, valid_from=start)):
            accepted = decision.kind == "add" or decision.about
            self.decisions.append(replace(decision, reason=reason) if accepted else decision)

    def _weaker(self, claim: Claim, version: Version, support: patterns.Support) -> Decision:
        print_ = self.fold.fingerprint(claim.subject, claim.predicate, claim.object)
        reason = f"weaker: {support}"
        changed = replace(claim, text=version.text)
        return Decision(self.fold.derive(claim, 0), "noop", changed, key_of(claim), print_, reason, about=version.fact)

    def _withdrawn(self, claim: Claim, reason: str) -> Decision:
        return withdraw(
            self.fold.active[key_of(claim)],
            id=self.fold.derive(claim, 1),
            rule=claim.rule,
            reason=reason,
            at=claim.valid_from,
            sources=(claim.source, *claim.more_sources),
            fingerprint=self.fold.fingerprint,
        )

    def _decide(self, decision: Decision) -> None:
        self.decisions.append(decision)
        for version in decision.closes:
            self.fold.active[version.key].remove(version)

    def _count(self, strategy: uuid.UUID, way: Way, attempt: Attempt) -> None:
        active = self._active(strategy_claim(way, attempt, patterns.Support()))
        before = self.tallies.get(strategy) or _blank(strategy, way, attempt.at)
        taught = bool(attempt.description or attempt.context_pattern)
        self.tallies[strategy] = replace(
            before,
            successes=before.successes + attempt.success,
            failures=before.failures + (not attempt.success),
            first=min(before.first, attempt.at),
            last=max(before.last, attempt.at),
            description=attempt.description or before.description,
            context_pattern=attempt.context_pattern or before.context_pattern,
            taught=before.taught or taught,
            fact=active.fact if active else None,
        )


def pattern_names(scope: uuid.UUID, pack: str) -> Callable[[Claim, int], uuid.UUID]:
    """Return a function that derives the id of a delta from the content, the episode and the ordinal of its claim."""

    def derive(claim: Claim, number: int) -> uuid.UUID:
        about = [pack, claim.rule, str(claim.source.episode), *map(str, key_of(claim)), number + claim.ordinal]
        return uuid.uuid5(scope, canonical_json(about).decode())

    return derive


def strategy_claim(way: Way, attempt: Attempt, support: patterns.Support, evidence: Sequence[Source] = ()) -> Claim:
    """Return the claim that *way* is a strategy for its task. By default, *attempt* is the only evidence."""
    return _claim(
        way.subject, "is_done_by", way.name, support.bound, attempt.at, STRATEGY, attempt.session,
        (attempt.outcome, *attempt.calls, *evidence),
    )  # fmt: skip


def routine_claim(occurrence: patterns.Occurrence, evidence: Sequence[Source] = ()) -> Claim:
    """Return the claim that an occurrence is a routine of the user."""
    return _claim(
        "user", "routine", occurrence.what, CONFIDENCE["inferred"], occurrence.at, ROUTINE, occurrence.session,
        (*occurrence.sources, *evidence),
    )  # fmt: skip


def preference_claim(preference: Preference, learning: patterns.Learning = patterns.LEARNING) -> Claim | None:
    """Return the claim that *preference* recurs, or None if it has not recurred often enough."""
    mentions = patterns.recurring(preference, learning)
    if mentions is None:
        return None
    *earlier, last = mentions
    sources = (last.source, *(mention.source for mention in earlier))
    return replace(held_claim(preference, sources), valid_from=last.at, session=last.session)


def held_claim(preference: Preference, sources: Iterable[Source] = ()) -> Claim:
    """Return the claim that *preference* recurs, with these *sources*. By default, the first mention is the source."""
    first = preference.mentions[0]
    return _claim(
        preference.subject, "recurring_preference", preference.words, CONFIDENCE["inferred"], first.at, PREFERENCE,
        first.session, sources or (first.source,),
    )  # fmt: skip


def _claim(
    subject: str, predicate: str, object_: str, confidence: float, at: datetime, rule: str, session: str,
    sources: Iterable[Source],
) -> Claim:  # fmt: skip
    first, *rest = dict.fromkeys(sources)
    return Claim(
        subject=subject,
        predicate=predicate,
        object=object_,
        mode="assert",
        certainty="inferred",
        confidence=confidence,
        valid_from=at,
        valid_to=None,
        single_valued=False,
        rule=rule,
        session=session,
        source=first,
        ordinal=0,
        more_sources=tuple(rest),
    )


def _evidence(sightings: Iterable[Sighting]) -> list[Source]:
    """Return the source words of the latest sightings, in order."""
    latest = sorted(sightings, key=lambda one: one.sources[0].position)[-MOST_CITED:]
    return sorted({source for sighting in latest for source in sighting.sources}, key=lambda one: one.position)


def _blank(strategy: uuid.UUID, way: Way, at: datetime) -> Tally:
    description = f"{way.task}: {way.name}" if way.task else way.name
    return Tally(strategy, way, 0, 0, at, at, description, way.task)


def probes(
    attempts: Iterable[Attempt], known: Mapping[uuid.UUID, Known], occurrences: Iterable[patterns.Occurrence]
) -> list[Claim]:
    """Return claims about all strategies and routines that *attempts* and *occurrences* may affect, to load their
    beliefs.
    """
    claims = [routine_claim(occurrence) for occurrence in occurrences]
    for attempt in attempts:
        way = _way(attempt, known)
        claims += [strategy_claim(way, attempt, patterns.Support())] if way else []
    return claims


def _way(attempt: Attempt, known: Mapping[uuid.UUID, Known]) -> Way | None:
    """Return the task and tools of *attempt*, or those of the strategy in *known* that *attempt* names; None if
    unknown.
    """
    named = known.get(attempt.named) if attempt.named else None
    return named.way if named else attempt.way
