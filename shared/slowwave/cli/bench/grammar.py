"""Benchmark of statements over a parse: turns read to claims a second, next to the parser alone over the same turns."""

import time
from collections.abc import Callable

from slowwave.cli.bench.figures import Figures
from slowwave.cli.bench.talk import episodes
from slowwave.rules import load_pack
from slowwave.rules.case import Told
from slowwave.rules.folders import find_folders_in_force
from slowwave.rules.grammar.parser import Parser

ROUNDS = 3
"""Each is measured so often, in turns, and its best counts: who else works on the machine is nobody's matter here."""


def measure(count: int) -> Figures:
    """Return turns a second of both and their ratio, and claims a turn. Raises `Incorrect` without the extra."""
    pack, parser = load_pack(find_folders_in_force(None, "grammar")["grammar"]), Parser()
    turns = [turn for turn in episodes(count) if turn.role == "user"]
    told = [Told(text=turn.content, at=turn.occurred_at).episode(number) for number, turn in enumerate(turns)]
    claims = len(pack.propose(told))
    bare, whole = zip(
        *(
            (
                _seconds(lambda: sum(1 for _ in parser.docs([turn.content for turn in turns]))),
                _seconds(lambda: pack.propose(told)),
            )
            for _ in range(ROUNDS)
        ),
        strict=True,
    )
    figures = Figures("grammar")
    figures.add("the parser alone", len(turns) / min(bare), "turns/s")
    figures.add("read to claims", len(turns) / min(whole), "turns/s")
    figures.add("ratio to the parser alone (target 0.8)", min(bare) / min(whole))
    figures.add("claims a turn", claims / len(turns))
    return figures


def _seconds(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started
