"""Dry runs of packs on a file, on a stored scope or against the installed pack; and previews of replays."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from slowwave.core.contradiction.references import TurnOrder
from slowwave.core.contradiction.reported_changes import with_rule_news
from slowwave.core.dry_run import Difference, DryRunBeliefs, believed_at, compare_beliefs, try_claims
from slowwave.core.fold import Fold
from slowwave.core.predicates import Predicates
from slowwave.domain.claim import Claim
from slowwave.domain.episode import StoredEpisode
from slowwave.domain.job_table import PLAN
from slowwave.domain.model_calls import Chunk
from slowwave.domain.run import Run
from slowwave.domain.scope import Scope
from slowwave.errors import Incorrect
from slowwave.former_names import warn_of_former
from slowwave.jobs.dry_run import DryRun, claims_of
from slowwave.jobs.model_calls.window import PlanWindow, news_of
from slowwave.ports import Extractor
from slowwave.ports.model_calls import Request
from slowwave.rules import Pack
from slowwave.rules.model_packs.pack import ReaderPack
from slowwave.rules.predicates import merged, together
from slowwave.store.beliefs.affected_facts import derivation
from slowwave.store.dry_runs import PostgresDryRuns, Present, present
from slowwave.wiring import Parts
from slowwave.wiring.packs import news_beside, reading_beside, refuse_changes

AnyPack = Pack | ReaderPack


@dataclass(frozen=True, slots=True)
class StoredReplies:
    """An `Extractor` that returns the *claims* in a model pack's stored *replies*.

    *missing* has the requests without a reply.
    """

    pack: str
    version: int
    claims: Sequence[Claim]
    replies: int
    missing: Sequence[Request]

    @property
    def unasked(self) -> list[Chunk]:
        """The chunks of the missing requests."""
        return [request.chunk for request in self.missing]

    def propose(self, episodes: Sequence[StoredEpisode]) -> list[Claim]:
        """Return the claims about the *episodes*."""
        positions = {episode.position for episode in episodes}
        return [claim for claim in self.claims if claim.source.position in positions]

    def sound(self) -> bool:
        return True


def stored_replies(parts: Parts, pack: ReaderPack, scope: Scope, episodes: Sequence[StoredEpisode]) -> StoredReplies:
    """Return the stored replies to requests of *pack* about *episodes* of *scope*, with the windows as recorded.

    Writes nothing.
    """
    stored, planner = PostgresDryRuns(parts.database), PlanWindow({pack.pack: pack}, parts.model_requests)
    head = max((episode.position for episode in episodes), default=0)
    requests = {}
    for lo, hi in _borders(stored.windows(scope, pack.pack), head, parts.settings.window):
        part = [episode for episode in episodes if lo <= episode.position <= hi]
        planned = planner.planned(
            Run(0, 0, scope.tenant, scope.id, PLAN, pack.pack, lo, hi, target=hi, fence=0, owner="trial"), part,
            anew=True,
        )  # fmt: skip  # the run is not stored
        requests.update({request.key: request for request in planned.requests})
    replies = {reply.request: reply for reply in stored.replies(scope, list(requests))}
    beside = news_beside(parts.packs, {*parts.models, pack.pack}).get(pack.pack, ())
    chunks = [reply.chunk for reply in replies.values()]
    news = [claim for one in beside for chunk in chunks for claim in news_of(one, chunk, chunk.positions)]
    read = [claim for reply in replies.values() for claim in pack.read(reply.chunk, reply.raw or "").claims]
    claims = with_rule_news(read, news)
    missing = [request for key, request in requests.items() if key not in replies]
    return StoredReplies(pack.pack, pack.version, claims, len(replies), missing)


def _borders(recorded: Sequence[tuple[int, int]], head: int, size: int) -> Iterator[tuple[int, int]]:
    """Yield the first and last position of each window, in order.

    *recorded* windows stay as they are. All other positions up to *head* are divided into windows of *size* episodes.
    """
    next_ = 1
    for lo, hi in [*recorded, (head + 1, head)]:
        yield from ((start, min(start + size, lo) - 1) for start in range(next_, lo, size))
        if hi >= max(lo, next_):
            yield max(lo, next_), hi
        next_ = max(next_, hi + 1)


@dataclass(frozen=True, slots=True)
class Tryout:
    """The result of a dry run on stored episodes. If the pack needs a model, *asked* has the replies of each scope."""

    trial: DryRun
    asked: Sequence[StoredReplies] = ()


def over_file(pack: Pack, episodes: Sequence[StoredEpisode], *, window: int) -> DryRun:
    """Return the beliefs that *pack* would make from *episodes*, starting without facts."""
    claims = claims_of([pack], episodes, pack.predicates, window=window)
    at = max(episode.occurred for episode in episodes)
    found = try_claims(claims, Fold(predicates=pack.predicates), episodes, at)
    return _trial([(len(episodes), len(claims), found)], [compare_beliefs(found.before, found.after, pack.predicates)])


def over_scope(parts: Parts, pack: AnyPack, scope: Scope) -> Tryout:
    """Return how the beliefs of *scope* would differ from the present beliefs if *pack* had read all episodes of the
    scope.

    Raises `Incorrect` if the pack changes a predicate with stored facts between single-valued and multi-valued.
    """
    refuse_changes(parts.database, {**installed(parts), pack.pack: pack}.values())
    stored = PostgresDryRuns(parts.database)
    predicates = merged_predicates({**installed(parts), pack.pack: pack}.values())
    episodes = stored.episodes(scope)
    extractor = extractor_of(parts, pack, scope, episodes)
    claims = claims_of([extractor], episodes, predicates, window=parts.settings.window)
    fold = stored.fold(scope, pack.pack, predicates.reach(claims))
    fold.predicates = predicates
    found = try_claims(claims, fold, episodes, stored.now(scope.tenant))
    trial = _trial([(len(episodes), len(claims), found)], [compare_beliefs(found.before, found.after, predicates)])
    return Tryout(trial, [extractor] if isinstance(extractor, StoredReplies) else [])


def against_installed(parts: Parts, pack: AnyPack, *, scopes: int) -> Tryout:
    """Compare the beliefs of a tenant's largest scopes with *pack* and with the installed packs.

    *scopes* is the number of scopes. Both sides read all episodes of these scopes. On one side, *pack* replaces the
    installed pack of the same name. Packs that need a model use stored replies.
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
    """Return the extractor of *pack*: the pack itself, or the stored replies about *episodes* if the pack needs a
    model.
    """
    return stored_replies(parts, pack, scope, episodes) if isinstance(pack, ReaderPack) else pack


def installed(parts: Parts) -> dict[str, AnyPack]:
    """Return the installed packs, by name."""
    readers = {name: model for name, model in parts.models.items() if isinstance(model, ReaderPack)}
    return {**{one.pack: one for one in parts.packs}, **readers}


def in_force(packs: dict[str, AnyPack]) -> dict[str, AnyPack]:
    """Return the *packs* that read episodes together.

    If there is a model pack, rule packs that leave the reading to a model are left out.
    """
    models = {name: one for name, one in packs.items() if isinstance(one, ReaderPack)}
    rules = [one for one in packs.values() if isinstance(one, Pack)]
    return {**{one.pack: one for one in reading_beside(rules, list(models))}, **models}


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


@dataclass(frozen=True, slots=True)
class Replay:
    """The *difference* between the present beliefs and the beliefs of a replay over *episodes*.

    *of_no_pack* is the number of present beliefs that no pack made, such as corrections and promotions. A replay does
    not change these beliefs. If the pack needs a model, *asked* has the stored replies and the requests without a
    reply.
    """

    pack: str
    version: int
    episodes: int
    claims: int
    difference: Difference
    of_no_pack: int
    asked: Sequence[StoredReplies] = ()

    @property
    def kept(self) -> int:
        """The former name of `of_no_pack`."""
        warn_of_former("kept", "of_no_pack")
        return self.of_no_pack


def replay(parts: Parts, pack: AnyPack, scope: Scope) -> Replay:
    """Return how the beliefs of *scope* would differ if *pack*, and not the installed version, had read the episodes.

    Writes nothing.

    A replay reads only episodes that were read before. Undone claims of other packs stay undone. Raises `Incorrect` if
    the pack cannot be registered, or if no pack of this name has read an episode of *scope*.
    """
    if isinstance(pack, Pack) and not parts.settings.statements:
        pack = pack.without_statements()
    here = installed(parts)
    refuse_changes(parts.database, {**here, pack.pack: pack}.values())
    now, stored = present(parts.database, scope), PostgresDryRuns(parts.database)
    if pack.pack not in now.read:
        raise Incorrect(
            f"no pack {pack.pack!r} has read anything in {scope.key}",
            hint=f"`slowwave rules dry-run {pack.pack} --user {scope.user}` tries a new pack",
        )
    episodes = stored.episodes(scope)
    packs = {**in_force({**here, pack.pack: pack}), pack.pack: pack}
    extractors = {
        one.pack: extractor_of(parts, one, scope, [each for each in episodes if each.position <= now.read.get(name, 0)])
        for name, one in packs.items()
    }
    predicates = merged_predicates(packs.values())

    same = {name for name, one in packs.items() if name in here and here[name].version == one.version}
    claims = _claims(extractors, episodes, predicates, now, scope, undone_of=same, window=parts.settings.window)
    read = [one for one in episodes if one.position <= max(now.read.values())]
    order = TurnOrder([one.position for one in sorted(read, key=lambda one: (one.occurred, one.position))])
    then = try_claims(claims, Fold(predicates=predicates, turn_order=order), episodes, now.at).after
    found = compare_beliefs(believed_at(now.believed, now.at), then, predicates)

    lost = tuple(one for one in found.lost if _pack_of_rule(one.rule) in packs)
    changed = tuple(pair for pair in found.changed if _pack_of_rule(pair[0].rule) in packs)
    of_no_pack = len(found.lost) - len(lost) + len(found.changed) - len(changed)
    replies = extractors[pack.pack]
    return Replay(
        pack.pack, pack.version, len(read), len(claims),
        replace(found, lost=lost, changed=changed), of_no_pack,
        [replies] if isinstance(replies, StoredReplies) else [],
    )  # fmt: skip


def _claims(
    extractors: dict[str, Extractor], episodes: Sequence[StoredEpisode], predicates: Predicates, now: Present,
    scope: Scope, *, undone_of: Iterable[str], window: int,
) -> list[Claim]:  # fmt: skip
    """Return the claims, sorted by the times of their episodes.

    Consolidation decides late episodes in the same order.
    """
    occurred = {one.position: one.occurred for one in episodes}
    found: list[tuple[datetime, int, Claim]] = []
    for name in sorted(extractors):
        derive = derivation(scope.id, name)
        for claim in claims_of([extractors[name]], episodes, predicates, window=window):
            position = claim.source.position
            undone = name in undone_of and derive(claim, 0) in now.undone
            if position <= now.read.get(name, 0) and not undone:
                found.append((occurred[position], position, claim))
    return [claim for *_, claim in sorted(found, key=lambda one: one[:2])]


def _pack_of_rule(rule: str) -> str:
    return rule.partition("/")[0]
