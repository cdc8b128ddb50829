"""An engine: the fields of its packs' `pack.yaml`, and a function that makes a reader of episodes from them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from slowwave.domain.claim import Claim
from slowwave.domain.episode import StoredEpisode
from slowwave.rules.pack_schema import ManifestPart
from slowwave.rules.predicates import Predicates


class Reader(Protocol):
    """Extracts claims from episodes; an engine makes it from a pack's files."""

    def propose(self, episodes: Sequence[StoredEpisode]) -> list[Claim]:
        """Return the claims of a window of *episodes*, which are in order of position.

        The claims are in order of position and ordinal. Raises `Incorrect` for an input that can never be read and
        `Fault` if the pack itself fails.
        """


_Part = TypeVar("_Part", bound=ManifestPart)


@dataclass(frozen=True, slots=True)
class Files(Generic[_Part]):
    """A pack's folder with its validated *manifest*, and the predicates for its claims."""

    folder: Path
    manifest: _Part
    predicates: Predicates


@dataclass(frozen=True, slots=True)
class Engine:
    """The fields of a manifest for this engine, and the function that makes a reader.

    *build* raises `Incorrect`, with one line a problem, if the files are wrong or an extra is missing. *reads* names
    the pack files besides `pack.yaml` and `cases.yaml`. If its readers depend only on the files, *again* adapts one to
    other predicates, so that unchanged files are not read again.
    """

    part: type[ManifestPart]
    build: Callable[[Files[Any]], Reader]
    reads: Callable[[Any], Sequence[str]] = lambda _manifest: ()
    again: Callable[[Any, Predicates], Reader] | None = None
