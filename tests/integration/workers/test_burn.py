"""`ops/burn N` keeps N cores busy, and leaves no process behind."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.faults.rig.processes import until

BURN = Path(__file__).parents[3] / "ops" / "burn"


def both(script: psutil.Process) -> list[psutil.Process]:
    """Return the two burners of *script*, once both have started."""
    found = [child for child in script.children() if str(script.pid) in child.cmdline()]
    return found if len(found) == 2 else []


@pytest.fixture
def burning() -> Iterator["subprocess.Popen[str]"]:
    with subprocess.Popen([BURN, "2"], stdout=subprocess.PIPE, text=True) as script:
        assert script.stdout is not None
        assert script.stdout.readline().startswith("2 burners")
        yield script
        script.kill()


@pytest.mark.accept
@pytest.mark.parametrize("how", ["terminate", "kill"])
def test_each_burner_works_and_ends_with_the_script(burning: "subprocess.Popen[str]", how: str) -> None:
    two = until(lambda: both(psutil.Process(burning.pid)), "two burners")
    for each in two:
        before = each.cpu_times().user
        until(lambda each=each, before=before: each.cpu_times().user > before, "a burner that burns")  # type: ignore[misc]

    getattr(burning, how)()
    burning.wait()

    assert psutil.wait_procs(two, timeout=60)[1] == []


@pytest.mark.parametrize("arguments", [[], ["0"], ["-1"], ["many"]])
def test_an_invalid_number_of_burners_prints_the_usage(arguments: list[str]) -> None:
    done = subprocess.run([BURN, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "usage: ops/burn N" in done.stderr
