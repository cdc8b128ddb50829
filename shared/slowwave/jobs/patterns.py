"""Detect patterns in episodes (successful strategies, routines, preferences), and count the successes of tools."""

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from slowwave.core.beliefs.identity import BeliefKey, key_of
from slowwave.core.fold import Fold
from slowwave.core.learning import Learner, held_claim, pattern_names, preference_claim, probes
from slowwave.core.patterns import LEARNING, Learning, Occurrence, occurrences, strategy_id
from slowwave.core.predicates import Predicates
from slowwave.core.tool_attempts import attempts, tool_calls
from slowwave.domain.attempt import Attempt
from slowwave.domain.claim import Source
from slowwave.domain.episode import StoredEpisode
from slowwave.domain.pattern import Preference
from slowwave.domain.run import Run
from slowwave.ports import Embedder, Plan
from slowwave.store.patterns.records import Counted, PostgresPatterns
from slowwave.store.runs.runs import PostgresRuns


@dataclass(frozen=True, slots=True)
class DetectPatterns:
    """A `Job` that detects patterns.

    An attempt counts in the window of its outcome, even if earlier windows have its tool calls.
    """

    patterns: PostgresPatterns
    embedder: Embedder
    predicates: Predicates
    learning: Learning = LEARNING

    def think(self, run: Run, store: PostgresRuns) -> Plan:
        """Return the decisions about strategies, routines and preferences, and the counts to record."""
        episodes = store.episodes(run)
        ended = any(episode.kind == "outcome" for episode in episodes)
        tried = attempts(self.patterns.trail(run) if ended else (), episodes)
        seen = occurrences(run.scope, tried, episodes)
        preferences = _by_words(self.patterns.preferences(run))
        learner = self._learner(run, store, tried, seen, preferences)

        for attempt in tried:
            learner.tried(attempt)
        for occurrence in seen:
            learner.saw(occurrence)
        for same in preferences:
            learner.heard(same)
        return self._plan(learner, episodes)

    def witness(self, run: Run) -> bool:  # noqa: ARG002  # a job answers for every run alike
        """Return whether the embedder answers."""
        return bool(self.embedder.embed(["hello"]).any())

    def _learner(
        self,
        run: Run,
        store: PostgresRuns,
        tried: Sequence[Attempt],
        seen: Sequence[Occurrence],
        preferences: Sequence[Sequence[Preference]],
    ) -> Learner:
        """Return the state at the start: all earlier records and held facts that the window of the run affects."""
        recurring = [held_claim(same[0]) for same in preferences]
        strategies = {strategy_id(run.scope, each.way) for each in tried if each.way}
        known = self.patterns.known(run, strategies | {each.named for each in tried if each.named})
        claims = [*probes(tried, known, seen), *recurring]
        fold = store.fold(run, claims) if claims else Fold()
        fold.derive, fold.predicates = pattern_names(run.scope, run.pack), self.predicates
        sources = self.patterns.sources(
            run, {v.fact for claim in recurring for v in fold.active.get(key_of(claim), ())}
        )
        return Learner(
            run.scope,
            fold,
            known,
            self.patterns.seen(run, known.keys() | strategies | {one.pattern for one in seen}),
            sources,
            self._done(run, fold, preferences, sources),
            self.learning,
        )

    def _done(
        self,
        run: Run,
        fold: Fold,
        preferences: Sequence[Sequence[Preference]],
        sources: Mapping[uuid.UUID, list[Source]],
    ) -> set[uuid.UUID]:
        """Return the ids of earlier decisions about *preferences*. *sources* are those of held facts, by fact."""
        every = [each for same in preferences for each in same]
        claims = [claim for each in every if (claim := preference_claim(each, self.learning))]
        for same in preferences:
            held = fold.active.get(key_of(held_claim(same[0])), ())
            claims += [held_claim(same[0], sources[version.fact]) for version in held]
        done: set[uuid.UUID] = set()
        number = 0
        while found := self.patterns.done(
            run, [fold.derive(claim, number + each) for claim in claims for each in (0, 1)]
        ):
            done |= found
            number += 2
        return done

    def _plan(self, learner: Learner, episodes: Sequence[StoredEpisode]) -> Plan:
        tallies = list(learner.tallies.values())
        words = [f"{tally.description} {tally.context_pattern} {tally.way.task}" for tally in tallies]
        facts = {d.id: d.opens[0].text for d in learner.decisions if d.kind == "add"}
        vectors = self.embedder.embed([*words, *facts.values()])
        named = zip([*(tally.strategy for tally in tallies), *facts], vectors, strict=True)
        by_id = {id_: vector for id_, vector in named if vector.any()}
        return Plan(
            decisions=learner.decisions,
            fact_vectors={id_: by_id[id_] for id_ in facts if id_ in by_id},
            episodes=len(episodes),
            effects=[
                Counted(
                    tallies,
                    tool_calls(episodes),
                    learner.sightings,
                    by_id,
                    (self.embedder.space, self.embedder.dimensions),
                )
            ],
        )


def _by_words(preferences: Iterable[Preference]) -> list[list[Preference]]:
    """Return *preferences* in groups of the same belief."""
    groups: dict[BeliefKey, list[Preference]] = {}
    for preference in preferences:
        groups.setdefault(key_of(held_claim(preference)), []).append(preference)
    return list(groups.values())
