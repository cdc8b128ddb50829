"""What Windows lacks: the embedded services say so, and an agent's side works without."""

from pathlib import Path

import pytest

from tests.unit.bare import refused, run

SERVER = "postgresql://slowwave@nowhere.invalid:5432/slowwave"


def test_the_client_of_the_broker_keeps_its_outbox_on_windows(tmp_path: Path) -> None:
    said = run(
        "from slowwave import QueueClient\n"
        f"with QueueClient('redis://127.0.0.1:1/0', outbox={str(tmp_path / 'outbox.db')!r}) as client:\n"
        "    print(client.scope(user='alice').push('I live in Oslo').state)",
        windows=True,
    )
    assert said == "spooled\n"


@pytest.mark.accept
def test_the_library_against_a_server_connects_on_windows() -> None:
    said = run(
        "from slowwave import Episode, Memory\n"
        f"with Memory.connect({SERVER!r}) as memory: print(type(memory.scope(user='alice')).__name__)",
        windows=True,
    )
    assert said == "MemoryScope\n"


def test_settings_load_on_windows() -> None:
    assert run("from slowwave.settings import Settings\nprint(Settings.load().tenant)", windows=True) == "default\n"


@pytest.mark.accept
@pytest.mark.parametrize(
    "code",
    [
        "import slowwave.embedded_services",
        "from slowwave import Memory\nMemory.connect()",
        "from slowwave.cli import cli\ncli(['up'], standalone_mode=False)",
        "from slowwave.cli import cli\ncli(['demo'], standalone_mode=False)",
    ],
)
def test_code_that_needs_embedded_services_is_refused_on_windows(code: str) -> None:
    assert "run on Linux and macOS" in refused(code, windows=True)
