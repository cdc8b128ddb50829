"""Flower as an operator sees it: a real installation, its real page, and a real browser that looks at it."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from slowwave import QueueClient
from tests.acceptance.pages import README, blocks
from tests.faults.rig.processes import free_port, plain_environment, python, until
from tests.folders import open_folder

pytestmark = [pytest.mark.accept, pytest.mark.timeout(400)]
SHOTS = Path(__file__).parents[2] / "dist" / "accept"
"""The folder for screenshots, for a person to look at."""


@pytest.fixture(scope="module")
def up_output() -> Iterator[str]:
    """Yield the output of `slowwave up` when it is ready, after an agent has pushed to it."""
    with open_folder("flower") as folder:
        env = plain_environment(
            SLOWWAVE_HOME=f"{folder}/home", SLOWWAVE_FLOWER_PORT=str(free_port()), PYTHONUNBUFFERED="1"
        )
        log = folder / "up.log"
        with log.open("w") as out:
            up = subprocess.Popen(python("slowwave.cli", "up"), env=env, stdout=out, stderr=out)
        try:
            said = log.read_text
            until(
                lambda: re.search(r"^Flower is at .+\n", said(), re.M) or up.poll() is not None,
                "up shows its addresses",
                otherwise=said,
                seconds=180,
            )
            broker = next(folder.rglob("redis.sock"), None) or next(sockets())
            with QueueClient(f"redis+socket://{broker}?virtual_host=0", outbox=folder / "outbox.db") as client:
                client.scope("alice", agent="concierge").push("I moved to Oslo last week", session="s1")
                until(lambda: not client.outbox.holds(), "the episode is stored", otherwise=said)
            yield said()
        finally:
            up.terminate()
            up.wait(90)


@pytest.fixture(scope="module")
def page_url(up_output: str) -> str:
    """The address of Flower, password included."""
    (found,) = re.findall(r"http://\S+:\S+@127\.0\.0\.1:\d+", up_output)
    return str(found)


def plain(output: str) -> list[str]:
    """Return the last lines of the output of `slowwave up`, without what differs between two installations."""
    shown = output[output.index("ready after") :].strip()
    shown = re.sub(r"(host=|://)/\S+?(?=/(?:postgres|redis|cache)/run)", r"\1HOME", shown)
    shown = re.sub(r"(?<=after )[\d.…]+ s|(?<=slowwave:)\w[\w-]*(?=@127)|(?<=@127\.0\.0\.1:)\d+", "…", shown)
    return shown.splitlines()


def test_the_readme_shows_the_output_of_up(up_output: str) -> None:
    (shown,) = [text for text in blocks(README, "text") if "ready after" in text]
    assert plain(shown) == plain(up_output)


def sockets() -> Iterator[Path]:
    """Return the sockets of Redis that somebody listens on, wherever they had to be put."""
    for line in Path("/proc/net/unix").read_text().splitlines():
        if line.endswith("redis.sock"):
            yield Path(line.split()[-1])


def test_flowers_task_list_shows_finished_tasks(chromium: Any, page_url: str) -> None:
    SHOTS.mkdir(parents=True, exist_ok=True)
    credentials, _, host = page_url.removeprefix("http://").rpartition("@")
    user, _, password = credentials.partition(":")
    page = chromium.new_page(
        http_credentials={"username": user, "password": password}, viewport={"width": 1400, "height": 900}
    )
    page.goto(f"http://{host}/workers")
    page.get_by_text("celery@", exact=False).first.wait_for(timeout=60_000)
    page.screenshot(path=SHOTS / "flower-workers.png")

    page.goto(f"http://{host}/tasks")
    row = page.locator("#tasks-table tbody tr", has_text="slowwave.ingest").first
    row.wait_for(timeout=60_000)
    seen = row.inner_text()
    page.screenshot(path=SHOTS / "flower-tasks.png")

    row.locator("a").first.click()
    page.get_by_text("slowwave.ingest").first.wait_for(timeout=60_000)
    page.screenshot(path=SHOTS / "flower-task.png")
    whole = page.locator("body").inner_text()

    assert "SUCCESS" in seen
    assert "Oslo" not in seen + whole, "what somebody said is not shown"
    for shot in ("workers", "tasks", "task"):
        assert (SHOTS / f"flower-{shot}.png").stat().st_size > 10_000
