"""Every program follows the file of the cells: the API, workers, the scheduler, the metrics and the commands."""

import json
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import yaml
from fastapi.testclient import TestClient

from scheduler.beat import EveryTick
from slowwave import wiring
from slowwave.api.app import create_app
from slowwave.cli import main
from slowwave.embedded_services.postgres import PostgresServer
from slowwave.errors import Crowded, Incorrect, NotFound, Unauthorized, Unavailable, Unprepared
from slowwave.memory import Memory, due_work
from slowwave.memory.metrics import Exposition
from slowwave.memory.operations import Access
from slowwave.memory.verb_group import parts_of
from slowwave.settings import Settings
from slowwave.wiring import Parts, moving
from slowwave.wiring.cells import CellsFile
from tests.integration.cells.conftest import copied

pytestmark = pytest.mark.accept
Opened = Callable[[], Memory]


def file_of(settings: Settings) -> dict[str, Any]:
    """Return the content of the file of the cells."""
    assert settings.cells is not None
    raw: dict[str, Any] = yaml.safe_load(settings.cells.read_text())
    return raw


def place(settings: Settings, **tenants: str) -> None:
    """Write tenants to the file of the cells."""
    assert settings.cells is not None
    for tenant, cell in tenants.items():
        CellsFile(settings.cells).record(tenant, cell)


def test_a_new_tenant_goes_where_there_is_room(opened: Opened, settings: Settings) -> None:
    cells = moving.known(parts_of(opened()))
    with cells.changing() as raw:
        raw["cells"]["one"]["weight"] = 0
        raw["cells"]["two"]["weight"] = 100
    opened().scope("alice", tenant="acme").push("I moved to Oslo", role="user")
    assert file_of(settings)["tenants"] == {"acme": "two"}
    assert cells.of("acme").database.tenants() == ["acme"]
    assert not cells.parts("one").database.tenants()


def test_two_placements_at_once_decide_the_same_cell(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = (moving.known(parts_of(opened())) for _ in range(2))

    def late(tenant: str) -> str:
        other = threading.Thread(target=second.cell_of, args=(tenant,))
        other.start()
        other.join(10)  # it would end later if the first one held a lock
        assert second.layout.tenants == {"acme": "one"}
        return "two"

    monkeypatch.setattr(second, "roomiest", lambda _: "one")
    monkeypatch.setattr(first, "roomiest", late)
    assert first.cell_of("acme") == second.cell_of("acme") == "one"


def test_a_new_tenant_waits_while_a_cell_cannot_be_reached(opened: Opened, settings: Settings) -> None:
    opened().scope("alice", tenant="acme").push("I moved to Oslo", role="user")
    raw = file_of(settings)
    home, raw["tenants"] = raw["tenants"]["acme"], {}  # an old copy of the file
    url = raw["cells"][home]["url"]
    raw["cells"][home]["url"] = "postgresql://slowwave@127.0.0.1:1/nothing"
    assert settings.cells is not None
    settings.cells.write_text(yaml.safe_dump(raw))
    with pytest.raises(Unavailable):
        opened().scope("alice", tenant="acme").push("I moved to Rome", role="user")
    assert not file_of(settings)["tenants"]
    raw["cells"][home]["url"] = url
    settings.cells.write_text(yaml.safe_dump(raw))
    opened().scope("alice", tenant="acme").push("I moved to Rome", role="user")
    assert file_of(settings)["tenants"] == {"acme": home}


def test_no_cell_has_room_for_a_new_tenant(settings: Settings) -> None:
    full = settings.model_copy(update={"database_bytes": 1_000_000})
    with closing(wiring.connect(full)) as parts, pytest.raises(Crowded):
        Memory(parts).scope("alice", tenant="acme").push("I moved to Oslo", role="user")
    assert not file_of(settings)["tenants"]


def test_a_process_without_the_cells_is_refused(addresses: dict[str, tuple[str, str]]) -> None:
    alone = Settings.load(url=addresses["one"][0])
    with closing(wiring.connect(alone)) as parts, pytest.raises(Unprepared, match="the cell 'one'"):
        Memory(parts).scope("alice").push("I moved to Oslo", role="user")


def test_a_key_opens_its_tenant_in_any_cell(opened: Opened, settings: Settings) -> None:
    place(settings, acme="two", bolt="three")
    memory = opened()
    access = Access(parts_of(memory))
    secrets = {tenant: access.create("app", ["*"], tenant=tenant)[1] for tenant in ("acme", "bolt")}
    with TestClient(create_app(memory)) as client:
        for tenant, secret in secrets.items():
            headers = {"Authorization": f"Bearer {secret}"}
            body = {"user": "alice", "content": f"I work at {tenant}", "role": "user"}
            assert client.post("/v1/push", json=body, headers=headers).status_code == 201
        moving.move(parts_of(memory), "acme", "one", print)
        for tenant, secret in secrets.items():
            body = {"user": "alice", "question": "where do I work?"}
            answer = client.post("/v1/recall", json=body, headers={"Authorization": f"Bearer {secret}"})
            assert answer.status_code == 200
            assert f"I work at {tenant}" in answer.text
        assert client.get("/health/ready").status_code == 200
    with pytest.raises(Unauthorized):
        access.admit("sw_unknown", "push")


def test_workers_and_schedulers_serve_every_cell(
    opened: Opened, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    place(settings, acme="one", bolt="two", core="three")
    memory = opened()
    for tenant in ("acme", "bolt", "core"):
        memory.scope("alice", tenant=tenant).push("I moved to Oslo", role="user")
    parts = parts_of(memory)
    EveryTick(parts).tick()
    for cell in parts.each_cell().values():
        due_work.fire(cell)
    monkeypatch.setenv("SLOWWAVE_CELLS", str(settings.cells))
    monkeypatch.setenv("SLOWWAVE_STATEMENTS", "off")
    main(["work", "--until-idle"])
    for tenant in ("acme", "bolt", "core"):
        assert [fact.object for fact in memory.scope("alice", tenant=tenant).facts()] == ["Oslo"]


def test_a_dead_cell_does_not_stop_the_others(opened: Opened, settings: Settings) -> None:
    place(settings, acme="one", bolt="two")
    raw = file_of(settings)
    raw["cells"]["two"]["url"] = "postgresql://slowwave@127.0.0.1:1/nothing"
    assert settings.cells is not None
    settings.cells.write_text(yaml.safe_dump(raw))
    memory = opened()
    memory.scope("alice", tenant="acme").push("I moved to Oslo", role="user")
    parts = parts_of(memory)
    due_work.fire(parts.of("acme"))
    EveryTick(parts).tick()
    text = Exposition(parts).text().decode()
    assert 'slowwave_up{cell="one"} 1.0' in text
    assert 'slowwave_up{cell="two"} 0.0' in text
    assert [one.name for one in moving.listing(parts) if one.trouble] == ["two"]


def test_the_commands_show_and_empty_a_cell(
    opened: Opened, settings: Settings, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    place(settings, acme="one", bolt="one")
    memory = opened()
    for tenant in ("acme", "bolt"):
        memory.scope("alice", tenant=tenant).push("I moved to Oslo", role="user")
    monkeypatch.setenv("SLOWWAVE_CELLS", str(settings.cells))
    main(["cells", "drain", "one"])
    assert "one is empty: 2 tenants moved" in capfd.readouterr().out
    assert set(file_of(settings)["tenants"].values()) <= {"two", "three"}
    main(["cells"])
    assert "takes no new tenants" in capfd.readouterr().out
    main(["status", "--tenant", "acme"])
    assert "1, 1 of them not read yet" in capfd.readouterr().out
    assert not memory.check()


def test_decay_and_sweep_reach_every_cell(
    opened: Opened, settings: Settings, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    memory = opened()
    for tenant, cell in {"acme": "one", "bolt": "two", "core": "three"}.items():
        place(settings, **{tenant: cell})
        scope = memory.scope("alice", tenant=tenant)
        scope.push("I moved to Oslo", role="user")
        scope.consolidate()
    monkeypatch.setenv("SLOWWAVE_CELLS", str(settings.cells))
    swept: set[str] = set()
    real = due_work.run_next

    def noted(parts: Parts, **named: Any) -> Any:
        swept.add(parts.cell)
        return real(parts, **named)

    monkeypatch.setattr(due_work, "run_next", noted)
    main(["sweep"])
    assert swept == {"one", "two", "three"}
    swept.clear()
    capfd.readouterr()
    main(["decay", "--all", "--json"])
    looked = json.loads(capfd.readouterr().out)["all"]["looked"]
    assert swept == {"one", "two", "three"}
    each = [due_work.refresh_strengths(parts_of(memory), tenant)["looked"] for tenant in ("acme", "bolt", "core")]
    assert all(each)
    assert looked == sum(each)


def test_only_the_first_cell_may_have_tenants(
    settings: Settings, servers: dict[str, PostgresServer], addresses: dict[str, tuple[str, str]], tmp_path: Path
) -> None:
    with copied(servers["one"], "with_tenants") as (url, owner_url):
        with Memory(wiring.connect(Settings.load(url=url))) as memory:
            memory.scope("alice", tenant="acme").push("I moved to Oslo", role="user")
        with pytest.raises(Incorrect, match="only the first cell"):
            moving.add(settings, "fourth", url, owner_url)
        other = settings.model_copy(update={"cells": tmp_path / "other.yaml"})
        assert moving.add(other, "first", url, owner_url).tenants == ["acme"]
    with pytest.raises(Incorrect, match="the cell 'two' already"):
        moving.add(settings, "fourth", *addresses["two"])


def test_adding_a_cell_again_keeps_the_rest_of_its_entry(
    settings: Settings, addresses: dict[str, tuple[str, str]]
) -> None:
    with CellsFile(settings.cells or Path()).changing() as raw:
        raw["cells"]["two"].update(weight=0, read_url=addresses["two"][0])
    before = file_of(settings)["cells"]["two"]
    moving.add(settings, "two", *addresses["two"])
    assert file_of(settings)["cells"]["two"] == before
    moving.add(settings, "two", *addresses["two"], weight=3)
    assert file_of(settings)["cells"]["two"] == {**before, "weight": 3}


def test_a_changed_file_keeps_its_mode(settings: Settings) -> None:
    assert settings.cells is not None
    settings.cells.chmod(0o664)
    place(settings, acme="one")
    assert settings.cells.stat().st_mode & 0o777 == 0o664


def test_a_wrong_address_of_a_cell_is_noticed(opened: Opened, settings: Settings) -> None:
    place(settings, acme="one")
    raw = file_of(settings)
    raw["cells"]["one"]["url"], raw["cells"]["two"]["url"] = raw["cells"]["two"]["url"], raw["cells"]["one"]["url"]
    assert settings.cells is not None
    settings.cells.write_text(yaml.safe_dump(raw))
    with pytest.raises(Unprepared, match="the cell 'two'"):
        opened().scope("alice", tenant="acme").push("I moved to Oslo", role="user")


def test_the_file_is_never_made_invalid(settings: Settings) -> None:
    assert settings.cells is not None
    before = settings.cells.read_text()
    with pytest.raises(Incorrect), CellsFile(settings.cells).changing() as raw:
        raw["tenants"] = {f"tenant {number}": "one" for number in range(20_000)}
    assert settings.cells.read_text() == before
    settings.cells.write_text("default: [")
    with pytest.raises(Incorrect):
        place(settings, acme="one")
    assert settings.cells.read_text() == "default: ["


def test_the_problems_of_the_file_are_listed_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "cells.yaml"
    path.write_text("default: nine\ncells: {one: {number: 0, url: 'env:CELL_ONE'}, two: {number: -1, url: secret}}\n")
    with pytest.raises(Incorrect) as refused:
        _ = CellsFile(path).layout
    assert len(refused.value.problems) == 3
    assert "secret" not in str(refused.value)
    monkeypatch.setenv("CELL_ONE", "postgresql://slowwave@/one")
    path.write_text("default: one\ncells: {one: {number: 0, url: 'env:CELL_ONE'}}\n")
    file = CellsFile(path)
    assert file.layout.cells["one"].url.get_secret_value() == "postgresql://slowwave@/one"
    path.write_text("default: [")
    assert file.layout.default == "one"  # the last valid content stays in force


def test_an_unknown_tenant_or_cell_does_not_move(opened: Opened, settings: Settings) -> None:
    place(settings, acme="one")
    for tenant, cell in (("acme", "nine"), ("nobody", "two")):
        with pytest.raises(NotFound):
            moving.move(parts_of(opened()), tenant, cell, print)
