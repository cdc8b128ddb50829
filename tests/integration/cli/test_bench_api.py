"""What is pushed over HTTP stays, and nobody is told an error, whatever is killed behind the API."""

import importlib
import tempfile
from pathlib import Path

import pytest

from slowwave.embedded_services import EmbeddedServices

api = importlib.import_module("slowwave.cli.bench.api")  # the package has a command of that name


@pytest.mark.accept
@pytest.mark.timeout(180)
def test_the_api_bench_survives_a_killed_worker_and_a_killed_postgres(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(api, "FILLED", 80)
    monkeypatch.setattr(api, "ROUNDS", 8)
    monkeypatch.setattr(api, "WORKERS", 1)
    with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="slowwave-load-") as home:
        Path(home).chmod(0o755)
        with EmbeddedServices.start(Path(home) / "home", redis=False) as services:
            rows = api.measure(services, 8, 2.0).rows

    by_name = [(str(row["name"]).strip(), row["value"]) for row in rows]
    errors = [value for name, value in by_name if name == "errors (target 0)"]
    waits = [value for name, value in by_name if name.startswith("told to wait")]
    assert errors == [0, 0, 0], by_name
    assert (waits[:2], waits[2] > 0) == ([0, 0], True), by_name
    found = dict(by_name)
    assert found["pushes acknowledged"] > 24
    assert found["of them lost (target 0)"] == 0
