"""Agents that push beside the pusher, to record the answers during a fault.

`python -m tests.faults.rig.agents LOG LARGEST` is one that pushes until it is killed, and writes down what was
acknowledged as spooled and what was refused; no file of it may grow beyond LARGEST bytes, if that is not 0.
"""

import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from slowwave import wiring
from slowwave.domain.episode import Episode
from slowwave.domain.scope import Scope
from slowwave.errors import Unavailable
from slowwave.settings import Settings
from tests.faults.rig.ground import Ground

SOMEBODY = Scope("default", "nora", "concierge")
CONTENT = "I live in Oslo. " * 200
SPOOLED, REFUSED = "spooled", "refused"


@contextmanager
def agent(ground: Ground, database: str, outbox: Path | None = None) -> Iterator[wiring.Parts]:
    """Give the parts of an agent's process that has not connected yet, without a broker."""
    parts = wiring.connect(ground.settings(database, broker_url=None, outbox=outbox))
    try:
        yield parts
    finally:
        parts.close()


@dataclass(frozen=True)
class Pair:
    """Two agents of another database: a *hasty* one, and a *patient* one with an outbox."""

    hasty: wiring.Parts
    patient: wiring.Parts
    ground: Ground
    database: str

    def stored(self) -> int:
        """Return the number of episodes in the agents' database."""
        ((count,),) = self.ground.rows(self.database, "SELECT count(*) FROM episodes")
        return int(count)

    def refused(self, match: str) -> None:
        """Assert that the hasty agent is refused with a sentence that *match* finds."""
        with pytest.raises(Unavailable, match=match):
            self.hasty.push(SOMEBODY, ["I live in Oslo"])

    def spooled(self, text: str = "I live in Oslo") -> None:
        """Assert that the patient agent's push of *text* is spooled."""
        assert [receipt.state for receipt in self.patient.push(SOMEBODY, [text])] == ["spooled"]


@contextmanager
def pair(ground: Ground, folder: Path, tablespace: str = "pg_default") -> Iterator[Pair]:
    """Give two agents that have not connected yet, with their outbox in *folder*."""
    with (
        ground.database(tablespace=tablespace) as other,
        agent(ground, other) as hasty,
        agent(ground, other, folder / "outbox") as patient,
    ):
        yield Pair(hasty, patient, ground, other)


def outcomes(log: Path) -> dict[str, list[str]]:
    """Return the keys that were spooled, and those that were refused."""
    lines = [line.split() for line in log.read_text().splitlines()] if log.exists() else []
    return {word: [key for key, said in lines if said == word] for word in (SPOOLED, REFUSED)}


def spill(parts: wiring.Parts) -> Iterator[str]:
    """Push episodes without end; give the outcome of each."""
    number = 0
    while True:
        key = f"spilled-{number}"
        try:
            (receipt,) = parts.push(SOMEBODY, [Episode(content=f"{number}: {CONTENT}", key=key)])
        except Unavailable:
            yield f"{key} {REFUSED}"
        else:
            yield f"{key} {receipt.state}"
        number += 1


if __name__ == "__main__":
    _, log, largest = sys.argv
    if int(largest):
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(largest), resource.RLIM_INFINITY))
    with open(log, "ab", buffering=0) as file:
        for line in spill(wiring.connect(Settings.load())):
            file.write(f"{line}\n".encode())
