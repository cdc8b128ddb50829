"""Trials of packs on a file, on a stored scope, or against the installed packs. Nothing is written."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from slowwave.core.dry_run.comparison import Difference, compare_beliefs
from slowwave.core.dry_run.decisions import DryRunBeliefs, try_claims
from slowwave.core.fold import Fold
from slowwave.core.predicates import Predicates
from slowwave.domain.episode import StoredEpisode
from slowwave.domain.scope import Scope
from slowwave.jobs.dry_run.claims import DryRun, claims_of
from slowwave.memory.dry_runs.stored_replies import StoredReplies, stored_replies
from slowwave.ports import Extractor
from slowwave.rules import Pack
from slowwave.rules.model_packs.pack import ReaderPack
from slowwave.rules.predicates import merged, together
from slowwave.store.dry_runs.dry_runs import PostgresDryRuns
from slowwave.wiring import Parts
from slowwave.wiring.cardinality_guard import refuse_changes
from slowwave.wiring.packs import reading_beside

AnyPack = Pack | ReaderPack


@dataclass(frozen=True, slots=True)
class Tryout:
    """A trial on stored episodes; *asked* has the replies for each scope, if the pack needs a model."""

    trial: DryRun
    asked: Sequence[StoredReplies] = ()


def over_file(pack: Pack, episodes: Sequence[StoredEpisode], *, window: int) -> DryRun:
    """Return what *pack* would believe at the end of *episodes*, starting without facts."""
    claims = claims_of([pack], episodes, pack.predicates, window=window)
    at = max(episode.occurred for episode in episodes)
    found = try_claims(claims, Fold(predicates=pack.predicates), episodes, at)
    return _trial([(len(episodes), len(claims), found)], [compare_beliefs(found.before, found.after, pack.predicates)])


def over_scope(parts: Parts, pack: AnyPack, scope: Scope) -> Tryout:
    """Return what *scope* would believe if *pack* had read all of it, compared with its current beliefs.

    Raises `Incorrect` if the pack changes a predicate with stored facts between single-valued and multi-valued.
    """
    refuse_changes(parts.database, {**installed(parts), pack.pack: pack}.values())
    stored = PostgresDryRuns(parts.database)
    predicates = _predicates_with(parts, pack)
    episodes = stored.episodes(scope)
    extractor = extractor_of(parts, pack, scope, episodes)
    claims = claims_of([extractor], episodes, predicates, window=parts.settings.window)
    fold = stored.held(scope, pack.pack, predicates.reach(claims))
    fold.predicates = predicates
    found = try_claims(claims, fold, episodes, stored.now(scope.tenant))
    trial = _trial([(len(episodes), len(claims), found)], [compare_beliefs(found.before, found.after, predicates)])
    return Tryout(trial, [extractor] if isinstance(extractor, StoredReplies) else [])


def against_installed(parts: Parts, pack: AnyPack, *, scopes: int) -> Tryout:
    """Return what a tenant's largest scopes would believe with *pack*, compared with the installed packs' result.

    Both sides read all episodes of that number of *scopes* from the beginning; *pack* replaces the installed pack of
    its name. Packs that need a model use stored replies.
    """
    stored = PostgresDryRuns(parts.database)
    here = installed(parts)
    tenant = parts.settings.tenant
    at = stored.now(tenant)
    runs: list[tuple[int, int, DryRunBeliefs]] = []
    differences: list[Difference] = []
    asked: list[StoredReplies] = []
    for scope, _ in stored.largest(tenant, most=scopes):
        episodes = stored.episodes(scope)
        outcomes = []
        for packs in (in_force(here), {**in_force({**here, pack.pack: pack}), pack.pack: pack}):
            predicates = merged_predicates(packs.values())
            extractors = {one.pack: extractor_of(parts, one, scope, episodes) for one in packs.values()}
            claims = claims_of(extractors.values(), episodes, predicates, window=parts.settings.window)
            outcomes.append((len(claims), try_claims(claims, Fold(predicates=predicates), episodes, at)))
        runs.append((len(episodes), *outcomes[1]))
        differences.append(compare_beliefs(outcomes[0][1].after, outcomes[1][1].after, predicates))
        asked += [one for one in [extractors[pack.pack]] if isinstance(one, StoredReplies)]
    return Tryout(_trial(runs, differences), asked)


def extractor_of(parts: Parts, pack: AnyPack, scope: Scope, episodes: Sequence[StoredEpisode]) -> Extractor:
    """Return the extractor of *pack*: the pack itself or, if it needs a model, the stored replies about *episodes*."""
    return stored_replies(parts, pack, scope, episodes) if isinstance(pack, ReaderPack) else pack


def installed(parts: Parts) -> dict[str, AnyPack]:
    """Return the installed packs, by name."""
    readers = {name: model for name, model in parts.models.items() if isinstance(model, ReaderPack)}
    return {**{one.pack: one for one in parts.packs}, **readers}


def in_force(packs: dict[str, AnyPack]) -> dict[str, AnyPack]:
    """Return *packs* as they read together: with a model, without the rules that give way to it."""
    models = {name: one for name, one in packs.items() if isinstance(one, ReaderPack)}
    rules = [one for one in packs.values() if isinstance(one, Pack)]
    return {**{one.pack: one for one in reading_beside(rules, list(models))}, **models}


def _predicates_with(parts: Parts, pack: AnyPack) -> Predicates:
    return merged_predicates({**installed(parts), pack.pack: pack}.values())


def merged_predicates(packs: Iterable[AnyPack]) -> Predicates:
    """Return the predicates of all *packs* together."""
    return merged(together(pack.declared for pack in packs))


def _trial(runs: Sequence[tuple[int, int, DryRunBeliefs]], differences: Sequence[Difference]) -> DryRun:
    decisions = Counter[str]()
    for _, _, found in runs:
        decisions.update(found.decisions)
    return DryRun(
        scopes=len(runs),
        episodes=sum(episodes for episodes, _, _ in runs),
        claims=sum(claims for _, claims, _ in runs),
        decisions=dict(sorted(decisions.items())),
        difference=Difference(
            tuple(one for each in differences for one in each.gained),
            tuple(one for each in differences for one in each.lost),
            tuple(one for each in differences for one in each.changed),
            sum(each.same for each in differences),
        ),
    )
