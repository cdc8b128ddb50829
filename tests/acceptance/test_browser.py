"""Flower as an operator sees it: a real installation, its real page, and a real browser that looks at it."""

import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from slowwave import QueueClient
from tests.acceptance.pages import README, blocks
from tests.faults.rig.processes import until

pytestmark = [pytest.mark.accept, pytest.mark.timeout(400)]
SHOTS = Path(__file__).parents[2] / "dist" / "accept"
"""The folder for screenshots, for a person to look at."""


@pytest.fixture(scope="module")
def chromium() -> str:
    """The path of a real browser."""
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if found is None:
        pytest.fail(
            "There is no chromium on PATH. `.ci/run` installs it on Debian; else: apt install chromium", pytrace=False
        )
    return found


@pytest.fixture(scope="module")
def up_output() -> Iterator[str]:
    """Yield the output of `slowwave up` when it is ready, after an agent has pushed to it."""
    with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="slowwave-flower-", ignore_cleanup_errors=True) as folder:
        os.chmod(folder, 0o755)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        others = {name: value for name, value in os.environ.items() if not name.startswith("SLOWWAVE_")}
        own = {"SLOWWAVE_HOME": f"{folder}/home", "SLOWWAVE_FLOWER_PORT": str(port), "PYTHONUNBUFFERED": "1"}
        log = Path(folder) / "up.log"
        with log.open("w") as out:
            up = subprocess.Popen(
                [sys.executable, "-m", "slowwave.cli", "up"], env={**others, **own}, stdout=out, stderr=out
            )
        try:
            said = log.read_text
            until(
                lambda: re.search(r"^.*ready", said(), re.M) or up.poll() is not None,
                "up is ready",
                otherwise=said,
                seconds=180,
            )
            until(lambda: re.search(r"^Flower is at .+\n", said(), re.M), "up shows its addresses", otherwise=said)
            broker = next(Path(folder).rglob("redis.sock"), None) or next(sockets(folder))
            with QueueClient(f"redis+socket://{broker}?virtual_host=0", outbox=Path(folder) / "outbox.db") as client:
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


def sockets(folder: str) -> Iterator[Path]:
    """Return the sockets of Redis that the installation of *folder* listens on, wherever they had to be put."""
    for line in Path("/proc/net/unix").read_text().splitlines():
        if line.endswith("redis.sock"):
            yield Path(line.split()[-1])


def test_flowers_task_list_shows_finished_tasks(chromium: str, page_url: str) -> None:
    from playwright.sync_api import sync_playwright

    SHOTS.mkdir(parents=True, exist_ok=True)
    credentials, _, host = page_url.removeprefix("http://").rpartition("@")
    user, _, password = credentials.partition(":")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        try:
            page = browser.new_page(
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
        finally:
            browser.close()

    assert "SUCCESS" in seen
    assert "Oslo" not in seen + whole, "what somebody said is not shown"
    for shot in ("workers", "tasks", "task"):
        assert (SHOTS / f"flower-{shot}.png").stat().st_size > 10_000


def test_flower_refuses_a_request_without_the_password(chromium: str, page_url: str) -> None:
    from playwright.sync_api import sync_playwright

    host = page_url.rpartition("@")[2]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        try:
            answer = browser.new_context().request.get(f"http://{host}/tasks")
            assert answer.status == 401
        finally:
            browser.close()
