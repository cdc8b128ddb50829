"""Benchmark of consolidation: the speed at which episodes become facts, compared with two bare pipelines.

The benchmark runs twice: first with typed facts alone, then also with statements. The talk is cut into tenths. In each
tenth, our pipeline runs before the two bare pipelines (see `bare`), so other load on the machine slows all three. Both
bare pipelines write the same numbers of facts, deltas and sources from the same episodes. The targets are ratios to
*first*.

A worker runs for days, so an additional tenth runs before the measured tenths. During this cold start, the process that
reads ahead starts, and Postgres plans each statement. The ratio of the cold start is a separate figure.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

from slowwave import wiring
from slowwave.cli.bench.bare import FIRST, Bare
from slowwave.cli.bench.figures import Figures, timed
from slowwave.cli.bench.sample_data import episodes, installed
from slowwave.domain.episode import Episode
from slowwave.domain.job_table import CONSOLIDATE
from slowwave.domain.scope import Scope
from slowwave.memory import due_work
from slowwave.threads import keep_pauses_short

SCOPES = 10
TENTHS = 10


def measure(url: str, owner_url: str, count: int) -> Figures:
    """Return the episodes per second of each pipeline, and their ratios, for both runs."""
    figures = Figures("consolidate")
    for statements, beside, target in ((False, "", 0.5), (True, ", with statements", 0.75)):
        talk = list(episodes(count + count // TENTHS, prefix=f"{statements}-"))
        with (
            installed(url, owner_url, statements=statements) as parts,
            Bare.over(owner_url, parts.embedder, "first") as first,
            Bare.over(owner_url, parts.embedder, "tight") as tight,
        ):
            parts.embedder.embed(["warm"])
            keep_pauses_short()  # as a worker does
            uncounted = count // TENTHS
            cold = _in_turns(parts, first, tight, talk[:uncounted], pieces=1)
            figures.add(f"ratio of a cold start{beside}", cold.first / sum(cold.tenths))
            _in_turns(parts, first, tight, talk[uncounted:]).add_to(figures, beside, target)
    return figures


@dataclass(slots=True)
class Taken:
    """The measurements. *tenths* are our pipeline's seconds per tenth; *consolidating* is the time of consolidation
    alone.

    *first* and *tight* are the seconds of the two bare pipelines. *deltas* counts our deltas by kind.
    """

    episodes: int = 0
    tenths: list[float] = field(default_factory=list)
    consolidating: float = 0.0
    first: float = 0.0
    tight: float = 0.0
    deltas: Counter[str] = field(default_factory=Counter)

    @property
    def facts(self) -> int:
        """The number of facts written."""
        return self.deltas["add"] + self.deltas["update"]

    def add_to(self, figures: Figures, beside: str, target: float) -> None:
        """Add one row per figure."""
        own, count = sum(self.tenths), self.episodes
        figures.add(f"bare pipeline at first, batches of {FIRST}{beside}", count / self.first, "episodes/s")
        figures.add(f"tightest bare pipeline{beside}", count / self.tight, "episodes/s")
        figures.add(f"consolidated alone{beside or ' (goal 1 500)'}", count / self.consolidating, "episodes/s")
        figures.add(f"deltas an episode{beside}", self.deltas.total() / count)
        figures.add(f"facts an episode{beside}", self.facts / count)
        figures.add(f"last tenth to the first (target 0.9){beside}", self.tenths[0] / self.tenths[-1])
        figures.add(f"pushed, prepared and consolidated{beside}", count / own, "episodes/s")
        figures.add(f"ratio to the bare pipeline at first (target {target})", self.first / own)
        figures.add(f"ratio to the tightest{beside}", self.tight / own)


def _in_turns(parts: wiring.Parts, first: Bare, tight: Bare, talk: Sequence[Episode], *, pieces: int = TENTHS) -> Taken:
    taken = Taken()
    part = max(1, len(talk) // pieces)
    for tenth in range(pieces):
        batch = talk[tenth * part : (tenth + 1) * part]
        before = taken.facts, taken.deltas.total()
        taken.tenths.append(timed(partial(_consolidate, parts, batch, taken))[0])
        more = {"facts": taken.facts - before[0], "deltas": taken.deltas.total() - before[1]}
        taken.first += timed(partial(write_bare, first, batch, **more))[0]
        taken.tight += timed(partial(write_bare, tight, batch, **more))[0]
        taken.episodes += len(batch)
    return taken


def _consolidate(parts: wiring.Parts, talk: Sequence[Episode], taken: Taken) -> None:
    """Push *talk* scope by scope, and do all work that results from it."""
    push(parts, talk, f"bench-{parts.settings.statements}")
    with due_work.series(parts) as series:  # as `slowwave work` does
        while True:
            seconds, report = timed(partial(due_work.run_next, parts, owner="bench", series=series))
            if report is None:
                return
            if report.job == CONSOLIDATE:
                taken.consolidating += seconds
                taken.deltas.update(report.deltas)


def push(parts: wiring.Parts, talk: Sequence[Episode], agent: str) -> None:
    """Push *talk* scope by scope, and make its work due."""
    for number in range(SCOPES):
        if own := talk[number::SCOPES]:
            parts.push(Scope("default", f"user-{number}", agent), own)
    due_work.fire(parts)


def write_bare(bare: Bare, talk: Sequence[Episode], *, facts: int, deltas: int) -> None:
    """Write *talk* in the same batches as our pipeline, with *facts* facts and *deltas* deltas in total."""
    for number in range(SCOPES):
        if own := talk[number::SCOPES]:
            bare.write(own, facts=_share(facts, number), deltas=_share(deltas, number))


def _share(count: int, number: int) -> int:
    return count * (number + 1) // SCOPES - count * number // SCOPES
