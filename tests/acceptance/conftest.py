"""Fixtures for the acceptance tests. A missing tool fails with a sentence; it never skips a test."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

HINT = "`.ci/run` installs it on Debian; else: apt install"


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """A real browser."""
    from playwright.sync_api import sync_playwright

    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        pytest.fail(f"There is no chromium on PATH. {HINT} chromium", pytrace=False)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def modern_redis(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a redis-server that knows selectors: 7 or newer, as the containers run.

    Debian's redis-tools carries the program under another name, without starting a service.
    """
    folder = tmp_path_factory.mktemp("redis")
    found = shutil.which("redis-server") or shutil.which("valkey-server") or shutil.which("redis-check-rdb")
    if found is None:
        pytest.fail(f"There is no redis-server of version 7 or newer on PATH. {HINT} redis-tools", pytrace=False)
    (folder / "redis-server").symlink_to(found)
    said = subprocess.run([folder / "redis-server", "--version"], capture_output=True, text=True, check=True).stdout
    version = re.search(r"v=(\d+)\.", said)
    if version is None or int(version[1]) < 7:
        pytest.fail(f"The redis-server on PATH is too old: {said.strip()}. {HINT} redis-tools", pytrace=False)
    return folder
