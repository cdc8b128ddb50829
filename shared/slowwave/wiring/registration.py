"""The registration of the installed packs and schedules in the database."""

import logging

from slowwave.domain.job_table import BUILT_IN
from slowwave.errors import Incorrect
from slowwave.rules.cadence import CADENCES, load_cadences
from slowwave.rules.folders import find_folders_in_force, find_policy, find_reader_folders
from slowwave.store import id_keys
from slowwave.store.packs import not_loaded
from slowwave.wiring.packs import changed_versions, entries, install, places_of_packs, reading_model, refuse_changes
from slowwave.wiring.parts import Parts

_LOG = logging.getLogger(__name__)


def register(parts: Parts, digest: bytes | None = None) -> None:
    """Register the installed packs and schedules in the database; *digest* identifies the installation.

    The first registration also stores the proof of the id key. Raises `Incorrect` if a pack changes a predicate
    with facts between single-valued and multi-valued, and `Unprepared` if the ids were made with another key.
    """
    _register_id_key(parts)
    cadences = load_cadences(
        find_policy(CADENCES, parts.settings.rules), [*(pack.pack for pack in parts.packs), *parts.models]
    )
    packs: list[object] = [*parts.packs, *parts.models.values()]
    canaries = parts.canaries
    refuse_changes(parts.database, packs, canaries)
    entered = entries(parts.packs, cadences, BUILT_IN, parts.lifecycle, parts.models.values())
    places = places_of_packs(packs, canaries)
    install(parts.database, entered, parts.lifecycle.policies, places, digest, canaries)


def register_valid(parts: Parts, digest: bytes) -> None:
    """Register the packs as `register` does, without those that are invalid; a warning lists their problems.

    An earlier registration of an invalid pack stays. Raises `Incorrect` if other files are invalid.
    """
    try:
        register(parts, digest)
    except Incorrect:
        parts.watched.look()
        if not parts.watched.without_packs:
            raise
        register_watched(parts)
        for problem in parts.watched.problems.values():
            _LOG.warning(
                "%s\n  until then, this process works without the pack, and the work of the pack waits", problem
            )


def pack_problems(parts: Parts) -> list[str]:
    """Return the problems of the rule packs and policies here, and of packs that changed without a new version or are
    not loaded here.
    """
    parts.watched.look()
    changed = changed_versions(parts.database, parts.watched.packs.values())
    return [*parts.watched.problems.values(), *map(str, [*changed.values(), *packs_not_loaded(parts)])]


def packs_not_loaded(parts: Parts) -> list[Incorrect]:
    """Return a warning for each pack that is registered or has run on this database, and that this process lacks."""
    rules, model = parts.settings.rules, reading_model(parts.settings, parts.watched.lifecycle)
    readers = find_reader_folders([rules] if rules else [])
    with parts.database.dispatch() as connection:
        missing = not_loaded(connection, [*find_folders_in_force(rules), *(readers if model else ())])
    folder = f"SLOWWAVE_RULES (now {rules or 'not set'}) to the folder that contains the folder"
    return [
        Incorrect(
            f"the rule pack {pack!r} has run on this database, but this process does not load it",
            hint=f"set {'SLOWWAVE_MODEL' if pack in readers else f'{folder} {pack}'}, or ignore this if you removed it",
        )
        for pack in missing
    ]


def register_watched(parts: Parts) -> None:
    """Register the present files of packs.

    If no version of a pack's file was ever valid in this process, the pack's registration stays unchanged.
    """
    _register_id_key(parts)
    parts.take_up()
    packs, schedules = entries(
        parts.watched.packs.values(), parts.watched.cadences, BUILT_IN, parts.lifecycle, parts.models.values()
    )
    kept, kept_schedules = parts.schedule.registered(parts.watched.unread)
    canaries = parts.canaries
    places = places_of_packs([*parts.watched.packs.values(), *parts.models.values()], canaries)
    entered = [*packs, *kept], [*schedules, *kept_schedules]
    install(parts.database, entered, parts.lifecycle.policies, places, canaries=canaries)


def _register_id_key(parts: Parts) -> None:
    with parts.database.dispatch() as connection:
        id_keys.register(connection, parts.id_key)
