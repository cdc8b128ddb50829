"""Lives that change get the marks that they deserve; the lives of this checkout get no worse ones than they had."""

import importlib
import json
import uuid
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner

from slowwave.cli import cli
from slowwave.cli.bench.lives.life import LIVES, Probe, read
from slowwave.cli.bench.lives.marks import Asked, Marks
from slowwave.domain.claim import Source
from slowwave.domain.fact import Fact
from slowwave.domain.scope import Scope
from slowwave.errors import Incorrect, NotFound

bench = importlib.import_module("slowwave.cli.bench.lives")  # the package has a command of that name

HELD_TO = {
    "seen": {
        "top1": (0.44, 1.0), "top3": (0.58, 1.0), "stale@1": (0.0, 0.11), "false": (0.0, 0.09), "secret": (0.0, 0.0),
        "changed": (25, 200), "facts/100": (29, 50), "twice": (0.0, 0.02), "pointing": (0.0, 0.11),
    },
    "held_out": {  # fewer changes than once (9): news that may mean a part or another's thing asks a person instead
        "top1": (0.35, 1.0), "top3": (0.52, 1.0), "stale@1": (0.0, 0.15), "false": (0.0, 0.19), "secret": (0.0, 0.0),
        "changed": (6, 200), "facts/100": (27, 50), "twice": (0.0, 0.02), "pointing": (0.0, 0.06),
    },
}  # fmt: skip
"""The least and the most that each mark of a half may be."""

SAID = (("s1", "I live in Bergen"), ("s1", "I have a dog called Pixel"), ("s2", "I moved to Lisbon"))
PROBES = (
    {"kind": "said", "question": "Where does Nora live?", "now": ["Bergen"], "stale": [], "after": "s1"},
    {"kind": "replaced", "question": "Where does Nora live?", "now": ["Lisbon"], "stale": ["lives in Bergen"]},
    {"kind": "said", "question": "Where does Nora live?", "now": ["Oslo"], "stale": ["lives in Lisbon"]},
    {"kind": "secret", "question": "What is Pixel?", "now": [], "stale": ["a dog"]},
)
MARKS = {
    "questions": 3, "top1": 0.667, "top3": 0.667, "stale@1": 0.333, "false": 0.5, "changed": 1, "due": 1,
    "facts/100": 66.667, "twice": 0.0, "pointing": 0.0, "secret": 1.0,
}  # fmt: skip


def told(folder: Path, **changed: object) -> Path:
    """Write a life of two sessions in which somebody moves; return its folder."""
    turns = [
        {
            "key": f"k{number}", "session": session, "role": "user", "speaker": "Nora", "content": words,
            "occurred_at": f"2025-03-0{number}T08:00:00Z",
        }
        for number, (session, words) in enumerate(SAID, 1)
    ]  # fmt: skip
    life = {"life": "nora", "about": "moves", "user": "nora", "episodes": turns, "probes": PROBES, **changed}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "nora.json").write_text(json.dumps(life))
    return folder


def fact(text: str, *keys: str) -> Fact:
    at, id_ = datetime(2025, 3, 1, tzinfo=UTC), uuid.uuid4()
    sources = [Source(id_, key, 1, 0, 1) for key in keys]
    return Fact(id_, "Nora", "says", text, at, None, at, None, 0.9, "rule", "s1", sources, Scope("t", "u", "a"), text)


def marks(*, found: Sequence[str] = (), held: Sequence[str] = (), **probe: object) -> dict[str, float]:
    asked = Probe.model_validate({"kind": "replaced", "question": "Where?", "now": [], "stale": [], **probe})
    return Marks([Asked(asked, found, held)]).figures()


def test_the_lives_bench_computes_the_expected_marks(url: str, owner_url: str, tmp_path: Path) -> None:
    figures = bench.measure(url, owner_url, read(told(tmp_path / "seen")))

    assert {str(row["name"]): row["value"] for row in figures.rows} == {f"seen: {n}": v for n, v in MARKS.items()}


def test_a_text_with_the_current_and_the_former_value_is_not_misleading() -> None:
    was, both = "Nora lives in Bergen", "Nora lives in Lisbon, no longer in Bergen"
    probe = {"now": ["lisbon"], "stale": ["bergen"]}

    misled = marks(found=[was, both], held=[was], **probe)
    assert [misled[mark] for mark in ("top1", "top3", "stale@1", "false")] == [0, 1, 1, 1]
    led = marks(found=[both], held=[both], **probe)
    assert [led[mark] for mark in ("top1", "top3", "stale@1", "false")] == [1, 1, 0, 0]


def test_repeated_and_context_dependent_facts_are_counted() -> None:
    left = [fact("Nora bakes bread", "k1"), fact("Nora bakes rye bread", "k1"), fact("Nora likes it there", "k2")]
    figures = Marks([], [left, [fact("Nora bakes bread", "k1")]], turns=8).figures()

    assert (figures["twice"], figures["pointing"], figures["facts/100"]) == (2 / 4, 1 / 4, 50)


def test_a_leaked_secret_is_counted_separately() -> None:
    figures = marks(kind="secret", stale=["trout"], found=["a", "b", "it is trout"])
    assert (figures["secret"], figures["questions"], figures["stale@1"]) == (1, 0, 0)


def test_an_invalid_life_is_refused_with_all_its_problems(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="there are no lives in"):
        read(tmp_path)
    with pytest.raises(Incorrect, match="no session is called s9"):
        read(told(tmp_path, probes=[{**PROBES[0], "after": "s9"}]))
    with pytest.raises(Incorrect) as refused:
        read(told(tmp_path, user=None, probes=[{**PROBES[0], "now": ["("]}]))
    assert "user" in str(refused.value)
    assert "probes.0.now.0" in str(refused.value)


def test_the_command_says_where_no_lives_are(tmp_path: Path) -> None:
    done = CliRunner().invoke(cli, ["bench", "lives", str(tmp_path / "none")])
    assert isinstance(done.exception, NotFound)


def test_each_life_of_the_checkout_is_valid_and_half_are_held_out() -> None:
    lives = read(LIVES)
    assert {name: len(half) for name, half in lives.items()} == {"held_out": 8, "seen": 8}
    assert all(len(life.probes) >= 15 and len(life.sessions) >= 3 for half in lives.values() for life in half)


@pytest.mark.soak
@pytest.mark.timeout(900)
def test_the_lives_of_this_checkout_get_no_worse_marks(url: str, owner_url: str) -> None:
    figures = bench.measure(url, owner_url, read(LIVES))

    got = {str(row["name"]): float(row["value"]) for row in figures.rows}
    bounds = {f"{half}: {mark}": range_ for half, marks in HELD_TO.items() for mark, range_ in marks.items()}
    assert {name: got[name] for name, (least, most) in bounds.items() if not least <= got[name] <= most} == {}
