"""An engine: what a pack of its kind says in `pack.yaml`, and how a reader of episodes is made of it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from slowwave.domain.claim import Claim
from slowwave.domain.episode import StoredEpisode
from slowwave.rules.pack_schema import ManifestPart
from slowwave.rules.predicates import Predicates


class Reader(Protocol):
    """Episodes to claims: what an engine makes of a pack's files."""

    def propose(self, episodes: Sequence[StoredEpisode]) -> list[Claim]:
        """Return the claims of a window of *episodes*, which come in order of position.

        In order of position and ordinal. Raises `Incorrect` for an input that can never be read and `Fault` where the
        pack itself breaks.
        """


_Part = TypeVar("_Part", bound=ManifestPart)


@dataclass(frozen=True, slots=True)
class Files(Generic[_Part]):
    """A pack's folder with its *manifest*, which is valid, and the predicates its claims are told with."""

    folder: Path
    manifest: _Part
    predicates: Predicates


@dataclass(frozen=True, slots=True)
class Engine:
    """The fields of a manifest for this engine, and what makes a reader of it.

    *build* raises `Incorrect`, with a problem a line, where the files are wrong or an extra is missing. *reads* names
    the files of a pack beside `pack.yaml` and `cases.yaml`. Where its readers hold nothing but what the
    files say, *again* makes one of another for other predicates: whoever loads the same bytes does not read them again.
    """

    part: type[ManifestPart]
    build: Callable[[Files[Any]], Reader]
    reads: Callable[[Any], Sequence[str]] = lambda _manifest: ()
    again: Callable[[Any, Predicates], Reader] | None = None
