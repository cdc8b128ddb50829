"""A Postgres that refuses writes: all of them for a while, so that the outbox takes over, or one episode, alone."""

import json
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner

from slowwave.cli import cli
from slowwave.domain.episode import Episode
from slowwave.domain.scope import Scope
from slowwave.errors import Incorrect
from slowwave.memory.ingestion import ingest
from slowwave.settings import Settings
from slowwave.wiring import Parts
from tests.faults.rig.processes import until
from tests.integration.steps import forgive, process, refuse

NOT_NOW = ["53100", "53200", "53300", "58030", "25006", "57P01", "57P03", "55P03", "08006", "42501"]


@pytest.fixture
def spooling(settings: Settings, heavy_parts: dict[str, object], tmp_path: Path) -> Iterator[Parts]:
    """The parts of one process with an outbox; its pushes try Postgres anew each time."""
    with process(settings, heavy_parts, outbox=tmp_path / "outbox.db") as parts:
        yield parts


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Retry at once after a failure, and let only the test empty the outbox."""
    monkeypatch.setattr("slowwave.jobs.spool.SHARE", 0)
    monkeypatch.setattr("slowwave.jobs.spool.FIRST_PAUSE_SECONDS", 0.02)


def said(*contents: str) -> list[Episode]:
    """Return episodes whose keys are their contents."""
    return [Episode(content=content, key=content.replace(" ", "-")) for content in contents]


def contents(superuser: psycopg.Connection) -> list[str]:
    """Return the stored contents, in order."""
    return [content for (content,) in superuser.execute("SELECT content FROM episodes ORDER BY position").fetchall()]


CURSED = "NEW.content LIKE '%cursed%'"


@pytest.mark.parametrize("state", NOT_NOW)
def test_an_unwritable_push_is_spooled_and_stored_later(
    spooling: Parts, superuser: psycopg.Connection, scope: Scope, state: str
) -> None:
    refuse(superuser, state)
    receipts = spooling.push(scope, said("one", "two"))
    assert [receipt.state for receipt in receipts] == ["spooled", "spooled"]

    forgive(superuser)
    until(lambda: contents(superuser) == ["one", "two"], "the outbox has emptied itself")
    assert superuser.execute("SELECT count(*) FROM dead_letters").fetchone() == (0,)


def test_a_refused_batch_loses_only_its_bad_items(parts: Parts, superuser: psycopg.Connection, scope: Scope) -> None:
    refuse(superuser, "22023", when=CURSED)

    receipts = parts.push(scope, said("one", "two", "cursed three", "four", "five"))

    assert [receipt.state for receipt in receipts] == ["stored", "stored", "refused", "stored", "stored"]
    assert [receipt.position for receipt in receipts] == [1, 2, None, 3, 4]
    assert isinstance(receipts[2].error, Incorrect)
    assert receipts[2].error.hint
    assert contents(superuser) == ["one", "two", "four", "five"]


def test_a_file_with_a_line_that_is_refused_stores_the_others_and_tells_its_number(
    parts: Parts, superuser: psycopg.Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse(superuser, "22023", when=CURSED)
    file = tmp_path / "episodes.jsonl"
    file.write_text("".join(json.dumps({"content": text}) + "\n" for text in ("one", "cursed", "three")))
    monkeypatch.setenv("SLOWWAVE_URL", parts.url)

    result = CliRunner().invoke(cli, ["push", str(file), "--user", "alice"])

    assert result.exit_code == 1
    assert "line 2: Postgres cannot store" in result.output
    assert "2 stored, 1 refused" in result.output
    assert contents(superuser) == ["one", "three"]


def test_a_message_with_an_episode_that_is_refused_stores_the_others_and_keeps_that_one(
    parts: Parts, superuser: psycopg.Connection
) -> None:
    refuse(superuser, "22023", when=CURSED)
    message = {"user": "alice", "episodes": [{"content": text, "key": text} for text in ("one", "cursed", "three")]}

    receipts = ingest(parts, message, id_="m1")

    assert [receipt.state for receipt in receipts] == ["stored", "refused", "stored"]
    letters = superuser.execute("SELECT tenant, category, item ->> 'content' FROM dead_letters").fetchall()
    assert letters == [("default", "malformed", "cursed")]


def test_an_outbox_stores_refused_episodes_separately_and_delivers_the_rest(
    spooling: Parts, superuser: psycopg.Connection, scope: Scope
) -> None:
    refuse(superuser, "53100")
    spooling.push(scope, said("one", "cursed two", "three"))
    with superuser.transaction():  # the outbox must not retry between the two
        forgive(superuser)
        refuse(superuser, "22023", when=CURSED)

    outbox = spooling.outbox
    assert outbox
    until(lambda: not outbox.holds(), "the outbox has emptied itself")

    assert contents(superuser) == ["one", "three"]
    (kept,) = outbox.refused()
    assert kept.episode["content"] == "cursed two"
    assert kept.reason
    assert "cannot store" in kept.reason
    assert spooling.push(scope, said("four"))[0].state == "stored"


def test_an_unexpected_error_does_not_stop_the_outbox(
    spooling: Parts, superuser: psycopg.Connection, scope: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse(superuser, "53100")
    assert spooling.spooler
    met: list[int] = []
    drain = spooling.spooler.drain

    def failing(tenant: str | None = None) -> int:
        met.append(1)
        if len(met) < 3:
            raise RuntimeError("nobody foresaw this")
        return drain(tenant)

    monkeypatch.setattr(spooling.spooler, "drain", failing)
    spooling.push(scope, said("one"))
    forgive(superuser)

    until(lambda: contents(superuser) == ["one"], "the outbox has emptied itself")
    assert len(met) >= 3
