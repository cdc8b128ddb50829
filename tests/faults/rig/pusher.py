"""Pushes a story and logs each acknowledgement: `python -m tests.faults.rig.pusher LOG`.

An answer that does not come is asked for again under the same key until it does. Killed and started again, it goes on
after the last acknowledgement it wrote down. STORY holds the story, and PACE when to push how much.
"""

import json
import os
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from slowwave import wiring
from slowwave.domain.receipt import Receipt
from slowwave.errors import Conflict, Unavailable, Unprepared
from slowwave.runtime import clock
from slowwave.settings import Settings
from tests.faults.rig.corpus import Corpus, Story


class Log:
    """The acknowledged episodes: one line each, written at once."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def write(self, receipts: list[Receipt]) -> None:
        """Append *receipts*; a kill in between leaves a line out, never half of one."""
        with self.path.open("ab", buffering=0) as file:
            for receipt in receipts:
                file.write(f"{receipt.key} {receipt.position}\n".encode())

    def acknowledged(self) -> dict[str, int]:
        """Return the position of each acknowledged key."""
        if not self.path.exists():
            return {}
        return {key: int(at) for key, at in (line.split() for line in self.path.read_text().splitlines())}


@dataclass(frozen=True)
class Pace:
    """So many episodes *a_second* from *since* on, in batches; who was held up hurries until it is in time again.

    *since* is an instant of the monotonic clock, which all processes of a machine share.
    """

    since: float
    a_second: float
    batch: int = 4

    def keep(self, pushed: int) -> None:
        """Wait until *pushed* episodes are no more than there should be."""
        time.sleep(max(0.0, self.since + pushed / self.a_second - clock.monotonic()))


def tell(
    parts: wiring.Parts,
    told: Corpus,
    log: Log,
    *,
    batch: int = 4,
    pace_seconds: float = 0.0,
    refusals: Counter[type[Exception]] | None = None,
    pace: Pace | None = None,
) -> None:
    """Push everything in *told* that *log* does not hold yet, until every episode is acknowledged.

    *refusals* counts what was answered instead.
    """
    done = log.acknowledged()
    pushed = len(done)
    for scope, episodes in told.batches(batch):
        left = [episode for episode in episodes if episode.key not in done]
        while left:
            try:
                receipts = parts.push(scope, left)
            except (Unavailable, Conflict, Unprepared) as error:
                print(f"refused: {error}", flush=True)
                if refusals is not None:
                    refusals[type(error)] += 1
                time.sleep(0.1)
                continue
            refused = [receipt for receipt in receipts if receipt.state != "stored"]
            assert not refused, refused
            log.write(receipts)
            pushed += len(receipts)
            break
        time.sleep(pace_seconds)
        if pace is not None:
            pace.keep(pushed)


@contextmanager
def telling(
    parts: wiring.Parts,
    told: Corpus,
    log: Log,
    *,
    pace_seconds: float = 0.02,
    refusals: Counter[type[Exception]] | None = None,
) -> Iterator[threading.Thread]:
    """Push in a thread while the block runs; afterwards everything is acknowledged, or the test fails."""
    said = {"pace_seconds": pace_seconds, "refusals": refusals}
    thread = threading.Thread(target=tell, args=(parts, told, log), kwargs=said, daemon=True)
    thread.start()
    try:
        yield thread
    finally:
        thread.join(60)
    assert not thread.is_alive(), "the pusher is still waiting for an answer"
    assert log.acknowledged().keys() == {episode.key for _, episode in told.said}


if __name__ == "__main__":
    parts, log = wiring.connect(Settings.load()), Log(Path(sys.argv[1]))
    pace = Pace(**json.loads(os.environ["PACE"]))
    for chapter in Story(**json.loads(os.environ["STORY"])).chapters(after=len(log.acknowledged())):
        tell(parts, chapter, log, batch=pace.batch, pace=pace)
