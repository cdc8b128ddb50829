"""A rule pack that is ready to run: an `Extractor` without a model."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from slowwave.domain.claim import Claim
from slowwave.domain.episode import StoredEpisode
from slowwave.errors import Fault
from slowwave.ports.context import LooksBack, proposed
from slowwave.rules.cadence import Cadence
from slowwave.rules.case import Case
from slowwave.rules.checking import FailedCase, check_cases
from slowwave.rules.engines import Reader
from slowwave.rules.engines.patterns import PatternReader
from slowwave.rules.predicates import Declared, Predicates


@dataclass(frozen=True)
class Pack:
    """A reader of episodes, when it is due, and the cases that show what it means.

    *predicates* are those it was read with: what all packs share and what it brings, as *declared* in their places.
    *digest* differs when a byte of the pack differs. *next_runs* are the cron runs after the time of loading. One that
    *gives_way* is read for news of changes alone where a model reads: it would say the rest again, and less well. It
    reads the *languages*, or any where it names none.
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
        """Return the claims of *episodes*, in order of position and, within one, as the engine gives them."""
        return self.propose_after((), episodes)

    def propose_after(self, before: Sequence[StoredEpisode], episodes: Sequence[StoredEpisode]) -> list[Claim]:
        """Return the claims of *episodes*, likewise, which may answer the turns *before*."""
        ordered = sorted(episodes, key=lambda episode: episode.position)
        return [self.predicates.canonical(claim) for claim in proposed(self.reader, before, ordered)]

    @property
    def looks_back(self) -> bool:
        """True where its reader understands turns by those before them."""
        return isinstance(self.reader, LooksBack) and self.reader.looks_back

    def without_statements(self) -> "Pack":
        """Return the pack as it reads typed facts alone; itself where it is no matter of its engine."""
        if not isinstance(self.reader, PatternReader):
            return self
        cases = tuple(case.model_copy(update={"statements": None}) for case in self.cases)
        return replace(self, reader=self.reader.without_statements(), cases=cases)

    @property
    def made_by(self) -> str:
        """The versions of what reads for it, beyond its own files; empty where there is nothing else."""
        return str(getattr(self.reader, "made_by", ""))

    def load(self) -> None:
        """Load what its reader takes long to load, which it does else at the first episode."""
        if callable(load := getattr(self.reader, "load", None)):
            load()

    def sound(self) -> bool:
        """Return whether the pack passes its own cases here and now."""
        try:
            return not self.failures()
        except Fault:
            return False

    def failures(self) -> list[FailedCase]:
        """Return the cases of the pack that fail. Raises `Fault` where the pack breaks on one of them."""
        typed = isinstance(self.reader, PatternReader)
        return check_cases(self, self.cases, self.predicates, typed=typed)
