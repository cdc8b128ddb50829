"""A rule pack that is ready to run: an `Extractor` that needs no model."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from slowwave.core.predicates import Predicates
from slowwave.domain.claim import Claim
from slowwave.domain.episode import StoredEpisode
from slowwave.errors import Fault
from slowwave.ports.context import LooksBack, proposed
from slowwave.rules.cadence import Cadence
from slowwave.rules.cases import Case, FailedCase, check_cases
from slowwave.rules.engines import Reader
from slowwave.rules.engines.rules_engine import PatternReader
from slowwave.rules.predicates import Declared


@dataclass(frozen=True)
class Pack:
    """A reader of episodes with its schedule and its test cases.

    *predicates* are the shared predicates and the pack's own; *declared* has their declarations in files. *digest*
    changes with every byte of the pack. *next_runs* are the cron runs after the time of loading. If *gives_way* is
    True, the pack reads only reports of changes while a model pack runs, because the model pack reads other texts
    better. *languages* are the languages that the pack reads; if *languages* is empty, the pack reads any language.
    """

    pack: str
    version: int
    engine: str
    folder: Path
    cadence: Cadence
    declared: tuple[Declared, ...] = field(repr=False)
    predicates: Predicates = field(repr=False)
    cases: tuple[Case, ...]
    digest: str
    next_runs: tuple[datetime, ...]
    reader: Reader = field(repr=False, compare=False)
    gives_way: bool = False
    languages: tuple[str, ...] = ()

    def propose(self, episodes: Sequence[StoredEpisode]) -> list[Claim]:
        """Return the claims of *episodes*, in order of position and then in the engine's order."""
        return self.propose_after((), episodes)

    def propose_after(self, before: Sequence[StoredEpisode], episodes: Sequence[StoredEpisode]) -> list[Claim]:
        """Return the claims of *episodes* in the order of `propose`.

        The episodes may answer the turns *before* them.
        """
        ordered = sorted(episodes, key=lambda episode: episode.position)
        return [self.predicates.canonical(claim) for claim in proposed(self.reader, before, ordered)]

    @property
    def reads_by_turn(self) -> bool:
        """True if the engine of the pack may read turns in any order; see `by_turn`."""
        return isinstance(self.reader, PatternReader)

    def by_turn(
        self, before: Sequence[StoredEpisode], episodes: Sequence[StoredEpisode]
    ) -> Callable[[StoredEpisode], list[Claim]]:
        """Return the function that reads one of *episodes*, for a pack that `reads_by_turn`."""
        assert isinstance(self.reader, PatternReader)
        read = self.reader.by_turn(before, episodes)
        return lambda episode: [self.predicates.canonical(claim) for claim in read(episode)]

    @property
    def looks_back(self) -> bool:
        """True if the reader of the pack uses the turns before a window."""
        return isinstance(self.reader, LooksBack) and self.reader.looks_back

    def without_statements(self) -> "Pack":
        """Return the pack limited to typed facts. If the engine reads no statements, return the same pack."""
        if not isinstance(self.reader, PatternReader):
            return self
        cases = tuple(case.model_copy(update={"statements": None}) for case in self.cases)
        return replace(self, reader=self.reader.without_statements(), cases=cases)

    @property
    def made_by(self) -> str:
        """The versions of components that the reader uses besides the pack; empty if there are no such components."""
        return str(getattr(self.reader, "made_by", ""))

    def load(self) -> None:
        """Load the slow parts of the pack's reader now rather than at the first episode."""
        if callable(load := getattr(self.reader, "load", None)):
            load()

    def sound(self) -> bool:
        """Return whether the pack passes its own test cases in this process."""
        try:
            return not self.failures()
        except Fault:
            return False

    def failures(self) -> list[FailedCase]:
        """Return the failed test cases. Raises `Fault` if the pack fails with an error in a test case."""
        if not isinstance(self.reader, PatternReader):
            return check_cases(self, self.cases, self.predicates)
        return check_cases(self, self.cases, self.predicates, typed=True, unclaimed=self.reader.unclaimed)
