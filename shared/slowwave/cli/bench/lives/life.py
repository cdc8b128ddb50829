"""A life: a person's conversations, and the questions about them (probes)."""

import re
from collections.abc import Iterable
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

import slowwave
from slowwave.domain.episode import Episode
from slowwave.errors import Incorrect, NotFound

LIVES = Path(slowwave.__file__).parents[2] / "ops" / "lives"
"""The folder of lives in a checkout. Rule writers may read one of its subfolders; the other one is held out."""
HINT = "ops/lives/README.md describes the format of a life"


class _FromFile(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Turn(_FromFile):
    """One turn of a session. A turn of the assistant has no speaker."""

    key: str
    session: str
    role: str
    speaker: str | None
    occurred_at: str
    content: str

    def episode(self) -> Episode:
        """Return the turn as an agent pushes it."""
        return Episode.from_message(self.model_dump(exclude_none=True))


class Probe(_FromFile):
    """A question, which is asked *after* a given session, or at the end.

    A correct answer contains one of the expressions in *now*; an outdated answer contains one of those in *stale*.
    """

    kind: str
    question: str
    now: tuple[re.Pattern[str], ...]
    stale: tuple[re.Pattern[str], ...]
    after: str | None = None

    def answered_by(self, text: str) -> bool:
        """Return whether *text* gives the current answer."""
        return _says(self.now, text)

    def misled_by(self, text: str) -> bool:
        """Return whether *text* gives an outdated answer and not the current one."""
        return _says(self.stale, text) and not self.answered_by(text)

    def given_away_by(self, text: str) -> bool:
        """Return whether *text* reveals a secret."""
        return _says(self.stale, text)


class Life(_FromFile):
    """All turns about one person, and the probes."""

    life: str
    about: str
    user: str
    episodes: tuple[Turn, ...]
    probes: tuple[Probe, ...]

    @property
    def sessions(self) -> list[str]:
        """The names of the sessions, in order of their start."""
        return list(dict.fromkeys(turn.session for turn in self.episodes))

    def asked_after(self, session: str) -> list[Probe]:
        """Return the probes to ask once *session* is over."""
        return [probe for probe in self.probes if (probe.after or self.sessions[-1]) == session]


def read(folder: Path) -> dict[str, list[Life]]:
    """Return the lives in each subfolder of *folder*, by name. Without subfolders, return the lives in *folder* itself.

    Raises `NotFound` if there is no life, and `Incorrect` for an invalid life.
    """
    folders = [one for one in sorted(folder.glob("*")) if one.is_dir()] or [folder]
    return {one.name: _lives(one) for one in folders}


def _lives(folder: Path) -> list[Life]:
    files = sorted(folder.glob("*.json"))
    if not files:
        hint = "name a folder with lives: a checkout has some in ops/lives"
        raise NotFound(f"there are no lives in {folder}", hint=hint)
    return [_life(file) for file in files]


def _life(file: Path) -> Life:
    try:
        life = Life.model_validate_json(file.read_bytes())
    except ValidationError as error:
        problems = [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors(include_url=False)]
        raise Incorrect.listing(file.name, problems, hint=HINT) from error
    unknown = {probe.after for probe in life.probes if probe.after} - set(life.sessions)
    if unknown:
        raise Incorrect(f"{file.name}: no session is called {', '.join(sorted(unknown))}", hint=HINT)
    return life


def _says(expressions: Iterable[re.Pattern[str]], text: str) -> bool:
    return any(re.search(one.pattern, text, re.IGNORECASE) for one in expressions)
