"""Benchmark of the rules: CPU time for texts and files made to stall them, compared with one regular expression."""

import contextlib
import re
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from slowwave.cli.bench.figures import Figures
from slowwave.cli.bench.hostile import BOMBS, FULL, TEXTS, WORST
from slowwave.core.summaries.extractive_summary import informativeness, sentences
from slowwave.errors import Incorrect, NotFound
from slowwave.rules import default_roots, load_pack
from slowwave.rules.case import CaseMessage
from slowwave.rules.lifecycle import load_lifecycle
from slowwave.rules.policies import CADENCES, load_cadences

TEXT_SECONDS = 0.5
FILE_SECONDS = 1.0
_PACK = "pack: odd\nversion: 1\ncadence: {every: 1}\n"
_CASE = "- {it: a case, told: [a], believe: []}\n"
_WORD = re.compile(r"\w+|[^\w\s]")


def measure() -> Figures:
    """Return, for 256 KiB of each text, seconds, MB/s and their ratio to the ceiling; for each file, seconds.

    The last figures are the numbers of texts and files over their time limit.
    """
    figures = Figures("rules")
    texts = [_text(figures, name, text(FULL)) for name, text in {**TEXTS, **WORST}.items()]
    figures.add(f"texts that take more than {TEXT_SECONDS} s", sum(each > TEXT_SECONDS for each in texts))
    with tempfile.TemporaryDirectory(prefix="slowwave-bench-") as folder:
        files = [_file(figures, Path(folder), name, text(FULL)) for name, text in BOMBS.items()]
    figures.add(f"files that take more than {FILE_SECONDS:g} s", sum(each > FILE_SECONDS for each in files))
    return figures


def _text(figures: Figures, name: str, text: str) -> float:
    pack = load_pack(default_roots()[0] / "everyday")
    episode = CaseMessage(text=text).episode(0)
    pack.propose([CaseMessage(text="I live in Oslo.").episode(0)])
    ceiling = _seconds(lambda: _WORD.findall(text))
    taken = _seconds(lambda: (pack.propose([episode]), [informativeness(line.text) for line in sentences(episode)]))
    figures.add(f"256 KiB of {name}", taken, "s")
    figures.add("  a second", len(text.encode()) / taken / 1e6, "MB")
    figures.add("  ratio to splitting it into words", ceiling / taken)
    return taken


def _file(figures: Figures, folder: Path, name: str, text: str) -> float:
    """Return the longest time that *text* takes as any kind of file: a pack, its cases, or either policy."""
    home, policies = folder / "odd", folder / "policies"
    for each in (home, policies / "presets"):
        each.mkdir(parents=True, exist_ok=True)
    (policies / CADENCES).write_text(text, encoding="utf-8")
    (policies / "lifecycle.yaml").write_text(text, encoding="utf-8")
    taken = [_refused(lambda: load_cadences(policies / CADENCES, ["everyday"]))]
    taken.append(_refused(lambda: load_lifecycle(folder / "packs")))
    for pack, cases in ((text, _CASE), (_PACK, text)):
        (home / "pack.yaml").write_text(pack, encoding="utf-8")
        (home / "cases.yaml").write_text(cases, encoding="utf-8")
        taken.append(_refused(lambda: load_pack(home)))
    return figures.add(f"a file of {name}", max(taken), "s")


def _refused(read: Callable[[], object]) -> float:
    def work() -> None:
        with contextlib.suppress(Incorrect, NotFound):
            read()

    return _seconds(work)


def _seconds(work: Callable[[], object], *, times: int = 2) -> float:
    return min(_times(work, times))


def _times(work: Callable[[], object], times: int) -> Iterator[float]:
    for _ in range(times):
        started = time.thread_time()
        work()
        yield time.thread_time() - started
