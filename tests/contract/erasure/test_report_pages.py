"""An erasure and the pages of night reports, which quote episodes."""

import os
import pwd
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from slowwave import wiring
from slowwave.errors import Incorrect
from slowwave.memory import Memory
from slowwave.memory.verb_group import parts_of
from slowwave.night_report import Pages
from slowwave.settings import Settings
from tests.contract.erasure.planting import TOWN
from tests.faults.rig.processes import until

USER = "Plumkin"


@pytest.fixture
def memory(settings: Settings, heavy_parts: dict[str, object], tmp_path: Path) -> Iterator[Memory]:
    """A memory with a folder of pages, in which a user and Grundel live somewhere."""
    parts = wiring.connect(settings.model_copy(update={"reports": tmp_path / "reports"}))
    vars(parts).update(heavy_parts)
    wiring.register(parts)
    with Memory(parts) as memory:
        for user, town in ((USER, TOWN), ("Grundel", "Bergen")):
            scope = memory.scope(user, agent="helper")
            scope.push(f"I live in {town}.", session=f"of {user}")
            scope.consolidate()
        yield memory


@pytest.fixture
def folder(memory: Memory) -> Path:
    """The folder of the pages of the tenant."""
    return Path(parts_of(memory).settings.reports or "") / "default"


def write(memory: Memory) -> Path:
    pytest.importorskip("jinja2", reason="the extra api is not installed")
    parts = parts_of(memory)
    with parts.nights.stable("default") as report:
        return Pages(Path(parts.settings.reports or "")).write(report)


def test_an_erasure_deletes_the_pages_of_its_tenant_only(memory: Memory, folder: Path) -> None:
    for tenant in (folder, folder.with_name("theirs")):
        tenant.mkdir(parents=True)
        for name in ("2026-03-02.html", ".2026-03-03.half.html"):
            (tenant / name).write_text("a page")

    assert memory.forget(user=USER, preview=True).counts["reports"] == 2
    receipt = memory.forget(user=USER, rewrite=False)

    assert receipt.counts["reports"] == 2
    assert {page.parent.name for page in folder.parent.glob("*/*")} == {"theirs"}


def test_a_preview_does_not_read_a_page_that_was_deleted_meanwhile(memory: Memory, folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "2026-03-02.html").symlink_to(folder / "deleted")

    assert memory.forget(matching=TOWN, preview=True).counts["reports"] == 1


def test_pages_that_quote_a_person_under_a_legal_hold_are_written_again(memory: Memory, folder: Path) -> None:
    page = write(memory)
    assert all(town in page.read_text() for town in (TOWN, "Bergen"))
    for name in (".2026-03-03.half.html", "2026-13-45.html"):
        (folder / name).write_text(TOWN)
    memory.scope("Grundel", agent="helper").hold("a court asked")

    receipt = memory.forget(user=USER, rewrite=False)

    assert receipt.counts["reports"] == 3
    assert os.listdir(folder) == [page.name]
    text = page.read_text()
    assert ("Bergen" in text, TOWN in text, USER in text) == (True, False, False)


def test_as_many_erasures_under_a_legal_hold_as_connections_finish_at_once(memory: Memory) -> None:
    write(memory)
    memory.scope("Grundel", agent="helper").hold("a court asked")
    users = [f"user {number}" for number in range(16)]
    for user in users:
        memory.scope(user, agent="helper").push("Hello.")

    with ThreadPoolExecutor(len(users)) as threads:
        receipts = list(threads.map(lambda user: memory.forget(user=user, rewrite=False), users))

    assert all(receipt.erased for receipt in receipts)


@pytest.mark.parametrize("held", [False, True])
def test_a_page_of_a_report_that_was_read_before_an_erasure_does_not_stay(
    memory: Memory, folder: Path, superuser: psycopg.Connection, *, held: bool
) -> None:
    def waits() -> bool:
        query = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
        return superuser.execute(query).fetchone() == (1,)

    pytest.importorskip("jinja2", reason="the extra api is not installed")
    parts = parts_of(memory)
    eraser = threading.Thread(target=lambda: memory.forget(user=USER, rewrite=False))
    with parts.nights.stable("default") as report:
        eraser.start()
        until(waits, "the erasure waits for the page")
        assert TOWN in Pages(folder.parent).write(report).read_text()
        if held:
            memory.scope("Grundel", agent="helper").hold("a court asked meanwhile")
    eraser.join()

    assert len(os.listdir(folder)) == held
    assert all(TOWN not in page.read_text() and "Bergen" in page.read_text() for page in folder.iterdir())
    assert TOWN not in write(memory).read_text()


def test_an_erasure_that_cannot_list_the_pages_erases_nothing(memory: Memory, folder: Path) -> None:
    folder.parent.mkdir()
    folder.write_text("a file where the folder should be")

    for preview in (True, False):
        with pytest.raises(Incorrect, match=r"reports/default cannot be listed: Not a directory"):
            memory.forget(user=USER, preview=preview)

    assert memory.scope(USER, agent="helper").facts()


def test_a_page_that_cannot_be_deleted_is_reported(memory: Memory, folder: Path) -> None:
    (folder / "2026-03-02.html").mkdir(parents=True)

    with pytest.raises(Incorrect, match="cannot be read: Is a directory"):
        memory.forget(user=USER)
    with pytest.raises(Incorrect, match="cannot be deleted: "):
        memory.forget(session=f"of {USER}")
    assert [one.erased for one in memory.erasures()] == [None]

    (folder / "2026-03-02.html").rmdir()
    assert memory.forget(session=f"of {USER}", rewrite=False).erased


@contextmanager
def another_system_user() -> Iterator[None]:
    """Be the user nobody within the block, if the tests run as root, whom no rights of a folder stop."""
    if os.geteuid():
        yield
        return
    nobody = pwd.getpwnam("nobody").pw_uid
    os.setresuid(nobody, nobody, 0)
    try:
        yield
    finally:
        os.setresuid(0, 0, 0)


@pytest.mark.parametrize("call", ["deletable", "delete"])
def test_pages_of_another_system_user_are_reported(call: str) -> None:
    with tempfile.TemporaryDirectory() as root:
        page = Path(root) / "default" / "2026-03-02.html"
        page.parent.mkdir()
        page.write_text("a page")
        page.parent.chmod(0o555)
        Path(root).chmod(0o755)

        with another_system_user(), pytest.raises(Incorrect, match=f"{page.parent} cannot be deleted"):
            getattr(Pages(Path(root)), call)("default")

        assert page.exists()
        page.parent.chmod(0o755)
