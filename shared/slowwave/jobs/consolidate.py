"""Turn a scope's pending episodes into facts: all episodes of a window, late ones included, or none."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from slowwave.core.beliefs.refused import hollow, planned_before, secret
from slowwave.core.contradiction.matters import Matters
from slowwave.core.contradiction.reconsideration import reports_change
from slowwave.core.contradiction.references import TurnOrder, points_back
from slowwave.core.contradiction.reported_changes import ENDING
from slowwave.core.fold import Decision, Fold
from slowwave.core.graph.edges import names_of
from slowwave.core.late_arrivals.history import Past
from slowwave.core.late_arrivals.late_claims import (
    Since,
    again,
    backfilled_positions,
    claims_since,
    fold_before,
    names,
    restated_facts,
    same_belief,
    takes_back,
)
from slowwave.core.late_arrivals.placement import Folded, fold_in_place
from slowwave.core.patterns import is_preference
from slowwave.core.predicates import Predicates
from slowwave.domain.claim import Claim
from slowwave.domain.episode import StoredEpisode
from slowwave.domain.job_table import DETECT_PATTERNS, RECONSIDER, pack_of
from slowwave.domain.queries.unread import ReadIn
from slowwave.domain.run import Run
from slowwave.errors import Incorrect, NotLoaded
from slowwave.formatting import UNREAD
from slowwave.jobs.read_ahead import begin_next
from slowwave.ports import Embedder, Extractor, IntentRequest, Plan, Settled
from slowwave.ports.context import Ahead, LooksBack, Upcoming, extracted
from slowwave.ports.model_calls import Applied, Read, ReplyReader
from slowwave.store.runs.runs import PostgresRuns

ReadAgain = Callable[[Sequence[StoredEpisode], Sequence[StoredEpisode]], list[Claim]]
"""A function that takes earlier turns and the turns after them; it returns the claims about the later turns."""


@dataclass(frozen=True, slots=True)
class LateEpisode:
    """A late episode. *since* has the known claims about later times that the episode may affect.

    *occurred* is the time when the episode happened.
    """

    position: int
    occurred: datetime
    since: Sequence[Since]


def first_late_episode(
    run: Run,
    store: PostgresRuns,
    claims: Sequence[Claim],
    late_claims: Sequence[Claim],
    occurred: Mapping[int, datetime],
    predicates: Predicates,
    read_again: ReadAgain,
) -> LateEpisode | None:
    """Return the window's first episode whose *late_claims* must be decided before known claims, or None.

    The known claims come from episodes that happened later, but were read earlier. They are in the ledger and in the
    reviews. `_unused_news` adds claims that report a change but changed nothing when a run read them; these claims are
    read again from the turns. A belief with the same words as a late claim, but a later start, also counts as a known
    claim. *claims* are all claims of the window. *occurred* maps the positions of the window's episodes to their times.
    """
    matters = Matters(predicates)
    earliest = min(occurred[claim.source.position] for claim in late_claims)
    known = store.endings_since(run, earliest) if run.before > 1 else []
    pointing = any(map(points_back, [*claims, *(one.claim for one in known)]))
    fold = replace(store.fold(run, predicates.reach(late_claims), ordered=pointing), predicates=predicates)
    repeated = {fact for claim in late_claims for fact in restated_facts(claim, fold)}
    later_claims = [*known, *_unused_news(run, store, late_claims, known, earliest, matters, read_again)]
    repeats = store.source_claims(run, repeated) if repeated else []
    here = [
        Since(one, occurred[one.source.position])
        for one in claims
        if takes_back(one) or predicates.of(one.predicate).ends or any(same_belief(one, claim) for claim in late_claims)
    ]
    for position in sorted({claim.source.position for claim in late_claims}):
        at, mine = occurred[position], [claim for claim in late_claims if claim.source.position == position]
        since = [one for claim in mine for one in claims_since(claim, at, later_claims, matters, fold)]
        since += [one for one in repeats if one.occurred > at and one.claim.source.position < position]
        if since or any(_ahead(claim, at, here, matters, fold.turn_order) for claim in mine):
            return LateEpisode(position, at, list(dict.fromkeys(since)))
    return None


def _unused_news(
    run: Run,
    store: PostgresRuns,
    late_claims: Sequence[Claim],
    known: Sequence[Since],
    earliest: datetime,
    matters: Matters,
    read_again: ReadAgain,
) -> list[Since]:
    """Return the reported changes that changed nothing when a run read their turns, but may concern *late_claims*.

    Only late claims that assert or correct a belief count. *read_again* reads the turns again.
    """
    asserted = [claim for claim in late_claims if claim.mode in ("assert", "correct")]
    words = sorted({word for claim in asserted for word in names(claim, matters)})
    if not words or run.before == 1:
        return []
    turns, before = store.turns_since(run, earliest, words)
    when = {turn.position: turn.occurred for turn in turns}
    news = read_again(before, turns) if turns else []
    return [Since(one, when[one.source.position]) for one in again(news, late_claims, known, matters)]


def _ahead(claim: Claim, occurred: datetime, here: Sequence[Since], matters: Matters, order: TurnOrder) -> bool:
    """Return whether another claim of this window may concern the late *claim*.

    *here* has claims of this window, which are not in the ledger yet. A claim counts only if it has an earlier
    position, but a later time.
    """
    later_claims = [
        one for one in here if one.occurred > occurred and one.claim.source.position < claim.source.position
    ]
    if claim.single_valued or takes_back(claim) or any(same_belief(one.claim, claim) for one in later_claims):
        return bool(later_claims)
    return bool(claims_since(claim, occurred, later_claims, matters, Fold(turn_order=order)))


@dataclass(frozen=True, slots=True)
class Consolidate:
    """A `Job` that turns episodes into facts: an extractor proposes claims, and a `Fold` decides them one by one.

    If the window waited for a model, *replies* reads the claims from the model's replies, and the claims are compared
    with the facts that are believed now. *unread* finds turns in languages that no pack reads. These turns yield no
    claims; the run records them, to explain why nothing was learned. *languages* maps the name of a pack to its
    languages; packs that read all languages are not in this mapping. *ahead* reads the next windows in other processes
    meanwhile. *canaries* are the packs that read, in place of the extractors of the same name, the runs of scopes in a
    canary's share.
    """

    extractors: Mapping[str, Extractor]
    embedder: Embedder
    predicates: Predicates
    replies: ReplyReader | None = None
    unread: Callable[[Sequence[StoredEpisode]], Mapping[int, str]] | None = None
    languages: Mapping[str, frozenset[str]] = field(default_factory=dict)
    ahead: Ahead | None = None
    canaries: Mapping[str, Extractor] = field(default_factory=dict)

    def think(self, run: Run, store: PostgresRuns) -> Plan:
        """Return the decisions about all claims of the window's episodes, and the vectors of new facts.

        A late episode that may change earlier decisions gets its own window. Therefore the result does not depend on
        how episodes are divided into windows.
        """
        read = self._read(run, store)
        claims = self._sound(read.claims)
        secrets = read.counts.get("secrets", 0) + len(read.claims) - len(claims)
        before = run.newest or (store.newest(run) if run.before > 1 else None)

        positions = backfilled_positions(read.occurred, before)
        late_episode = self._late_episode(run, store, claims, read.occurred, positions)
        if late_episode and (run.lo, run.hi) != (late_episode.position, late_episode.position):
            upto = late_episode.position - 1 if late_episode.position > run.lo else run.lo
            first = self.think(replace(run, hi=upto, newest=before), store)
            return replace(first, upto=upto if first.upto is None else first.upto)
        ordered = bool(positions) and any(map(points_back, claims))
        folded = self._folded(run, store, claims, late_episode, ordered=ordered) if claims else Folded()
        decisions = folded.decisions

        new = [decision for decision in decisions if decision.kind in ("add", "update")]
        changing = [decision for decision in decisions if decision.kind in ("add", "update", "delete")]
        told = any(one.kind == "add" and reports_change(one.opens[0]) for one in decisions)  # of facts it does not name
        changed = told or bool(positions)  # here, or in turns read before a late episode
        unmatched = any(one.kind == "noop" and one.claim.effect in ENDING for one in decisions)
        asks = bool(changing) or unmatched or run.model_window is not None  # a model may find an end in any turn
        names = names_of((decision.opens[0] for decision in new), self.predicates)
        vectors = self.embedder.embed([*(decision.opens[0].text for decision in new), *names])
        return Plan(
            decisions=decisions,
            fact_vectors={d.id: v for d, v in zip(new, vectors, strict=False) if v.any()},
            name_vectors={name: v for name, v in zip(names, vectors[len(new) :], strict=True) if v.any()},
            episodes=read.episodes,
            effects=[
                read.effect,
                *([ReadIn(self.languages[run.pack], read.unread)] if run.pack in self.languages else []),
                *([Settled(folded.settled)] if folded.settled else []),
                *([IntentRequest(RECONSIDER, pack_of(RECONSIDER), at_once=changed)] if asks else []),
                *([IntentRequest(DETECT_PATTERNS, pack_of(DETECT_PATTERNS))] if _about_preferences(decisions) else []),
            ],
            counts={
                **read.counts,
                **{f"{UNREAD}{language}": count for language, count in sorted(Counter(read.unread.values()).items())},
                **({"secrets": secrets} if secrets else {}),
                **({"late": len(positions)} if positions else {}),
            },
            newest=max([*read.occurred.values(), *([before] if before else [])], default=None),
        )

    def witness(self, run: Run) -> bool:
        """Return whether the pack passes its own test cases in this process."""
        if run.model_window is not None and self.replies:
            return self.replies.sound(run)
        return self._extractor(run).sound()

    def _sound(self, claims: Sequence[Claim]) -> list[Claim]:
        return [self.predicates.canonical(claim) for claim in claims if not secret(claim)]

    def _late_episode(
        self,
        run: Run,
        store: PostgresRuns,
        claims: Sequence[Claim],
        occurred: Mapping[int, datetime],
        positions: Sequence[int],
    ) -> LateEpisode | None:
        late_claims = [claim for claim in claims if claim.source.position in positions]
        if not late_claims:
            return None

        def again(before: Sequence[StoredEpisode], turns: Sequence[StoredEpisode]) -> list[Claim]:
            if run.model_window is not None and self.replies:
                return self._sound(self.replies.news(run, before, turns))
            return self._sound(extracted(self._extractor(run), before, turns))

        return first_late_episode(run, store, claims, late_claims, occurred, self.predicates, again)

    def _folded(
        self, run: Run, store: PostgresRuns, claims: Sequence[Claim], late_episode: LateEpisode | None, *, ordered: bool
    ) -> Folded:
        """Return the decisions about *claims*, given the facts that are believed now.

        The claims of a retry or of a late episode are decided in order of time, as if they had been read in time. If
        *ordered* is True, the held facts are read with the order of their turns.
        """
        if late_episode:
            since = store.past_since(run, claims, late_episode.since)
            folded = fold_before(self._knowing(since), claims, late_episode.occurred, late_episode.since)
            if folded:
                return folded
        past = store.past(run, claims) if run.only else None
        if past is not None:
            return fold_in_place(self._knowing(past), claims)
        fold = replace(store.fold(run, self.predicates.reach(claims), ordered=ordered), predicates=self.predicates)
        return Folded([decision for claim in claims for decision in fold.decide(claim)])

    def _knowing(self, past: Past) -> Past:
        return replace(past, before=replace(past.before, predicates=self.predicates))

    def _read(self, run: Run, store: PostgresRuns) -> Read:
        if run.model_window is not None and self.replies:
            return self.replies.read(run)
        extractor = self._extractor(run)
        looks = isinstance(extractor, LooksBack) and extractor.looks_back
        episodes, before = store.episodes_and_before(run) if looks else (store.episodes(run), [])
        own = Upcoming((run.scope, run.pack, run.lo), before, episodes)
        ahead = None if run.pack in self.canaries else self.ahead
        readers = {name: one for name, one in self.extractors.items() if name not in self.canaries}
        begin_next(ahead, readers, run, store, own)
        claims = extracted(extractor, before, episodes, ahead=ahead, place=own.place)
        _require_cited(claims, before, episodes)
        possible = [claim for claim in claims if not planned_before(claim, episodes)]
        sound = [claim for claim in possible if not hollow(claim, episodes)]
        dropped = {
            "plans begun before they were made": len(claims) - len(possible),
            "secrets": len(possible) - len(sound),
        }
        counts = {what: number for what, number in dropped.items() if number}
        occurred = {episode.position: episode.occurred for episode in episodes}
        return Read(sound, len(episodes), Applied(), counts, self.unread(episodes) if self.unread else {}, occurred)

    def _extractor(self, run: Run) -> Extractor:
        """Return the pack of a run: the canary of its scope, or the installed pack."""
        installed, canary = self.extractors.get(run.pack), self.canaries.get(run.pack)
        here = [installed] if run.canary is None else [canary, installed]
        found = next((one for one in here if one and run.canary in (None, one.version)), None)
        if found is None:
            raise NotLoaded(run.pack, run.canary)
        return found


def _require_cited(claims: Sequence[Claim], before: Sequence[StoredEpisode], episodes: Sequence[StoredEpisode]) -> None:
    """Raise `Incorrect` if the main source of a claim is not in *episodes*, or if another source is in neither list."""
    here = {episode.id: len(episode.content) for episode in episodes}
    around = {episode.id: len(episode.content) for episode in before} | here
    for claim in claims:
        if not (claim.source.stands_in(here) and all(source.stands_in(around) for source in claim.more_sources)):
            raise Incorrect(f"rule {claim.rule} cites words that are not in the window's episodes")


def _about_preferences(decisions: Sequence[Decision]) -> bool:
    """Return whether a preference was stated, confirmed or ended, so that preference patterns may change."""
    return any(is_preference(decision.key[1]) for decision in decisions)
