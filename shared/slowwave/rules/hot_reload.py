"""The packs and policies in the folders of packs, which are reloaded after an edit."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from slowwave.core.predicates import Predicates
from slowwave.errors import Incorrect, NotFound
from slowwave.rules.cadence import CADENCES, Cadence, load_cadences
from slowwave.rules.canaries import CANARIES, Canary, canary_folders, declared_with, load_canaries
from slowwave.rules.folders import find_folders_in_force, find_policy, find_reader_folders
from slowwave.rules.lifecycle import LIFECYCLE, Lifecycle, choose_lifecycle, policy_files
from slowwave.rules.predicates import (
    PREDICATES,
    Declared,
    disputes,
    load_predicates,
    merged,
    places_of,
    predicate_files,
    together,
)
from slowwave.runtime import clock

if TYPE_CHECKING:
    from slowwave.rules.model_packs.pack import ReaderPack
    from slowwave.rules.pack import Pack

GLANCE_SECONDS = 5.0
"""The interval at which a busy worker checks for edited packs. A check reads the time and size of each file."""
_POLICIES = (PREDICATES, CADENCES, CANARIES, LIFECYCLE)


class ReloadedRules:
    """Rule packs and model packs, their canaries, the cadences that override the cadences in packs, and the lifecycle.

    *packs*, *models*, *cadences*, *canaries* and *lifecycle* are the last valid versions; `problems` lists current
    errors. *unread* names the packs that were never valid here. Packs read statements only if *statements* is True.
    Model packs are used only if the lifecycle or the settings name a model (*model*). *preset* overrides the choice in
    `lifecycle.yaml`. *refused* returns an error for each pack, or the shared file, whose predicates must not be used.

    An invalid edit leaves the last valid version in use.
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
        self.canaries: Mapping[str, Canary] = {}
        self.lifecycle: Lifecycle | None = None
        self.problems: dict[str, str] = {}

    @property
    def unread(self) -> list[str]:
        """The folders whose packs have never been valid in this process."""
        sound = {*self.packs, *self.models, *_POLICIES}
        return [name for name in self.problems if name not in sound]

    @property
    def without_packs(self) -> bool:
        """True if all problems are problems of single packs, so that the other packs and the policies are valid."""
        return bool(self.problems) and self.problems.keys().isdisjoint(_POLICIES)

    @property
    def predicates(self) -> Predicates:
        """The predicates of all active packs, in one registry."""
        return merged(together(pack.declared for pack in self.packs.values()))

    def glance(self, *, at_once: bool = False) -> bool:
        """Check for changes; return whether there was a change.

        Without *at_once*, there is no check if the last one was less than `GLANCE_SECONDS` ago.
        """
        with self._glancing:
            if not at_once and clock.monotonic() - self._glanced < GLANCE_SECONDS:
                return False
            self._glanced = clock.monotonic()
            return self.look()

    def look(self) -> bool:
        """Reload if a file was added, removed or changed; return whether such a file was found."""
        seen = self._present()
        if seen == self._seen:
            return False
        folders = find_folders_in_force(self._rules)
        policy, canaries = find_policy(CADENCES, self._rules), find_policy(CANARIES, self._rules)
        readers = find_reader_folders([self._rules] if self._rules else [])
        self.problems = {}
        self._read_packs(folders)
        with _recorded(self.problems, CADENCES):
            self.cadences = load_cadences(policy, [*folders, *readers])
        self._read_canaries(canaries, readers)
        with _recorded(self.problems, LIFECYCLE):
            self.lifecycle = choose_lifecycle(self._preset, self._rules)
        self._read_models(readers)
        self._seen = seen
        return True

    def trust_if(self, registered: Callable[[], bool]) -> bool:
        """Take the present files as valid if they are *registered*, so that `look` reads them only after a change.

        A file that is edited meanwhile counts as changed. Returns whether the files are registered.
        """
        seen = self._present()
        if found := registered():
            self._seen = seen
        return found

    def _present(self) -> dict[Path, tuple[int, int]]:
        policy, canaries = find_policy(CADENCES, self._rules), find_policy(CANARIES, self._rules)
        folders = find_folders_in_force(self._rules) | find_reader_folders([self._rules] if self._rules else [])
        tried = [folder for folder in canary_folders(canaries) if folder.is_dir()]
        files = [file for folder in (*folders.values(), *tried) for file in folder.iterdir()]
        files += predicate_files(self._rules)
        policies = [one for one in (policy, canaries) if one]
        return _stamps([*files, *policies, *policy_files(self._rules)])

    def _read_packs(self, folders: Mapping[str, Path]) -> None:
        before = {name: pack for name, pack in self.packs.items() if name in folders}
        shared = self._shared
        with _recorded(self.problems, PREDICATES):
            shared = load_predicates(self._rules)
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

    def _read_canaries(self, policy: Path | None, readers: Collection[str]) -> None:
        if self._shared is None:
            return
        with _recorded(self.problems, CANARIES):
            found = load_canaries(policy, self.packs, readers, shared=self._shared, statements=self._statements)
            refused = self._refused(places_of(declared_with(self.packs.values(), found)))
            if refused:
                self.problems[CANARIES] = "\n".join(str(error) for error in refused.values())
            else:
                self.canaries = found

    def _read_models(self, folders: Mapping[str, Path]) -> None:
        model = self._model(self.lifecycle)
        if model is None or self._shared is None:
            self.models = {}
            return
        from slowwave.rules.model_packs.loading import load_reader

        before = {name: pack for name, pack in self.models.items() if name in folders and pack.model == model}
        found: dict[str, ReaderPack] = {}
        for name, folder in folders.items():
            with _recorded(self.problems, name):
                found[name] = load_reader(folder, model, shared=self._shared)
        wrong = self._wrong_beside(found)
        self.problems |= {name: str(error) for name, error in wrong.items()}
        self.models = before | {name: pack for name, pack in found.items() if name not in wrong}

    def _wrong_beside(self, models: Mapping[str, ReaderPack]) -> dict[str, Incorrect]:
        """Return the errors of those *models* whose predicates conflict with active packs or with held facts."""
        declared = {name: pack.declared for name, pack in self.packs.items()}
        declared |= {name: pack.declared for name, pack in models.items()}
        places = {**_places(self.packs, self._shared), **places_of(declared)}
        wrong = {**disputes(declared), **self._refused(places)}
        return {name: error for name, error in wrong.items() if name in models}


@contextmanager
def _recorded(problems: dict[str, str], name: str) -> Iterator[None]:
    """Run the block. If it refuses or does not find a file, note the error in *problems* under *name*."""
    try:
        yield
    except (Incorrect, NotFound) as error:
        problems[name] = str(error)


def _sound(
    folders: Mapping[str, Path], before: Mapping[str, Pack], shared: Sequence[Declared] | None, statements: bool
) -> tuple[dict[str, Pack], dict[str, str]]:
    """Return the valid packs from *folders*, and the errors of invalid packs.

    A valid pack replaces the pack of the same name in *before*.

    If the shared predicates are unknown, only packs that were valid before remain.
    """
    if shared is None:
        return dict(before), {name: f"{PREDICATES} was never valid here" for name in folders if name not in before}
    from slowwave.rules.loading import load_pack

    found: dict[str, Pack] = {}
    problems: dict[str, str] = {}
    for name, folder in folders.items():
        with _recorded(problems, name):
            pack = load_pack(folder, shared=shared)
            found[name] = pack if statements else pack.without_statements()
    disputed = disputes({name: pack.declared for name, pack in {**before, **found}.items()})
    problems |= {name: str(error) for name, error in disputed.items()}
    return {**before, **{name: pack for name, pack in found.items() if name not in disputed}}, problems


def _places(packs: Mapping[str, Pack], shared: Sequence[Declared] | None) -> dict[str, Sequence[Declared]]:
    own = places_of({name: pack.declared for name, pack in packs.items()})
    return own if shared is None else {PREDICATES: shared, **{n: parts for n, parts in own.items() if n != PREDICATES}}


def _stamps(files: Sequence[Path]) -> dict[Path, tuple[int, int]]:
    """Return the time and size of each file. A file that disappears during the check counts as changed."""
    found = {}
    for file in files:
        try:
            status = file.stat()
        except OSError:
            continue
        found[file] = (status.st_mtime_ns, status.st_size)
    return found
