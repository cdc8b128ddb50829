"""Wrong settings are reported together, each with a valid value."""

from pathlib import Path

import pytest

from slowwave.cli import main
from slowwave.errors import Incorrect
from slowwave.settings import Settings
from slowwave.store.engine import engine
from slowwave.wiring import connect

WRONG = {
    "SLOWWAVE_URL": "mysql://me:s3cret@host/db",
    "SLOWWAVE_BROKER_URL": "nonsense",
    "SLOWWAVE_RULES": "/no/such/folder",
    "SLOWWAVE_LEASE_SECONDS": "abc",
}


@pytest.fixture
def wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in WRONG.items():
        monkeypatch.setenv(name, text)


@pytest.mark.usefixtures("wrong")
def test_all_wrong_settings_are_named_at_once_without_secrets() -> None:
    with pytest.raises(Incorrect) as caught:
        Settings.load()

    assert [problem.partition(":")[0] for problem in caught.value.problems] == list(WRONG)
    assert "expected an address like postgresql://" in caught.value.problems[0]
    assert "s3cret" not in str(caught.value)


@pytest.mark.usefixtures("wrong")
def test_a_command_with_wrong_settings_reports_them_and_exits_with_1(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["status"])

    said = capsys.readouterr()
    assert (stop.value.code, said.out) == (1, "")
    assert said.err.startswith("the environment has 4 problems:")


def test_an_empty_variable_counts_as_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in WRONG:
        monkeypatch.setenv(name, "")

    assert (Settings.load().url, Settings.load().rules) == (None, None)


def test_a_misspelt_variable_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLOWWAVE_LEASE_SECOND", "5")
    monkeypatch.setenv("SLOWWAVE_HOME", "/tmp/somewhere")

    assert "SLOWWAVE_LEASE_SECOND" in Settings.unknown()
    assert "SLOWWAVE_HOME" not in Settings.unknown()


@pytest.mark.parametrize("address", ["postgresql", "postgresql://u:s3cret@h:p0rt/x", "postgresql://u@/x?port=s3cret"])
def test_an_unreadable_address_is_refused_without_being_printed(address: str) -> None:
    with pytest.raises(Incorrect, match="cannot be read") as caught:
        engine(address)

    assert "s3cret" not in str(caught.value)


def test_an_address_with_an_unknown_option_is_refused_when_connecting() -> None:
    for address, says in (
        ("postgresql://u:s3cret@/x?hots=/tmp", 'invalid connection option "hots"'),
        ("postgresql://u:s3cret@h:abc/x", "cannot be read"),
    ):
        with pytest.raises(Incorrect, match=says) as caught:
            connect(Settings.load(url=address))
        assert "s3cret" not in str(caught.value)


@pytest.mark.parametrize("number", [float("inf"), float("nan")])
@pytest.mark.parametrize(
    "name", [name for name, field in Settings.model_fields.items() if "float" in str(field.annotation)]
)
def test_an_infinite_time_or_price_is_refused(name: str, number: float) -> None:
    with pytest.raises(Incorrect) as caught:
        Settings.load(**{name: number})

    assert f"{name}: expected" in str(caught.value)


@pytest.mark.parametrize("name", ["home", "outbox"])
def test_a_path_with_nul_is_refused(name: str) -> None:
    with pytest.raises(Incorrect, match=f"{name}: contains NUL"):
        Settings.load(**{name: "/tmp/a\0b"})


def test_a_removed_parser_setting_is_refused_with_the_valid_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLOWWAVE_STATEMENTS", "grammar")

    with pytest.raises(Incorrect) as caught:
        Settings.load()

    assert caught.value.problems == ("SLOWWAVE_STATEMENTS: expected true or false, got 'grammar'",)
    for said, read in (("off", False), ("true", True)):
        monkeypatch.setenv("SLOWWAVE_STATEMENTS", said)
        assert Settings.load().statements is read


def test_a_rule_pack_is_no_folder_of_packs(tmp_path: Path) -> None:
    (tmp_path / "pack.yaml").touch()
    with pytest.raises(Incorrect, match=f"is a rule pack; name the folder that contains .*, '{tmp_path.parent}'"):
        Settings.load(rules=tmp_path)
