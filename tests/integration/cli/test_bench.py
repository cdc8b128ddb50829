"""The benchmarks do the work that they measure."""

import importlib
import json
import tempfile
import uuid
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner

from slowwave.cli import cli
from slowwave.cli.bench.lives.life import LIVES, Probe, read
from slowwave.cli.bench.lives.marks import Asked, Marks
from slowwave.domain.claim import Source
from slowwave.domain.fact import Fact
from slowwave.domain.scope import Scope
from slowwave.embedded_services import EmbeddedServices
from slowwave.errors import Fault, Incorrect, NotFound
from tests.unit.tables import table

ROWS = table(__file__)

consolidate = importlib.import_module("slowwave.cli.bench.consolidate")
model = importlib.import_module("slowwave.cli.bench.model")  # the package has a command of that name
recall = importlib.import_module("slowwave.cli.bench.recall")


@pytest.mark.accept
def test_the_recall_bench_measures_each_size_and_gives_the_ten_of_a_full_scan(url: str, owner_url: str) -> None:
    figures = recall.measure(url, owner_url, [200, 400], store=450)

    rows = [(str(row["name"]).strip(), row["value"]) for row in figures.rows]
    assert [name for name, _ in rows if name.startswith("recall among")] == [
        "recall among 200 episodes, median", "recall among 400 episodes, median",
    ]  # fmt: skip
    assert [value for name, value in rows if name == "the same first ten"] == [1, 1]
    few, more = (value for name, value in rows if name == "facts believed")
    assert 0 < few < more
    assert dict(rows)["episodes in scopes that are not queried"] == 50
    assert all(value > 0 for _, value in rows)


def test_the_talk_of_the_recall_bench_repeats_itself_and_asks_other_questions_at_each_size(tmp_path: Path) -> None:
    said = {"episodes": [{"speaker": "Ann", "content": "I sing."}], "questions": [{"question": "Who sings?"}]}
    (tmp_path / "one.json").write_text(json.dumps(said))
    (tmp_path / "notes.json").write_text("[]")
    talk, read = recall.Talk.made(), recall.Talk.read(tmp_path)

    texts = [one.content.rpartition(" ")[0] for one in talk.episodes(0, 3_000)]

    assert len({*texts}) < len(texts)
    assert [*talk.episodes(7, 9)] == [*talk.episodes(0, 9)][7:]
    assert len({*talk.asked(1_000, 60), *talk.asked(10_000, 60)}) > 100
    assert [one.content for one in read.episodes(0, 2)] == ["Ann: I sing. 0", "Ann: I sing. 1"]
    assert read.asked(1, 60) == ["Who sings?"]


def test_the_recall_bench_says_where_no_talk_is(tmp_path: Path) -> None:
    done = CliRunner().invoke(cli, ["bench", "recall", "--talk", str(tmp_path)])

    assert done.exit_code
    assert "has no conversations" in str(done.exception or "") + done.output


def test_the_model_bench_reads_each_episode_and_applies_the_replies(
    url: str, owner_url: str, superuser: psycopg.Connection
) -> None:
    figures = model.measure(url, owner_url, 240)

    measured = {row["name"]: row["value"] for row in figures.rows}
    assert measured["claims per episode"] == 5 / 8
    assert all(value > 0 for value in measured.values())
    applied = superuser.execute("SELECT sum(position) FROM watermarks WHERE pack = 'reader'").fetchone()
    assert applied == (240,)
    asked = superuser.execute("SELECT DISTINCT state FROM model_requests").fetchall()
    assert asked == [("answered",)]


def test_the_model_bench_stops_at_an_invalid_reply(url: str, owner_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    lie = {"n": 1, "s": "user", "p": "likes", "o": "Moscow", "q": "I like Moscow"}
    monkeypatch.setattr(model, "_claims", lambda _chunk: iter([lie]))

    with pytest.raises(Fault, match="rejected"):
        model.measure(url, owner_url, 40)


@pytest.mark.accept
def test_both_bare_pipelines_write_as_many_rows_as_consolidation(
    url: str, owner_url: str, superuser: psycopg.Connection
) -> None:
    consolidate.measure(url, owner_url, 240)

    def count(table: str, where: str = "true") -> int:
        row = superuser.execute(f"SELECT count(*) FROM {table} WHERE {where}").fetchone()
        assert row is not None
        return int(row[0])

    by_packs = "NOT starts_with(pack, '_')"  # the bare pipelines do not reconsider
    for way in ("first", "tight"):
        assert count(f"bare_{way}_episodes") == count("episodes") == 2 * (24 + 240)
        assert count(f"bare_{way}_facts") == count("deltas", "kind IN ('add', 'update')") > 80
        assert count(f"bare_{way}_deltas") == count("deltas", by_packs)
        sources = count("delta_sources s JOIN deltas d ON d.id = s.delta", by_packs)
        assert count(f"bare_{way}_sources") >= 0.95 * sources  # some statements cite two sentences
        assert count(f"bare_{way}_facts", "embedding IS NULL") == 0


api = importlib.import_module("slowwave.cli.bench.api")  # the package has a command of that name


@pytest.mark.accept
@pytest.mark.timeout(180)
def test_the_api_bench_survives_a_killed_worker_and_a_killed_postgres(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api, "FILLED", 80)
    monkeypatch.setattr(api, "ROUNDS", 8)
    monkeypatch.setattr(api, "WORKERS", 1)
    with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="slowwave-load-") as home:
        Path(home).chmod(0o755)
        with EmbeddedServices.start(Path(home) / "home", redis=False) as services:
            rows = api.measure(services, 8, 2.0, 2).rows

    by_name = [(str(row["name"]).strip(), row["value"]) for row in rows]
    errors = [value for name, value in by_name if name == "errors (target 0)"]
    waits = [value for name, value in by_name if name.startswith("told to wait")]
    assert errors == [0, 0, 0], by_name
    assert (waits[:2], waits[2] > 0) == ([0, 0], True), by_name
    found = dict(by_name)
    assert found["pushes acknowledged"] > 24
    assert found["of them lost (target 0)"] == 0


bench = importlib.import_module("slowwave.cli.bench.lives")  # the package has a command of that name

HELD_TO = ROWS["held_to"]
"""The lowest and highest accepted value of each measure, by half of the questions."""

SAID = (("s1", "I live in Bergen"), ("s1", "I have a dog called Pixel"), ("s2", "I moved to Lisbon"))
PROBES = ROWS["probes"]
MARKS = ROWS["marks"]


def told(folder: Path, **changed: object) -> Path:
    """Write two sessions in which a person moves; return the folder."""
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
