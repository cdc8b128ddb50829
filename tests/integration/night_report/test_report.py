"""The page about a night: its content, and the escaping of user text."""

import os
import re
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from slowwave import wiring
from slowwave.domain.episode import Episode
from slowwave.domain.job_table import REPORT, pack_of
from slowwave.domain.night_report import NightReport
from slowwave.domain.scope import Scope
from slowwave.errors import Incorrect
from slowwave.memory import Memory, due_work
from slowwave.night_report import Pages, page
from slowwave.night_report.contents import headline
from slowwave.rules.canaries import Canary
from slowwave.store.night_report import PostgresNightReports
from slowwave.testing import stop_clock
from slowwave.wiring import Settings
from tests.integration.command import ALICE, Run
from tests.integration.steps import work_off
from tests.plans import filled

MORNING = date(2026, 3, 2)
THREE = datetime(2026, 3, 2, 3, tzinfo=UTC)
HOSTILE = Scope("default", "<script>alert(1)</script>", "concierge")


@pytest.fixture
def lived(parts: wiring.Parts, owner_url: str) -> NightReport:
    """A night after which Alice has moved to Oslo, a fact was corrected, and a turn contained markup."""
    stop_clock(owner_url, THREE)
    said = ["I moved to Oslo", "I moved to Lisbon", "I like coffee", "I no longer like coffee"]
    for number, content in enumerate(said):
        work_off(parts, ALICE, [Episode(content=content, key=f"e{number}", session="s", occurred_at=THREE)])
    work_off(parts, HOSTILE, [Episode(content="I moved to Rome", key="h", occurred_at=THREE)])
    return PostgresNightReports(parts.database).night("default")


def test_a_report_counts_episodes_and_decisions(lived: NightReport) -> None:
    assert lived.night == MORNING
    assert lived.tonight.total("episodes", "prepare") == 5
    assert lived.decided["changed"] == 2
    end, change = lived.examples["changed"]
    assert ("Oslo" in change.before, "Lisbon" in change.text, change.ended) == (True, True, False)
    assert ("coffee" in end.text, end.ended) == (True, True)
    assert (change.words, end.words) == ("I moved to Lisbon", "I no longer like coffee")
    assert headline(lived).startswith("2 beliefs were changed")
    assert headline(lived).endswith("; 5 episodes came in.")
    assert [run.job for run in lived.slowest]
    assert lived.lag.conversations


def test_a_nights_report_covers_only_that_night(parts: wiring.Parts, lived: NightReport) -> None:
    nights = PostgresNightReports(parts.database)

    before, after = (nights.night("default", date(2026, 3, day)) for day in (1, 3))
    assert (before.decided, after.decided, before.slowest) == ({}, {}, [])
    assert [one.total("episodes", "prepare") for one in after.trend[-3:]] == [0, 5, 0]
    assert nights.night("somebody else", MORNING).decided == {}
    assert "Nothing came in." in page(before)


def test_the_report_lists_changes_first_with_both_sources(lived: NightReport) -> None:
    text = page(lived)

    headings = re.findall(r"</span> (\w+)</h2>", text)
    assert headings[:2] == ["changed", "learned"]
    changed = text[text.index("</span> changed</h2>") : text.index("</span> learned</h2>")]
    for words in ("likes coffee", "I no longer like coffee", "lives in Oslo", "lives in Lisbon", "I moved to Lisbon"):
        assert words in changed


def test_the_report_counts_the_runs_of_a_canary_and_compares_its_rates(
    parts: wiring.Parts, lived: NightReport, owner_url: str
) -> None:
    assert (lived.canaries, "canary" in page(lived)) == ([], False)
    filled(owner_url, "INSERT INTO canaries VALUES ('everyday', 9001, '_system', 0.5)", "canaries")
    stop_clock(owner_url, THREE)
    for number in range(4):
        scope = Scope("default", f"night-{number}", "concierge")
        parts.push(scope, [Episode(content="I like tea", key="k", occurred_at=THREE)])
        due_work.fire(parts, scope.id)
    vars(parts)["glance"] = lambda: None  # the folders of the packs do not have this version
    parts.__dict__["_canaries"] = {"everyday": Canary(replace(parts.packs[0], version=9001), 0.5)}
    parts.__dict__.pop("jobs", None)
    Memory(parts).drain()

    (night,) = PostgresNightReports(parts.database).night("default").canaries

    canary, installed = night.canary, night.installed
    assert (canary.pack, canary.version, canary.scopes == canary.runs, 1 <= canary.scopes <= 3) == (
        "everyday", 9001, True, True,
    )  # fmt: skip
    assert installed is not None
    assert (canary.episodes, canary.learned, canary.changed) == (canary.scopes, canary.scopes, 0)
    assert installed.episodes == 9 - canary.episodes, "five episodes of the night, and the rest of four"
    assert (installed.version, installed.changed) == (parts.packs[0].version, 2)
    written = page(PostgresNightReports(parts.database).night("default"))
    assert f"The canary everyday@9001 read in {canary.scopes} scope" in written
    rate = round(100 * 2 / installed.episodes)
    assert "From 100 episodes, everyday@9001 learned 100 beliefs and changed or ended 0; from 100 episodes" in written
    assert f"beliefs and changed or ended {rate}. `slowwave canary status" in written
    assert "slowwave canary status everyday" in written


def test_quoted_words_are_escaped_on_the_page(lived: NightReport) -> None:
    text = page(lived)

    assert "<script" not in text
    assert "&lt;script&gt;" in text
    assert "default-src &#39;none&#39;" not in text
    assert "default-src 'none'" in text


def test_a_repeated_report_job_writes_two_nights_of_each_scope(
    parts: wiring.Parts, lived: NightReport, tmp_path: Path
) -> None:
    assert lived.night == MORNING
    parts.push(Scope("../a/b", "bob", "concierge"), ["hello"])
    told = wiring.connect(parts.settings.model_copy(update={"reports": tmp_path / "pages"}))
    vars(told).update(packs=parts.packs, embedder=parts.embedder)
    for _ in range(2):
        told.schedule.fire_job(REPORT, pack_of(REPORT), by="test")
        report = due_work.run_next(told, owner="ann", only=[REPORT])
        assert report is not None
        assert (report.outcome, report.counts) == ("ok", {"pages": 4})
    told.close()

    found = sorted(str(file.relative_to(tmp_path)) for file in tmp_path.rglob("*") if file.is_file())
    assert found == sorted(
        f"pages/{tenant}/2026-03-0{day}.html" for tenant in ("%2E%2E%2Fa%2Fb", "default") for day in (1, 2)
    )
    assert (tmp_path / "pages/default/2026-03-02.html").stat().st_mode & 0o077 == 0


def test_the_report_job_without_a_folder_writes_nothing(parts: wiring.Parts) -> None:
    parts.schedule.fire_job(REPORT, pack_of(REPORT), by="test")

    report = due_work.run_next(parts, owner="ann", only=[REPORT])
    assert report is not None
    assert (report.outcome, report.counts) == ("ok", {"pages": 0})


def test_an_unwritable_report_folder_is_reported(lived: NightReport, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(Incorrect, match="cannot be written"):
        Pages(tmp_path / "file").write(lived)


def test_old_pages_and_those_of_killed_writers_are_deleted(
    tmp_path: Path, lived: NightReport, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages, before = Pages(tmp_path), replace(lived, night=MORNING - timedelta(days=9))
    pages.write(before)
    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", lambda *_: 1 / 0)  # a kill before the page has its name
        with pytest.raises(ZeroDivisionError):
            pages.write(before)
    assert len(pages.of("default")) == 2

    pages.write(lived, oldest=MORNING - timedelta(days=8))

    assert [path.name for path in pages.of("default")] == ["2026-03-02.html"]


def test_the_report_command_writes_a_page_and_prints_its_path(run: Run, tmp_path: Path, lived: NightReport) -> None:
    named = run("report", "--night", str(lived.night), "--out", str(tmp_path / "night.html"))
    assert (named.status, named.out.strip()) == (0, str(tmp_path / "night.html"))
    assert "Lisbon" in (tmp_path / "night.html").read_text()

    usual = run("report")
    assert Path(usual.out.strip()).is_relative_to(Settings.load().home)
