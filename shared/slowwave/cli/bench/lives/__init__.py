"""A benchmark that pushes conversations of people whose lives change, and scores recall. The benchmark uses only public
methods.
"""

from collections.abc import Mapping, Sequence
from datetime import timedelta

from slowwave.cli.bench.figures import Figures
from slowwave.cli.bench.lives.life import LIVES, Life, Turn, read
from slowwave.cli.bench.lives.marks import CHANGES, Asked, Marks
from slowwave.cli.bench.sample_data import installed
from slowwave.domain.fact import Fact
from slowwave.domain.limits import MOST_RESULTS
from slowwave.memory import Memory, MemoryScope

__all__ = ["LIVES", "marks", "measure", "read"]

FOUND = 3
LATER = timedelta(hours=1)
"""The time between a session's last turn and the questions after the session."""
NIGHT_SECONDS = 600.0


def measure(url: str, owner_url: str, lives: Mapping[str, Sequence[Life]]) -> Figures:
    """Return the figures of each set of *lives*, with the name of the set."""
    figures = Figures("lives")
    with installed(url, owner_url), Memory.connect(url) as memory:
        for name, half in lives.items():
            for mark, value in marks(memory, half, agent=name).figures().items():
                figures.add(f"{name}: {mark}", value)
    return figures


def marks(memory: Memory, lives: Sequence[Life], *, agent: str) -> Marks:
    """Push *lives* to *memory*, session by session, ask the probes, and return the results."""
    got = Marks()
    for life in lives:
        _live(memory, memory.scope(life.user, agent=agent), life, got)
    return got


def _live(memory: Memory, scope: MemoryScope, life: Life, got: Marks) -> None:
    active: Sequence[Fact] = ()
    for session in life.sessions:
        turns_of_session = [turn for turn in life.episodes if turn.session == session]
        active = _tell(memory, scope, turns_of_session)
        texts = [fact.text for fact in active]
        for probe in life.asked_after(session):
            found = [one.text for one in scope.recall(probe.question, limit=FOUND)]
            got.asked.append(Asked(probe, found, texts))
    got.left.append(active)
    got.turns += sum(turn.role == "user" for turn in life.episodes)
    got.changed += sum(len(scope.deltas(kind=kind, limit=MOST_RESULTS)) for kind in ("update", "delete"))
    got.due += sum(probe.kind in CHANGES for probe in life.probes)


def _tell(memory: Memory, scope: MemoryScope, turns: Sequence[Turn]) -> Sequence[Fact]:
    """Push a session, run all its work, and return the facts believed an hour after its last turn."""
    episodes = [turn.episode() for turn in turns]
    for receipt in scope.push_many(episodes):
        if receipt.error is not None:
            raise receipt.error
    scope.end_session(turns[0].session)
    memory.drain(NIGHT_SECONDS)
    last = episodes[-1].occurred_at
    assert last is not None
    return scope.facts(as_of=last + LATER)
