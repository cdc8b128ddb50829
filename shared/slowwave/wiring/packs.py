"""The installed packs, and the rows to register for them."""

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Protocol

from slowwave.core.policy import Policies
from slowwave.domain.episode import canonical_json
from slowwave.domain.job_table import CONSOLIDATE, PLAN, PROMOTE, pack_of
from slowwave.jobs.desk.plan import edition
from slowwave.ports import Schedule
from slowwave.ports.desk import ModelExtractor
from slowwave.rules import Cadence, Pack, load_pack
from slowwave.rules.folders import find_folders_in_force, find_reader_folders
from slowwave.rules.languages import Unread, read_by
from slowwave.rules.lifecycle import Lifecycle
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
from slowwave.rules.reader.loading import load_reader
from slowwave.rules.reader.pack import ReaderPack
from slowwave.settings import Settings
from slowwave.store.database import Database
from slowwave.store.packs import predicates, registry
from slowwave.store.promotion.promotions import terms_changed
from slowwave.wiring.asking import model_of
from slowwave.wiring.schedules import schedules as of_cadence


def load_packs(settings: Settings) -> list[Pack]:
    """Return the rule packs of SLOWWAVE_RULES, the checkout and the wheel, the first of a name wins.

    They read statements only where the settings ask for them. Raises `Incorrect` listing what is wrong with one
    of them, or where two disagree about a predicate.
    """
    shared = load_predicates(settings.rules)
    folders = find_folders_in_force(settings.rules)
    loaded = [load_pack(folder, shared=shared) for folder in folders.values()]
    packs = loaded if settings.statements else [pack.without_statements() for pack in loaded]
    for error in disputes({pack.pack: pack.declared for pack in packs}).values():
        raise error
    return packs


def load_readers(settings: Settings, name: str | None) -> dict[str, ReaderPack]:
    """Return the packs that read with the model of that *name*, by their own; none without a model.

    With a model to read with but nobody to ask, requests wait until they are answered elsewhere. Raises `Incorrect`.
    """
    if name is None:
        return {}
    roots: list[Path] = [settings.rules] if settings.rules else []
    shared = load_predicates(settings.rules)
    model = protocol_name(name)
    return {pack: load_reader(folder, model, shared=shared) for pack, folder in find_reader_folders(roots).items()}


def protocol_name(model: str) -> str:
    """Return a model as it stands in the keys of requests: with the protocol and the settings it is asked by."""
    return f"openai:{model}?temperature=0"


def reading_model(settings: Settings, lifecycle: Lifecycle | None) -> str | None:
    """Return the model that packs read with under *settings* and *lifecycle*, as in the keys of requests; or None."""
    name = model_of(settings, lifecycle.extraction_model if lifecycle else None)
    return protocol_name(name) if name else None


def known_predicates(settings: Settings) -> Predicates:
    """Return the predicates that all packs share and those that packs bring, without loading the packs.

    Raises `Incorrect` where the shared ones cannot be read.
    """
    shared = load_predicates(settings.rules)
    folders = find_folders_in_force(settings.rules)
    return merged([*shared, *brought([folder / "pack.yaml" for folder in folders.values()], shared)])


def predicates_of(packs: Iterable[object]) -> Predicates:
    """Return the registry that the predicates of those of *packs* that declare any make together."""
    return merged(together(pack.declared for pack in packs if isinstance(pack, Pack | ReaderPack)))


def reading_beside(packs: Iterable[Pack], models: Sequence[object]) -> list[Pack]:
    """Return those of *packs* that read where *models* do: all where there is none, else who does not give way."""
    return [pack for pack in packs if not (pack.gives_way and models)]


def news_beside(packs: Iterable[Pack], models: Collection[str]) -> dict[str, list[Pack]]:
    """Return those of *packs* that give way, whose news is read beside the first of the *models* alone: told once."""
    return {min(models): [pack for pack in packs if pack.gives_way]} if models else {}


def unread_by(packs: Iterable[Pack], models: Sequence[object]) -> Unread:
    """Return what tells turns in languages that neither *models* read nor the *packs* beside them."""
    return Unread(read_by([*reading_beside(packs, models), *models]))


class ModelPack(ModelExtractor, Protocol):
    """A pack that needs a model, with when it is due and a hash over everything in it."""

    @property
    def cadence(self) -> Cadence:
        """Its triggers."""

    @property
    def digest(self) -> str:
        """Hexadecimal; differs when a byte of the pack, or the model, differs."""


def entries(
    packs: Iterable[Pack],
    cadences: Mapping[str, Cadence],
    jobs: Iterable[str],
    lifecycle: Lifecycle,
    models: Iterable[ModelPack] = (),
) -> tuple[list[registry.PackEntry], list[Schedule]]:
    """Return what to register for *packs* and *models*, and for the *jobs* that belong to every installation.

    *lifecycle* has the jobs' triggers. For a pack *cadences* go first, then the trigger `consolidate`, then what it
    declares. Promotion is another where its terms are. A pack that gives way to a model is left out where there is one.
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
        made_by = edition(pack) if job == PLAN and not isinstance(pack, Pack) else ""
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
    """Make the database run what was *entered*, with the predicates that *places* declare, and look again at what other
    terms than those of *policies* decided. *digest* tells the installation again, where this is all that it has.
    """
    _reconsider(database, policies)
    with database.dispatch() as connection:
        registry.register(connection, *entered)
        predicates.keep(connection, holdings(places), places)
        registry.sign(connection, digest)


def _terms(policies: Policies) -> bytes:
    """Return a hash over the thresholds of promotion, everybody's and those of single tenants."""
    terms = {tenant: asdict(policy.promotion) for tenant, policy in policies.tenants.items()}
    return hashlib.sha256(canonical_json([asdict(policies.everybody.promotion), terms])).digest()


def _reconsider(database: Database, policies: Policies) -> None:
    """Let promotion look again at what it decided, if it was by other thresholds that *policies* were registered last.

    To be called before they are registered: whoever is stopped in between does it again. Safe to repeat.
    """
    with database.dispatch() as connection:
        known = registry.digest_of(connection, pack_of(PROMOTE))
        tenants = registry.tenants(connection)
    if known is None or known == _terms(policies):
        return
    for tenant in tenants:
        with database.tenant(tenant) as connection:
            terms_changed(connection, policies.of(tenant).promotion)
