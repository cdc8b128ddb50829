"""An engine: its fields and its reader. A `SandboxedReader` gets its claims from a separate process."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar
from uuid import UUID

from slowwave.core.predicates import Predicates
from slowwave.domain.claim import Claim
from slowwave.domain.episode import StoredEpisode
from slowwave.errors import Fault, Incorrect
from slowwave.rules.pack_schema import ConfinedPart, ManifestPart
from slowwave.rules.yaml_file import read_text
from slowwave.sandbox import Limits, Sandbox

_Part = TypeVar("_Part", bound=ManifestPart)
MOST_CLAIMS = 100
"""The maximum number of claims of one episode. An episode with more claims is not talk."""
LONGEST = 1_000
"""The maximum number of characters of a subject, an object, or a rule's name."""


class Reader(Protocol):
    """Extracts claims from episodes. An engine makes a reader from a pack's files."""

    def propose(self, episodes: Sequence[StoredEpisode]) -> list[Claim]:
        """Return the claims of a window of *episodes*, which are in order of position.

        The claims are in order of position, and within an episode in order of number. Raises `Incorrect` for an input
        that can never be read and `Fault` if the pack itself fails.
        """


@dataclass(frozen=True, slots=True)
class Files(Generic[_Part]):
    """A pack's folder, with its validated *manifest* and the predicates for its claims."""

    folder: Path
    manifest: _Part
    predicates: Predicates


@dataclass(frozen=True, slots=True)
class Engine:
    """An engine: the fields of its manifests, and the function that makes a reader.

    *build* raises `Incorrect`, with one line per problem, if the files are wrong or an extra is missing. *reads* names
    the pack files besides `pack.yaml` and `cases.yaml`. *again* adapts an existing reader to other predicates, without
    a second reading of unchanged files. An engine has *again* only if its readers depend on nothing but the files.
    """

    part: type[ManifestPart]
    build: Callable[[Files[Any]], Reader]
    reads: Callable[[Any], Sequence[str]] = lambda _manifest: ()
    again: Callable[[Any, Predicates], Reader] | None = None


class SandboxedReader:
    """A `Reader` for a pack's own code. The claims are numbered in word order and carry the name of the pack."""

    def __init__(self, pack: str, version: int, confined: Sandbox, *, looks_back: bool = False) -> None:
        self.pack, self.version, self._confined, self.looks_back = pack, version, confined, looks_back

    def propose(self, episodes: Sequence[StoredEpisode]) -> list[Claim]:
        """Return the claims of a window.

        Raises `Fault` if the code fails, exceeds its limits or cites words that are not in the window.
        """
        return self.propose_after((), episodes)

    def propose_after(self, before: Sequence[StoredEpisode], episodes: Sequence[StoredEpisode]) -> list[Claim]:
        """Return the claims of a window, which may also cite the turns *before* it.

        Raises the same errors as `propose`.
        """
        here = {episode.id: len(episode.content) for episode in episodes}
        around = {turn.id: len(turn.content) for turn in before} | here
        claims = self._confined.claims(episodes, before)
        wrong = [problem for claim in claims for problem in _problems(claim, here, around)]
        if wrong:
            raise Fault(f"the pack {self.pack} gives a claim that {wrong[0]}")
        return list(self._numbered(sorted(claims, key=_place)))

    def _numbered(self, claims: Sequence[Claim]) -> Iterator[Claim]:
        counts = Counter[UUID]()
        for claim in claims:
            episode = claim.source.episode
            if counts[episode] < MOST_CLAIMS:
                rule = f"{self.pack}/{claim.rule or 'reader'}@{self.version}"
                yield replace(claim, ordinal=counts[episode], rule=rule)
                counts[episode] += 1


def source_of(path: Path) -> str:
    """Return the text of a code file. Raises `Incorrect` if the file cannot be read."""
    text, problems = read_text(path)
    if problems:
        raise Incorrect(path.name, problems=[f"{path.name}: {problem}" for problem in problems])
    return text


def confined(
    engine: str, manifest: ConfinedPart, name: str, source: str, *, looks_back: bool = False
) -> SandboxedReader:
    """Return the reader of the code in a pack's file *name*. Raises `Incorrect` with every problem."""
    sandbox = Sandbox(engine, {"name": name, "source": source}, Limits(manifest.seconds, manifest.megabytes))
    if problems := sandbox.problems():
        raise Incorrect(name, problems=problems)
    return SandboxedReader(manifest.pack, manifest.version, sandbox, looks_back=looks_back)


def _place(claim: Claim) -> tuple[int, int, int, str, str, str, str]:
    source = claim.source
    return source.position, source.start, source.end, claim.predicate, claim.object, claim.mode, claim.rule


def _problems(claim: Claim, here: dict[UUID, int], around: dict[UUID, int]) -> Iterator[str]:
    for source, lengths in ((claim.source, here), *((more, around) for more in claim.more_sources)):
        if source.scope is not None or not source.stands_in(lengths):
            yield "cites words that are not in the window"
    if claim.mode == "withdraw" or claim.origins:
        yield "only a job may make"
    if not 0 <= claim.confidence <= 1:
        yield "has a confidence outside 0 to 1"
    if not claim.predicate or not claim.subject.strip() or (claim.mode == "assert" and not claim.object.strip()):
        yield "says nothing: subject, predicate or object is empty"
    if max(map(len, (claim.subject, claim.predicate, claim.object, claim.rule, claim.text))) > LONGEST:
        yield f"is longer than {LONGEST} characters"
    if claim.valid_from.utcoffset() is None or (claim.valid_to and claim.valid_to.utcoffset() is None):
        yield "has a time without a zone"
