"""`slowwave rules check --live` calls the configured model with each case of a pack that needs one."""

from collections.abc import Sequence

import pytest

from slowwave.domain.model_calls import Message
from tests.faults.rig.provider import LocalProvider, answering
from tests.integration.command import Run, Said
from tests.unit.model_packs.talks import reader, recorded


@pytest.fixture(autouse=True)
def _without_a_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SLOWWAVE_MODEL", raising=False)


def checked_by(provider: LocalProvider, run: Run, monkeypatch: pytest.MonkeyPatch) -> Said:
    """Let the model of *provider* be asked each case of the reader."""
    monkeypatch.setenv("SLOWWAVE_MODEL", "echo")
    monkeypatch.setenv("SLOWWAVE_MODEL_URL", provider.url)
    return run("rules", "check", "reader", "--live")


def test_a_model_that_replies_as_recorded_passes_and_is_asked_once_a_request(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    with answering(replies=recorded(reader())) as provider:
        said = checked_by(provider, run, monkeypatch)
    name, cases = f"reader {reader().version}", len(reader().cases)

    assert (said.status, said.err) == (0, "")
    assert said.out == (f"{name}: asked, {20 * cases} tokens and {10 * cases} in reply\n{name}: {cases} cases hold\n")
    assert provider.billed.total() == cases


def test_a_model_that_fails_the_cases_is_reported_case_by_case(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def clumsy(messages: Sequence[Message]) -> str:
        return "I would rather not." if "I live in Lisbon" in messages[-1]["content"] else '{"claims": []}'

    with answering(replies=clumsy) as provider:
        said = checked_by(provider, run, monkeypatch)

    assert said.status == 1
    assert "reader: knows a home, and replaces it when somebody moves: the reply cannot be read: " in said.err
    assert "missing: user sister Greta" in said.err


def test_a_live_check_needs_live_and_a_model(run: Run) -> None:
    assert run("rules", "check", "reader").status == 0

    nobody = run("rules", "check", "reader", "--live")
    assert nobody.status == 1
    assert "no model is configured" in nobody.err


def test_an_unavailable_provider_is_not_blamed_on_the_pack(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    with answering(["503"]) as provider:
        said = checked_by(provider, run, monkeypatch)

    assert said.status == 1
    assert f"reader {reader().version}: the provider answered 503" in said.err
