"""Replay: the beliefs that a scope would have if another version of a pack had read it, and its present beliefs."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from slowwave.core.contradiction.references import telling
from slowwave.core.dry_run.comparison import Difference, compare_beliefs
from slowwave.core.dry_run.decisions import believed_at, try_claims
from slowwave.core.fold import Fold
from slowwave.core.predicates import Predicates
from slowwave.domain.claim import Claim
from slowwave.domain.episode import StoredEpisode
from slowwave.domain.scope import Scope
from slowwave.errors import Incorrect
from slowwave.jobs.dry_run.claims import claims_of
from slowwave.memory.dry_runs import AnyPack, extractor_of, in_force, installed, merged_predicates
from slowwave.memory.dry_runs.stored_replies import StoredReplies
from slowwave.ports import Extractor
from slowwave.rules import Pack
from slowwave.store.beliefs.held_facts import derivation
from slowwave.store.dry_runs.dry_runs import PostgresDryRuns
from slowwave.store.dry_runs.present import Present, present
from slowwave.wiring import Parts
from slowwave.wiring.cardinality_guard import refuse_changes


@dataclass(frozen=True, slots=True)
class Replay:
    """The *difference* between the present beliefs and those of a replay over *episodes*.

    *kept* counts the present beliefs that no pack made, such as corrections and promotions: a replay does not change
    them. *asked* has the pack's stored replies and the requests without a reply, if it needs a model.
    """

    pack: str
    version: int
    episodes: int
    claims: int
    difference: Difference
    kept: int
    asked: Sequence[StoredReplies] = ()


def replay(parts: Parts, pack: AnyPack, scope: Scope) -> Replay:
    """Return what *scope* would believe if *pack* had read it in place of the pack of the same name. Writes nothing.

    A replay reads only episodes that were read before. Undone claims of other packs stay undone. Raises `Incorrect` if
    the pack cannot be registered, or if no pack of its name has read anything here.
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
    extractors = {one.pack: extractor_of(parts, one, scope, episodes) for one in packs.values()}
    predicates = merged_predicates(packs.values())

    same = {name for name, one in packs.items() if name in here and here[name].version == one.version}
    claims = _claims(extractors, episodes, predicates, now, scope, undone_of=same, window=parts.settings.window)
    read = [one for one in episodes if one.position <= max(now.read.values())]
    told = telling([one.position for one in sorted(read, key=lambda one: (one.occurred, one.position))])
    then = try_claims(claims, Fold(predicates=predicates, told=told), episodes, now.at).after
    found = compare_beliefs(believed_at(now.believed, now.at), then, predicates)

    lost = tuple(one for one in found.lost if _pack_of_rule(one.rule) in packs)
    changed = tuple(pair for pair in found.changed if _pack_of_rule(pair[0].rule) in packs)
    kept = len(found.lost) - len(lost) + len(found.changed) - len(changed)
    replies = extractors[pack.pack]
    return Replay(
        pack.pack, pack.version, len(read), len(claims),
        replace(found, lost=lost, changed=changed), kept,
        [replies] if isinstance(replies, StoredReplies) else [],
    )  # fmt: skip


def _claims(
    extractors: dict[str, Extractor], episodes: Sequence[StoredEpisode], predicates: Predicates, now: Present,
    scope: Scope, *, undone_of: Iterable[str], window: int,
) -> list[Claim]:  # fmt: skip
    """Return the claims by the time when their episodes occurred, as consolidation orders late episodes."""
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
