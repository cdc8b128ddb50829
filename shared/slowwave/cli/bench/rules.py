"""Benchmark of the rules: the CPU time for hostile texts and files, which are made to stall the rules."""

import contextlib
import re
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from slowwave.cli.bench.figures import Figures
from slowwave.core.summaries.extractive_summary import informativeness, sentences
from slowwave.errors import Incorrect, NotFound
from slowwave.rules import default_roots, load_pack
from slowwave.rules.cadence import CADENCES, load_cadences
from slowwave.rules.cases import CaseMessage
from slowwave.rules.lifecycle import load_lifecycle

FULL = 256 * 1024
"""Bytes of the longest text of an episode, and of the longest file of a pack."""
Made = Callable[[int], str]
BEGINNING = "pack: odd\nversion: 1\ncadence: {every: 100}\n"
RULE = "rules:\n  - {id: a, says: One two three., when: '(?P<object>a)', claim: {predicate: b}}\n"
_CRON = "cadence: {every: 100, cron: '"
TEXT_SECONDS = 0.5
FILE_SECONDS = 1.0
_PACK = "pack: odd\nversion: 1\ncadence: {every: 1}\n"
_CASE = "- {it: a case, episodes: [a], believe: []}\n"
_WORD = re.compile(r"\w+|[^\w\s]")


def repeated(before: str, part: str, after: str = "") -> Made:
    """Return a function that takes a size in bytes, and returns a text of this size that repeats the same part."""
    one = len(part.encode("utf-8", "surrogatepass"))
    return lambda size: before + part * max(1, (size - len(before) - len(after)) // one) + after


def filled(before: str, part: Callable[[int], str] | str, after: str = "") -> Made:
    """Return a function that takes a size in bytes, and returns a file of this size.

    *part* makes each part from its number.
    """
    one = part if callable(part) else lambda _: part

    def text(size: int) -> str:
        room, parts = size - len(before.encode()) - len(after.encode()), list[str]()
        while room > 0:
            parts.append(one(len(parts)))
            room -= len(parts[-1].encode())
        return before + "".join(parts[:-1]) + after

    return text


TEXTS = {
    "dots": repeated("I live in Oslo.\n", ".", "a"),
    "angled quotes": repeated("I live in Oslo.\n", "«"),
    "curled quotes": repeated("I live in Oslo.\n", "“"),
    "semicolons": repeated("I live in Oslo.\n", "; "),
    "dates": repeated("I live in Oslo.\n", "on 3 March 2020 "),
    "moves": repeated("", "I moved to Oslo on 3 March 2020. "),
}
WORST = {
    "speakers": repeated("I live in Oslo ", "\nAnn: ", "a"),
    "initials": repeated("I live in Oslo ", "A. ", "a"),
    "stops": repeated("I live in Oslo ", ". ", "a"),
    "stops and quotes": repeated("I live in Oslo ", "a. .' ", "a"),
    "conditions": repeated("", "if I live in Oslo. "),
    "clauses": repeated("", "I live in Oslo " + "I but " * 150 + "\n"),
}
"""The slowest hostile texts in the tests of growth."""


def _words(size: int) -> str:
    """Return a file whose first half is a word list, and whose second half is patterns that use the list."""
    return f"{BEGINNING}words: {{a: {'b' * (size // 2 - 200)}}}\nbreaks:\n" + "  - '{{a}}'\n" * (size // 26) + RULE


BOMBS = {
    "unknown keys": filled(BEGINNING + RULE, lambda n: f"k{n}: 1\n"),
    "unknown keys of rules": filled(
        BEGINNING + "rules:\n", lambda n: f"  - {{id: a{n}, certainity: 1, wehn: a, says: b}}\n"
    ),
    "the same name": filled(BEGINNING + "rules:\n", "  - {id: a}\n"),
    "as many values as there may be": filled(BEGINNING + "rules:\n", "  - {id: " + "a" * 20 + "}\n"),
    "strange guards": filled(BEGINNING + RULE + "guards:\n", "  - {id: [1], says: a, when: a}\n"),
    "guards nobody knows": filled(BEGINNING + "rules:\n  - id: a\n    despite:\n", lambda n: f"      - g{n}\n"),
    "words": _words,
    "words that are long": filled(
        f"{BEGINNING}words: {{a: '{'b' * 7_000}'}}\n{RULE}breaks:\n", "  - '(?P<cut>{{a}})'\n"
    ),
    "many patterns": filled(BEGINNING + RULE + "breaks:\n", lambda n: f"  - '(?P<cut>a{n})'\n"),
    "large patterns": filled(BEGINNING + RULE + "breaks:\n", lambda n: f"  - '(?P<cut>(?:\\pL|\\pN){{{n % 900}}})'\n"),
    "long patterns": filled(BEGINNING + RULE + "breaks:\n", "  - '(?P<cut>" + "a?b" * 2_600 + ")'\n"),
    "a pattern of what may be left out": filled(
        BEGINNING + RULE + "breaks:\n", "  - '(?P<cut>" + "|".join(["a{1,20}"] * 900) + ")'\n"
    ),
    "a pattern of every script": filled(
        BEGINNING + RULE + "breaks:\n", "  - '(?P<cut>" + "|".join(["\\pL"] * 1_500) + ")'\n"
    ),
    "a long pattern": filled(BEGINNING + RULE + "breaks:\n  - '", "{{a}}", "'\n"),
    "minutes of a cron": filled(f"pack: odd\nversion: 1\n{_CRON}0", ",1", " 3 * * *'}\n" + RULE),
    "steps of a cron": filled(f"pack: odd\nversion: 1\n{_CRON}0", ",*/1", " 3 * * *'}\n" + RULE),
    "fields of a cron": filled(f"pack: odd\nversion: 1\n{_CRON}0", " *", "'}\n" + RULE),
    "crons": filled(BEGINNING + RULE, lambda n: f"k{n}: {{cron: '0 0 30 2 *'}}\n"),
    "brackets": filled("a: ", "["),
    "braces": filled("a: ", "{a: "),
    "dashes": filled("", "- "),
    "lists in a long place": lambda size: f"{'k' * 500}:\n" + "  - {a: 1, a: 2}\n" * ((size - 502) // 17),
    "the same key": filled("", "a: 1\n"),
    "aliases": filled("a: &a [1]\nb:\n", "  - *a\n"),
    "tags": filled("a:\n", "  - !!python/object a\n"),
    "digits": filled("version: ", "9"),
    "hexadecimal digits": filled("version: 0x", "f"),
    "sexagesimal": filled("version: 1", ":00", ":00.0"),
    "sexagesimal whole": filled("version: 1", ":10"),
    "quotes": filled("a: '", "''", "'"),
    "nothing but letters": filled("", "a"),
    "lines": filled("", "\n"),
    "cases": filled("", lambda n: f"- {{it: c{n}, tell: a, believe: []}}\n"),
    "cases in a pack": filled(BEGINNING + RULE, lambda n: f"cases{n}: {{it: c, tell: a}}\n"),
    "predicates": filled(BEGINNING + RULE + "predicates:\n", lambda n: f"  p{n}: {{aliases: [a], ends: [q{n}]}}\n"),
    "predicates of the shared kind": filled("", lambda n: f"p{n}: {{aliases: [p{n + 1}], opposites: [q{n}]}}\n"),
    "names of predicates": filled(BEGINNING + RULE + "predicates:\n  a:\n    aliases:\n", lambda n: f"      - b{n}\n"),
    "what predicates end": filled(BEGINNING + RULE + "predicates:\n  a:\n    ends:\n", lambda n: f"      - e{n}\n"),
    "open predicates": filled(BEGINNING + RULE + "predicates:\n", lambda n: f"  p{n}_*:\n"),
    "sentences of predicates": filled(BEGINNING + RULE + "predicates:\n", lambda n: f"  p{n}: {{says: '{{a}}'}}\n"),
}
"""Hostile files that take the place of a pack, its cases or a policy."""


def measure() -> Figures:
    """Return the seconds, MB/s and ratio to the upper limit for 256 KiB of each text, and the seconds for each file.

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
    """Add and return the longest time to read *text* as a pack, cases, cadences or a lifecycle policy."""
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
