"""Packs tried over a file, over a stored scope, or against the installed packs. Nothing is written."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from slowwave.core.fold import Fold
from slowwave.core.predicates import Predicates
from slowwave.core.trial import Difference, Tried, compared, tried
from slowwave.domain.episode import StoredEpisode
from slowwave.domain.scope import Scope
from slowwave.jobs.trial import Trial, claims_of
from slowwave.memory.trials.at_hand import AtHand, at_hand
from slowwave.ports import Extractor
from slowwave.rules import Pack
from slowwave.rules.predicates import merged, together
from slowwave.rules.reader.pack import ReaderPack
from slowwave.store.trials.trials import PostgresTrials
from slowwave.wiring import Parts
from slowwave.wiring.packs import reading_beside
from slowwave.wiring.recasting import refuse

AnyPack = Pack | ReaderPack


@dataclass(frozen=True, slots=True)
class Tryout:
    """A trial over what is stored; of a pack that needs a model, with what was *asked* about each scope before."""

    trial: Trial
    asked: Sequence[AtHand] = ()


def over_file(pack: Pack, episodes: Sequence[StoredEpisode], *, window: int) -> Trial:
    """Return what *pack* would have believed at the end of *episodes*, nothing being held before."""
    claims = claims_of([pack], episodes, pack.predicates, window=window)
    at = max(episode.occurred for episode in episodes)
    found = tried(claims, Fold(predicates=pack.predicates), episodes, at)
    return _trial([(len(episodes), len(claims), found)], [compared(found.before, found.after, pack.predicates)])


def over_scope(parts: Parts, pack: AnyPack, scope: Scope) -> Tryout:
    """Return what *scope* would believe now, had *pack* read all of it, beside what it believes.

    Raises `Incorrect` where it could not be registered: over what is held a predicate keeps the number of its values.
    """
    refuse(parts.database, {**_installed(parts), pack.pack: pack}.values())
    stored = PostgresTrials(parts.database)
    predicates = _together(parts, pack)
    episodes = stored.episodes(scope)
    extractor = _extractor(parts, pack, scope, episodes)
    claims = claims_of([extractor], episodes, predicates, window=parts.settings.window)
    fold = stored.held(scope, pack.pack, predicates.reach(claims))
    fold.predicates = predicates
    found = tried(claims, fold, episodes, stored.now(scope.tenant))
    trial = _trial([(len(episodes), len(claims), found)], [compared(found.before, found.after, predicates)])
    return Tryout(trial, [extractor] if isinstance(extractor, AtHand) else [])


def against_installed(parts: Parts, pack: AnyPack, *, scopes: int) -> Tryout:
    """Return what the tenant's fullest *scopes* would believe if *pack* were installed, beside what they would with the
    packs that are: both read everything from the beginning. A pack of the same name is replaced.

    Of packs that need a model the replies at hand count, on either side.
    """
    stored = PostgresTrials(parts.database)
    installed = _installed(parts)
    tenant = parts.settings.tenant
    at = stored.now(tenant)
    runs: list[tuple[int, int, Tried]] = []
    differences: list[Difference] = []
    asked: list[AtHand] = []
    for scope, _ in stored.largest(tenant, most=scopes):
        episodes = stored.episodes(scope)
        outcomes = []
        for packs in (_in_force(installed), {**_in_force({**installed, pack.pack: pack}), pack.pack: pack}):
            predicates = _merged(packs.values())
            extractors = {one.pack: _extractor(parts, one, scope, episodes) for one in packs.values()}
            claims = claims_of(extractors.values(), episodes, predicates, window=parts.settings.window)
            outcomes.append((len(claims), tried(claims, Fold(predicates=predicates), episodes, at)))
        runs.append((len(episodes), *outcomes[1]))
        differences.append(compared(outcomes[0][1].after, outcomes[1][1].after, predicates))
        asked += [one for one in [extractors[pack.pack]] if isinstance(one, AtHand)]
    return Tryout(_trial(runs, differences), asked)


def _extractor(parts: Parts, pack: AnyPack, scope: Scope, episodes: Sequence[StoredEpisode]) -> Extractor:
    return at_hand(parts, pack, scope, episodes) if isinstance(pack, ReaderPack) else pack


def _installed(parts: Parts) -> dict[str, AnyPack]:
    readers = {name: model for name, model in parts.models.items() if isinstance(model, ReaderPack)}
    return {**{one.pack: one for one in parts.packs}, **readers}


def _in_force(packs: dict[str, AnyPack]) -> dict[str, AnyPack]:
    models = {name: one for name, one in packs.items() if isinstance(one, ReaderPack)}
    rules = [one for one in packs.values() if isinstance(one, Pack)]
    return {**{one.pack: one for one in reading_beside(rules, list(models))}, **models}


def _together(parts: Parts, pack: AnyPack) -> Predicates:
    return _merged({**_installed(parts), pack.pack: pack}.values())


def _merged(packs: Iterable[AnyPack]) -> Predicates:
    return merged(together(pack.declared for pack in packs))


def _trial(runs: Sequence[tuple[int, int, Tried]], differences: Sequence[Difference]) -> Trial:
    decisions = Counter[str]()
    for _, _, found in runs:
        decisions.update(found.decisions)
    return Trial(
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
