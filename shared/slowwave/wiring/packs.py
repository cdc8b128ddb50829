"""The installed packs, and the rows to register for them."""

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Protocol

from slowwave.core.policy import Policies
from slowwave.domain.job_table import CONSOLIDATE, PLAN, PROMOTE, pack_of
from slowwave.domain.text import canonical_json
from slowwave.jobs.model_calls.plan import requests_edition
from slowwave.ports import Schedule
from slowwave.ports.model_calls import ModelExtractor
from slowwave.rules import Cadence, Pack, load_pack
from slowwave.rules.folders import find_folders_in_force, find_reader_folders
from slowwave.rules.languages import Unread, read_by
from slowwave.rules.lifecycle import Lifecycle
from slowwave.rules.model_packs.loading import load_reader
from slowwave.rules.model_packs.pack import ReaderPack
from slowwave.rules.predicates import (
    Declared,
    Predicates,
    brought,
    disputes,
    holdings,
    load_predicates,
    merged,
    together,
)
from slowwave.settings import Settings
from slowwave.store.database import Database
from slowwave.store.packs import predicates, registry
from slowwave.store.promotion.promotions import terms_changed
from slowwave.wiring.model_client import model_of
from slowwave.wiring.schedules import schedules as of_cadence


def load_packs(settings: Settings) -> list[Pack]:
    """Return the rule packs of SLOWWAVE_RULES, the checkout and the wheel; the first pack of a name wins.

    They extract statements only if the settings say so. Raises `Incorrect` with every problem of a pack, or if two
    packs disagree about a predicate.
    """
    shared = load_predicates(settings.rules)
    folders = find_folders_in_force(settings.rules)
    loaded = [load_pack(folder, shared=shared) for folder in folders.values()]
    packs = loaded if settings.statements else [pack.without_statements() for pack in loaded]
    for error in disputes({pack.pack: pack.declared for pack in packs}).values():
        raise error
    return packs


def load_readers(settings: Settings, name: str | None) -> dict[str, ReaderPack]:
    """Return the packs that read with the model of that *name*, by pack name; none without a model.

    With a model but no provider, requests wait until replies are imported. Raises `Incorrect`.
    """
    if name is None:
        return {}
    roots: list[Path] = [settings.rules] if settings.rules else []
    shared = load_predicates(settings.rules)
    model = protocol_name(name)
    return {pack: load_reader(folder, model, shared=shared) for pack, folder in find_reader_folders(roots).items()}


def protocol_name(model: str) -> str:
    """Return the name of a model in request keys, which includes its protocol and settings."""
    return f"openai:{model}?temperature=0"


def reading_model(settings: Settings, lifecycle: Lifecycle | None) -> str | None:
    """Return the model that packs read with under *settings* and *lifecycle*, as in request keys; or None."""
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
    """Return the packs that read beside *models*: all of them without models, else those that do not give way."""
    return [pack for pack in packs if not (pack.gives_way and models)]


def news_beside(packs: Iterable[Pack], models: Collection[str]) -> dict[str, list[Pack]]:
    """Return the packs that give way, for the first of *models* only, so that their reported changes are read once."""
    return {min(models): [pack for pack in packs if pack.gives_way]} if models else {}


def unread_by(packs: Iterable[Pack], models: Sequence[object]) -> Unread:
    """Return the finder of turns in languages that neither *models* nor the *packs* beside them read."""
    return Unread(read_by([*reading_beside(packs, models), *models]))


class ModelPack(ModelExtractor, Protocol):
    """A pack that needs a model, with its triggers and a hash over its content."""

    @property
    def cadence(self) -> Cadence:
        """The triggers of the pack."""

    @property
    def digest(self) -> str:
        """A hexadecimal hash that changes with any byte of the pack, and with the model."""


def entries(
    packs: Iterable[Pack],
    cadences: Mapping[str, Cadence],
    jobs: Iterable[str],
    lifecycle: Lifecycle,
    models: Iterable[ModelPack] = (),
) -> tuple[list[registry.PackEntry], list[Schedule]]:
    """Return the registry entries for *packs* and *models*, and for the *jobs* of every installation.

    *lifecycle* holds the triggers of jobs. For a pack, *cadences* take precedence, then the trigger `consolidate`, then
    the pack's own cadence. The digest of promotion changes with its thresholds. A pack that gives way to models is left
    out if there are any.
    """
    readers = list(models)
    packs = reading_beside(packs, readers)
    triggers, digests = lifecycle.triggers, {PROMOTE: _terms(lifecycle.policies)}
    found: list[registry.PackEntry] = []
    schedules: list[Schedule] = []
    for job in jobs:
        digest = digests.get(job) or hashlib.sha256(job.encode()).digest()
        found.append(registry.PackEntry(pack_of(job), job, 1, digest))
        if job in triggers:
            schedules += of_cadence(job, job, pack_of(job), triggers[job])
    reading: list[tuple[Pack | ModelPack, str]] = [(pack, CONSOLIDATE) for pack in packs]
    for pack, job in [*reading, *((model, PLAN) for model in readers)]:
        made_by = requests_edition(pack) if job == PLAN and not isinstance(pack, Pack) else ""
        found.append(registry.PackEntry(pack.pack, job, pack.version, bytes.fromhex(pack.digest), made_by))
        cadence = cadences.get(pack.pack) or triggers.get(CONSOLIDATE) or pack.cadence
        schedules += of_cadence(pack.pack, job, pack.pack, cadence)
    return found, schedules


def install(
    database: Database,
    entered: tuple[Sequence[registry.PackEntry], Sequence[Schedule]],
    policies: Policies,
    places: Mapping[str, Sequence[Declared]],
    digest: bytes | None = None,
) -> None:
    """Register what was *entered* and the predicates that *places* declare, and queue promotions that were decided
    under other thresholds than those of *policies*. *digest* identifies the installation, if *entered* is complete.
    """
    _review_promotions(database, policies)
    with database.dispatch() as connection:
        registry.register(connection, *entered)
        predicates.keep(connection, holdings(places), places)
        registry.sign(connection, digest)


def _terms(policies: Policies) -> bytes:
    """Return a hash over the thresholds of promotion, of the general policy and of single tenants."""
    terms = {tenant: asdict(policy.promotion) for tenant, policy in policies.tenants.items()}
    return hashlib.sha256(canonical_json([asdict(policies.everybody.promotion), terms])).digest()


def _review_promotions(database: Database, policies: Policies) -> None:
    """Queue promotions for review if the thresholds registered last differ from those of *policies*.

    Call this before the policies are registered, so that an interrupted process does it again. Safe to repeat.
    """
    with database.dispatch() as connection:
        known = registry.digest_of(connection, pack_of(PROMOTE))
        tenants = registry.tenants(connection)
    if known is None or known == _terms(policies):
        return
    for tenant in tenants:
        with database.tenant(tenant) as connection:
            terms_changed(connection, policies.of(tenant).promotion)
