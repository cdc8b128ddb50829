"""The packs and policies of some folders as they are now, for a process that runs while an operator edits them."""

import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from slowwave import clock
from slowwave.errors import Incorrect, NotFound
from slowwave.rules.cadence import Cadence
from slowwave.rules.folders import find_folders_in_force, find_reader_folders
from slowwave.rules.lifecycle import LIFECYCLE, Lifecycle, choose_lifecycle, policy_files
from slowwave.rules.loading import load_pack
from slowwave.rules.pack import Pack
from slowwave.rules.policies import CADENCES, find_policy, load_cadences
from slowwave.rules.predicates import (
    PREDICATES,
    Declared,
    Predicates,
    disputes,
    load_predicates,
    merged,
    places_of,
    predicate_files,
    together,
)
from slowwave.rules.reader.loading import load_reader
from slowwave.rules.reader.pack import ReaderPack

GLANCE_SECONDS = 5.0
"""How often a busy worker looks whether a pack was edited: a stat of each file."""


class WatchedRules:
    """Packs, the cadences set over them, and the lifecycle. What no longer validates stays as it was.

    *packs*, *models*, *cadences* and *lifecycle* are the last that were sound; `problems` says what is not. *unread*
    names the packs that were never sound here. Packs read *statements* only where they are asked for, and those
    that read with a *model* count where a lifecycle and the settings name one. *preset* goes before what
    `lifecycle.yaml` chooses. *refused* gives the places whose predicates may not be as they declare them, as they are
    in use.
    """

    def __init__(
        self,
        rules: Path | None = None,
        preset: str | None = None,
        *,
        statements: bool = False,
        refused: Callable[[Mapping[str, Sequence[Declared]]], Mapping[str, Incorrect]] = lambda _places: {},
        model: Callable[[Lifecycle | None], str | None] = lambda _lifecycle: None,
    ) -> None:
        self._rules, self._preset, self._statements = rules, preset, statements
        self._refused, self._model = refused, model
        self._glancing = threading.Lock()
        self._glanced = clock.monotonic()
        self._seen: dict[Path, tuple[int, int]] | None = None
        self.packs: dict[str, Pack] = {}
        self.models: dict[str, ReaderPack] = {}
        self._shared: Sequence[Declared] | None = None
        self.cadences: Mapping[str, Cadence] = {}
        self.lifecycle: Lifecycle | None = None
        self.problems: dict[str, str] = {}

    @property
    def unread(self) -> list[str]:
        """The folders whose packs were never sound here."""
        sound = {*self.packs, *self.models, *_POLICIES}
        return [name for name in self.problems if name not in sound]

    @property
    def predicates(self) -> Predicates:
        """The registry of predicates that all packs in force make together."""
        return merged(together(pack.declared for pack in self.packs.values()))

    def glance(self) -> bool:
        """Look, if the last glance was more than `GLANCE_SECONDS` ago; return whether anything changed."""
        with self._glancing:
            if clock.monotonic() - self._glanced < GLANCE_SECONDS:
                return False
            self._glanced = clock.monotonic()
            return self.look()

    def look(self) -> bool:
        """Read again if a file came, went or changed; return whether one did."""
        folders = find_folders_in_force(self._rules)
        policy = find_policy(CADENCES, self._rules)
        readers = find_reader_folders([self._rules] if self._rules else [])
        files = [file for folder in (*folders.values(), *readers.values()) for file in folder.iterdir()]
        files += predicate_files(self._rules)
        seen = _stamps([*files, *([policy] if policy else []), *policy_files(self._rules)])
        if seen == self._seen:
            return False
        self.problems = {}
        self._read_packs(folders)
        self._read_cadences(policy, [*folders, *readers])
        self._read_lifecycle()
        self._read_models(readers)
        self._seen = seen
        return True

    def _read_predicates(self) -> Sequence[Declared] | None:
        try:
            return load_predicates(self._rules)
        except Incorrect as error:
            self.problems[PREDICATES] = str(error)
            return self._shared

    def _read_packs(self, folders: Mapping[str, Path]) -> None:
        before = {name: pack for name, pack in self.packs.items() if name in folders}
        shared = self._read_predicates()
        sound, problems = _sound(folders, before, shared, self._statements)
        refused = self._refused(_places(sound, shared))
        if PREDICATES in refused:
            self.problems[PREDICATES] = str(refused[PREDICATES])
            shared = self._shared
            sound, problems = _sound(folders, before, shared, self._statements)
            refused = self._refused(_places(sound, shared))
        self._shared = shared
        self.problems |= problems | {name: str(error) for name, error in refused.items()}
        self.packs = before | {name: pack for name, pack in sound.items() if name not in refused}

    def _read_cadences(self, policy: Path | None, packs: Sequence[str]) -> None:
        try:
            self.cadences = load_cadences(policy, packs)
        except Incorrect as error:
            self.problems[CADENCES] = str(error)

    def _read_lifecycle(self) -> None:
        try:
            self.lifecycle = choose_lifecycle(self._preset, self._rules)
        except Incorrect as error:
            self.problems[LIFECYCLE] = str(error)

    def _read_models(self, folders: Mapping[str, Path]) -> None:
        model = self._model(self.lifecycle)
        if model is None or self._shared is None:
            self.models = {}
            return
        before = {name: pack for name, pack in self.models.items() if name in folders and pack.model == model}
        found: dict[str, ReaderPack] = {}
        for name, folder in folders.items():
            try:
                found[name] = load_reader(folder, model, shared=self._shared)
            except (Incorrect, NotFound) as error:
                self.problems[name] = str(error)
        wrong = self._wrong_beside(found)
        self.problems |= {name: str(error) for name, error in wrong.items()}
        self.models = before | {name: pack for name, pack in found.items() if name not in wrong}

    def _wrong_beside(self, models: Mapping[str, ReaderPack]) -> dict[str, Incorrect]:
        """Those of *models* whose predicates disagree with the packs' in force, or with the facts that are held."""
        declared = {name: pack.declared for name, pack in self.packs.items()}
        declared |= {name: pack.declared for name, pack in models.items()}
        places = {**_places(self.packs, self._shared), **places_of(declared)}
        wrong = {**disputes(declared), **self._refused(places)}
        return {name: error for name, error in wrong.items() if name in models}


_POLICIES = (PREDICATES, CADENCES, LIFECYCLE)


def _sound(
    folders: Mapping[str, Path], before: Mapping[str, Pack], shared: Sequence[Declared] | None, statements: bool
) -> tuple[dict[str, Pack], dict[str, str]]:
    """The packs as the *folders* have them, in place of those *before*, and what is wrong with the others.

    Where it is not known what all packs share, none is sound that was not before.
    """
    if shared is None:
        return dict(before), {name: f"{PREDICATES} was never sound here" for name in folders if name not in before}
    found: dict[str, Pack] = {}
    problems: dict[str, str] = {}
    for name, folder in folders.items():
        try:
            pack = load_pack(folder, shared=shared)
            found[name] = pack if statements else pack.without_statements()
        except (Incorrect, NotFound) as error:
            problems[name] = str(error)
    disputed = disputes({name: pack.declared for name, pack in {**before, **found}.items()})
    problems |= {name: str(error) for name, error in disputed.items()}
    return {**before, **{name: pack for name, pack in found.items() if name not in disputed}}, problems


def _places(packs: Mapping[str, Pack], shared: Sequence[Declared] | None) -> dict[str, Sequence[Declared]]:
    own = places_of({name: pack.declared for name, pack in packs.items()})
    return own if shared is None else {PREDICATES: shared, **{n: said for n, said in own.items() if n != PREDICATES}}


def _stamps(files: Sequence[Path]) -> dict[Path, tuple[int, int]]:
    """Return the time and size of each file. One that goes away meanwhile counts as changed."""
    found = {}
    for file in files:
        try:
            status = file.stat()
        except OSError:
            continue
        found[file] = (status.st_mtime_ns, status.st_size)
    return found
