"""The benchmarks do what they measure: a figure of work that was not done would look best of all."""

import importlib

import psycopg
import pytest

from slowwave.errors import Fault

consolidate = importlib.import_module("slowwave.cli.bench.consolidate")
model = importlib.import_module("slowwave.cli.bench.model")  # the package has a command of that name


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
