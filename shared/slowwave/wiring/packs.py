"""The installed packs: the rows to register, the schedules, and refused changes of cardinality."""

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Protocol

from slowwave.core.policy import Policies
from slowwave.core.predicates import Predicates
from slowwave.core.predicates.registry import Recast, recasts
from slowwave.domain.job_table import CONSOLIDATE, PLAN, PROMOTE, pack_of
from slowwave.domain.limits import canonical_json
from slowwave.errors import Incorrect
from slowwave.formatting import counted
from slowwave.jobs.model_calls.window import requests_edition
from slowwave.ports import Schedule, ScheduleKind
from slowwave.ports.model_calls import ModelExtractor
from slowwave.rules import Cadence, Pack, load_pack
from slowwave.rules.cadence import ANY_TIER
from slowwave.rules.canaries import Canary, declared_with
from slowwave.rules.folders import find_folders_in_force, find_reader_folders
from slowwave.rules.languages import Unread, read_by
from slowwave.rules.lifecycle import Lifecycle
from slowwave.rules.model_packs.loading import load_reader
from slowwave.rules.model_packs.pack import ReaderPack
from slowwave.rules.predicates import (
    PREDICATES,
    Declared,
    brought,
    disputes,
    holdings,
    load_predicates,
    merged,
    places_of,
    together,
)
from slowwave.rules.yaml_file import refusal
from slowwave.settings import Settings
from slowwave.store import packs as predicates
from slowwave.store import packs as registry
from slowwave.store.canaries import declare
from slowwave.store.database import Database
from slowwave.store.promotion import terms_changed
from slowwave.wiring.model_client import model_of

Places = Mapping[str, Sequence[Declared]]


def schedules(name: str, job: str, pack: str, cadence: Cadence) -> Iterator[Schedule]:
    """Yield the schedules of a job. Each schedule is named `name/kind`, and has the values that its kind needs."""

    def entry(kind: ScheduleKind, **fields: Any) -> Schedule:
        return Schedule(f"{name}/{kind}", job, pack, kind, missed=cadence.missed, **fields)

    if cadence.every is not None:
        yield entry("count", every=cadence.every)
    if cadence.max_age is not None:
        yield entry("age", seconds=cadence.max_age.total_seconds())
    if cadence.cron is not None:
        yield entry("cron", cron=cadence.cron, zone=cadence.tz)
    if cadence.interval is not None:
        yield entry("interval", seconds=cadence.interval.total_seconds())
    if cadence.idle is not None:
        yield entry("idle", seconds=cadence.idle.total_seconds())
    if (shift := cadence.semantic_shift) is not None:
        yield entry("semantic_shift", threshold=shift.threshold, min_events=shift.min_events, reference=shift.reference)
    if cadence.token_pressure is not None:
        yield entry("token_pressure", every=cadence.token_pressure)
    if cadence.capacity is not None:
        yield entry("capacity", tier=None if cadence.capacity == ANY_TIER else cadence.capacity)
    if cadence.session_end:
        yield entry("session_end")


def places_of_packs(packs: Iterable[object], canaries: Mapping[str, Canary] | None = None) -> Places:
    """Return the declarations of predicates by place.

    A place is a pack with declarations, a canary by its name and version, or the shared file.
    """
    declared = {pack.pack: pack.declared for pack in packs if isinstance(pack, Pack | ReaderPack)}
    return places_of(declared | declared_with([], canaries or {}))


def refused_changes(database: Database, places: Places) -> dict[str, Incorrect]:
    """Return an error for each pack or shared file that changes a predicate between single-valued and multi-valued.

    The error names the predicate, the tenants, and the number of their facts with this predicate. A predicate without
    facts may change. A predicate that was never registered counts as multi-valued.
    """
    now = holdings(places)
    with database.dispatch() as connection:
        before = predicates.in_force(connection)
    problems: dict[str, list[str]] = {}
    if before and recasts(before, now, {*before, *now}, places):
        for tenant in database.tenants():
            with database.tenant(tenant) as connection:
                wanted = {
                    one.predicate: one
                    for one in recasts(before, now, predicates.predicates_in_use(connection, tenant), places)
                }
                single = {name: one.single_valued for name, one in wanted.items()}
                facts = predicates.facts_of_other_cardinality(connection, tenant, single) if single else {}
            for name, count in facts.items():
                problems.setdefault(wanted[name].wanted_by, []).append(_change_in_words(wanted[name], tenant, count))
    return {place: _refusal(place, said) for place, said in problems.items()}


def refuse_changes(database: Database, packs: Iterable[object], canaries: Mapping[str, Canary] | None = None) -> None:
    """Raise `Incorrect` for the first pack or canary in `refused_changes`, or if the shared predicates are in
    `refused_changes`.
    """
    for error in refused_changes(database, places_of_packs(packs, canaries)).values():
        raise error


def _change_in_words(recast: Recast, tenant: str, facts: int) -> str:
    here, there = ("true", "false") if recast.single_valued else ("false", "true")
    text = f"tenant {tenant!r} holds {counted(facts, 'facts')} of it"
    return f"predicates.{recast.predicate}.single_valued: is {here} here and {there} in force, and {text}"


def _refusal(place: str, problems: Sequence[str]) -> Incorrect:
    subject = "the shared predicates" if place == PREDICATES else f"rule pack {place!r}"
    hint = "give the predicate another name, or retire its facts first, each with a delta of kind delete"
    return refusal(subject, problems, hint=hint)


def changed_versions(database: Database, packs: Iterable[Pack]) -> dict[str, Incorrect]:
    """Return a warning for each of *packs* whose files changed since its registration while its version stayed."""
    with database.dispatch() as connection:
        return registry.changed_packs(
            connection, [registry.PackEntry(one.pack, "", one.version, bytes.fromhex(one.digest)) for one in packs]
        )


def load_packs(settings: Settings) -> list[Pack]:
    """Return the rule packs of SLOWWAVE_RULES, the checkout and the wheel.

    Of packs with the same name, the first is used.

    The packs extract statements only if the settings demand statements. Raises `Incorrect` with every problem of all
    packs, or if two packs disagree about a predicate.
    """
    shared = load_predicates(settings.rules)
    loaded, wrong = list[Pack](), list[Incorrect]()
    for folder in find_folders_in_force(settings.rules).values():
        try:
            loaded.append(load_pack(folder, shared=shared))
        except Incorrect as invalid:
            wrong.append(invalid)
    if len(wrong) > 1:
        raise Incorrect(
            "\n".join(one.message for one in wrong), hint="fix these files, then run `slowwave rules check`"
        )
    for one in wrong:
        raise one
    packs = loaded if settings.statements else [pack.without_statements() for pack in loaded]
    for error in disputes({pack.pack: pack.declared for pack in packs}).values():
        raise error
    return packs


def load_readers(settings: Settings, name: str | None) -> dict[str, ReaderPack]:
    """Return the packs that read with the model *name*, by pack name; the result is empty without a model.

    With a model but no provider, requests wait until replies are imported. Raises `Incorrect` for an invalid pack.
    """
    if name is None:
        return {}
    roots: list[Path] = [settings.rules] if settings.rules else []
    shared = load_predicates(settings.rules)
    model = protocol_name(name)
    return {pack: load_reader(folder, model, shared=shared) for pack, folder in find_reader_folders(roots).items()}


def protocol_name(model: str) -> str:
    """Return the name of a model for request keys. The name includes the model's protocol and settings."""
    return f"openai:{model}?temperature=0"


def reading_model(settings: Settings, lifecycle: Lifecycle | None) -> str | None:
    """Return the name of the reading model as it is used in request keys; None without a model."""
    name = model_of(settings, lifecycle.extraction_model if lifecycle else None)
    return protocol_name(name) if name else None


def known_predicates(settings: Settings) -> Predicates:
    """Return the shared predicates and the predicates that packs declare, without loading the packs.

    Raises `Incorrect` if the shared predicates cannot be read.
    """
    shared = load_predicates(settings.rules)
    folders = find_folders_in_force(settings.rules)
    return merged([*shared, *brought([folder / "pack.yaml" for folder in folders.values()], shared)])


def predicates_of(packs: Iterable[object]) -> Predicates:
    """Return the registry of all predicates that *packs* declare."""
    return merged(together(pack.declared for pack in packs if isinstance(pack, Pack | ReaderPack)))


def reading_beside(packs: Iterable[Pack], models: Sequence[object]) -> list[Pack]:
    """Return the packs that read in addition to *models*.

    If there are models, the packs that models replace are left out.
    """
    return [pack for pack in packs if not (pack.gives_way and models)]


def news_beside(packs: Iterable[Pack], models: Collection[str]) -> dict[str, list[Pack]]:
    """Map the first of *models* to the packs that models replace; return an empty mapping without a model.

    Together with this model, these packs still report changes. They do so for one model only, so that each change is
    read once.
    """
    return {min(models): [pack for pack in packs if pack.gives_way]} if models else {}


def unread_by(packs: Iterable[Pack], models: Sequence[object]) -> Unread:
    """Return the finder of turns in languages that neither *models* nor *packs* read."""
    return Unread(read_by([*reading_beside(packs, models), *models]))


class ModelPack(ModelExtractor, Protocol):
    """A pack that needs a model, with its triggers and a hash over its content."""

    @property
    def cadence(self) -> Cadence:
        """The triggers of the pack."""

    @property
    def digest(self) -> str:
        """A hexadecimal hash of the pack's bytes and the model."""


def entries(
    packs: Iterable[Pack],
    cadences: Mapping[str, Cadence],
    jobs: Iterable[str],
    lifecycle: Lifecycle,
    models: Iterable[ModelPack] = (),
) -> tuple[list[registry.PackEntry], list[Schedule]]:
    """Return the registry entries for *packs* and *models*, and for the *jobs* of every installation.

    *lifecycle* has the triggers of jobs. The cadence of a pack comes from *cadences*, else from the trigger
    `consolidate`, else from the pack itself. The digest of promotion changes with the thresholds of promotion. If there
    are models, the packs that models replace are left out.
    """
    readers = list(models)
    packs = reading_beside(packs, readers)
    triggers, digests = lifecycle.triggers, {PROMOTE: _terms(lifecycle.policies)}
    found: list[registry.PackEntry] = []
    entries: list[Schedule] = []
    for job in jobs:
        digest = digests.get(job) or hashlib.sha256(job.encode()).digest()
        found.append(registry.PackEntry(pack_of(job), job, 1, digest))
        if job in triggers:
            entries += schedules(job, job, pack_of(job), triggers[job])
    reading: list[tuple[Pack | ModelPack, str]] = [(pack, CONSOLIDATE) for pack in packs]
    for pack, job in [*reading, *((model, PLAN) for model in readers)]:
        made_by = requests_edition(pack) if job == PLAN and not isinstance(pack, Pack) else ""
        found.append(registry.PackEntry(pack.pack, job, pack.version, bytes.fromhex(pack.digest), made_by))
        cadence = cadences.get(pack.pack) or triggers.get(CONSOLIDATE) or pack.cadence
        entries += schedules(pack.pack, job, pack.pack, cadence)
    return found, entries


def install(
    database: Database,
    entered: tuple[Sequence[registry.PackEntry], Sequence[Schedule]],
    policies: Policies,
    places: Mapping[str, Sequence[Declared]],
    digest: bytes | None = None,
    canaries: Mapping[str, Canary] | None = None,
) -> None:
    """Register the packs and schedules in *entered*, the *canaries*, and the predicates in *places*, by pack or file.

    If the thresholds of promotion in *policies* have changed, the promoted facts are queued to be checked again.
    *digest* identifies the installation, so that an equal installation need not register again; None forgets the last
    digest.
    """
    _review_promotions(database, policies)
    with database.dispatch() as connection:
        registry.register(connection, *entered)
        predicates.keep(connection, holdings(places), places)
        declare(connection, {name: (one.pack.version, one.share) for name, one in (canaries or {}).items()})
        registry.sign(connection, digest)


def _terms(policies: Policies) -> bytes:
    """Return a hash over the thresholds of promotion in the general policy and in the policies of single tenants."""
    terms = {tenant: asdict(policy.promotion) for tenant, policy in policies.tenants.items()}
    return hashlib.sha256(canonical_json([asdict(policies.everybody.promotion), terms])).digest()


def _review_promotions(database: Database, policies: Policies) -> None:
    """Queue promotions for review if the thresholds registered last differ from those of *policies*.

    Call this function before the policies are registered, so that a restarted process repeats an interrupted call. A
    repeat is safe.
    """
    with database.dispatch() as connection:
        known = registry.digest_of(connection, pack_of(PROMOTE))
    if known is None or known == _terms(policies):
        return
    for tenant in database.tenants():
        with database.tenant(tenant) as connection:
            terms_changed(connection, policies.of(tenant).promotion)
