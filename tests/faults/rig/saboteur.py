"""A worker that breaks once at a chosen point: `celery -A tests.faults.rig.saboteur worker`.

It runs the product's own tasks. What it adds stands between the parts: at each point of a run it looks for a file of
that name in SABOTAGE, and whoever removes the file ends itself, or freezes, right there. Episodes may be marked to
harm whoever reads them, too.
"""

import itertools
import os
import signal
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from sqlalchemy import event

from slowwave import wiring
from slowwave.domain.claim import Claim
from slowwave.domain.episode import StoredEpisode
from slowwave.domain.job_table import CONSOLIDATE, RETRY
from slowwave.domain.run import Run
from slowwave.errors import Fenced, Incorrect, Unavailable
from slowwave.inference.static_embedder import StaticEmbedder
from slowwave.jobs.consolidate import Consolidate
from slowwave.jobs.run import Job
from slowwave.ports import Extractor, Plan
from slowwave.settings import Settings
from slowwave.store.runs.runs import PostgresRuns

POINTS = ("before-claim", "after-claim", "proposing", "before-commit", "after-commit")
"""The points of a run, in order. A file `freeze-<point>` freezes instead of killing."""
NEVER = "before-a-second-commit"
"""A point that no run may reach: a run writes in one transaction."""
RAISES, KILLS, LEAVES = "cannot be read", "kills its reader", "makes its reader leave"
"""Words in an episode that make its extractor fail, be killed or exit."""
AWAY, HANGS, HOLDS, EATS = "model-away", "model-hangs", "reader-holds", "reader-eats"
"""While a file of this name is there, the extractor says that it is away, or says nothing at all; or one call of it
never lets anything else in its process run, or takes `EATEN_BYTES` of memory for as long as it thinks."""
EATEN_BYTES = 1024**3


class Sabotage:
    """Files in a folder, each of which names a fault to cause once, and its point."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def arm(self, point: str) -> None:
        """Let the next process that reaches *point* break there."""
        (self.folder / point).touch()

    def armed(self, point: str) -> bool:
        """Return whether no process has reached *point*."""
        return (self.folder / point).exists()

    def reach(self, point: str) -> None:
        """Break here if the file of this point exists."""
        for name, number in ((point, signal.SIGKILL), (f"freeze-{point}", signal.SIGSTOP)):
            try:
                (self.folder / name).rename(self.folder / f"{name}-{os.getpid()}")
            except FileNotFoundError:
                continue
            os.kill(os.getpid(), number)

    def refuse(self) -> None:
        """Record that the fence refused this process."""
        (self.folder / f"refused-{os.getpid()}").touch()

    def refused(self, pid: int) -> bool:
        """Return whether the fence refused a process."""
        return (self.folder / f"refused-{pid}").exists()

    def victim(self, point: str) -> int | None:
        """Return the id of the process that broke at *point*."""
        for left in self.folder.glob(f"{point}-*"):
            if left.name.removeprefix(f"{point}-").isdigit():
                return int(left.name.removeprefix(f"{point}-"))
        return None


class SabotagedRuns(PostgresRuns):
    """The run protocol, with points to break at before and after its steps."""

    def __init__(self, sabotage: Sabotage, runs: PostgresRuns) -> None:
        self.__dict__.update(runs.__dict__)
        self._sabotage, self._settling, self._commits = sabotage, False, 0
        event.listen(self._database._app, "commit", self._before_commit)

    def claim(self, **asked: Any) -> Run | None:
        """Claim, with breaking points before and after."""
        if asked.get("jobs") != ["prepare"]:
            self._sabotage.reach("before-claim")
        run = super().claim(**asked)
        if run is not None and run.job == CONSOLIDATE:
            self._sabotage.reach("after-claim")
        return run

    def settle(self, run: Run, plan: Plan) -> Counter[str]:
        """Settle, with breaking points inside the transaction and after it."""
        with self._breaking(run, plan):
            return super().settle(run, plan)

    def settle_and_claim(self, run: Run, plan: Plan, **asked: Any) -> tuple[Counter[str], Run | None]:
        """Settle and claim, with the same breaking points."""
        with self._breaking(run, plan):
            counts, following = super().settle_and_claim(run, plan, **asked)
        if following is not None and following.job == CONSOLIDATE:
            self._sabotage.reach("after-claim")
        return counts, following

    @contextmanager
    def _breaking(self, run: Run, plan: Plan) -> Iterator[None]:
        self._settling, self._commits = run.job == CONSOLIDATE and bool(plan.decisions), 0
        try:
            yield
        except (Fenced, Unavailable):
            self._sabotage.refuse()
            raise
        finally:
            settling, self._settling = self._settling, False
        if settling:
            self._sabotage.reach("after-commit")

    def _before_commit(self, _connection: Any) -> None:
        if self._settling:
            self._commits += 1
            self._sabotage.reach("before-commit" if self._commits == 1 else NEVER)


class SabotagedExtractor:
    """A pack with a chosen pace and breaking points; marked episodes harm it."""

    def __init__(self, sabotage: Sabotage, pack: Extractor, pace_seconds: float) -> None:
        self._sabotage, self._pack, self._pace = sabotage, pack, pace_seconds
        self.pack, self.version = pack.pack, pack.version

    def propose(self, episodes: Sequence[StoredEpisode]) -> list[Claim]:
        """Return the pack's claims, unless an episode harms it."""
        memory = bytes(EATEN_BYTES if self._sabotage.armed(EATS) else 0)  # never written to: address space only
        time.sleep(self._pace)  # a pause like a model's, so that faults meet running work
        self._sabotage.reach("proposing")
        self._hang()
        if self._sabotage.armed(HOLDS):
            sum(itertools.repeat(0))
        if self._sabotage.armed(AWAY):
            raise Unavailable("the model does not answer", retry_after_seconds=0.2)
        for episode in episodes:
            if RAISES in episode.content:
                raise Incorrect("this cannot be read")
            if KILLS in episode.content:
                os.kill(os.getpid(), signal.SIGKILL)
            if LEAVES in episode.content:
                os._exit(3)
        del memory
        return self._pack.propose(episodes)

    def sound(self) -> bool:
        """Return what the pack says about itself; a model that hangs says nothing of that either."""
        self._hang()
        return self._pack.sound()

    def _hang(self) -> None:
        while self._sabotage.armed(HANGS):
            time.sleep(0.1)


@cache
def _packs() -> Sequence[Extractor]:
    """Loaded once, before any child is forked: a child that replaces a dead one is at work at once."""
    return wiring.load_packs(Settings.load())


@cache
def _embedder() -> StaticEmbedder:
    embedder = StaticEmbedder()
    embedder.embed(["hello"])
    return embedder


class SabotagedParts(wiring.Parts):
    """The parts of a process with the sabotage; edited rules are still reloaded."""

    @cached_property
    def runs(self) -> PostgresRuns:
        """The run protocol, with points to break at."""
        return SabotagedRuns(_sabotage(), super().runs)

    @cached_property
    def jobs(self) -> dict[str, Job]:
        """Every job, with extractors that may be harmed."""
        jobs: dict[str, Job] = super().jobs
        sound = jobs[CONSOLIDATE]
        assert isinstance(sound, Consolidate)
        pace = float(os.environ.get("SABOTAGE_PACE", "0"))
        broken = {name: SabotagedExtractor(_sabotage(), pack, pace) for name, pack in sound.extractors.items()}
        consolidate = replace(sound, extractors=broken)
        return {**jobs, CONSOLIDATE: consolidate, RETRY: consolidate}


@cache
def parts(_pid: int) -> wiring.Parts:
    """Return the parts of the running process."""
    made = wiring.connect(Settings.load())
    sabotaged = SabotagedParts(made.settings, made.url, made.broker_url)
    vars(sabotaged).update(packs=_packs(), embedder=_embedder())
    return sabotaged


def _sabotage() -> Sabotage:
    return Sabotage(Path(os.environ["SABOTAGE"]))


def _take_over() -> Any:
    import worker.tasks
    from worker.app import app

    setattr(worker.tasks, "parts", lambda _cell="": parts(os.getpid()))  # noqa: B010 - it is meant to be replaced
    return app


if "SABOTAGE" in os.environ:
    _packs(), _embedder()
    app = _take_over()
