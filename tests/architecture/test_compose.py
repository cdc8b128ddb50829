"""The containers, checked against the code they run: there is no engine here to try them."""

import importlib
import importlib.metadata
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from slowwave.cli import cli
from slowwave.wiring import Settings

CHECKOUT = Path(__file__).parents[2]
TEXT = (CHECKOUT / "docker-compose.yml").read_text()
DOCKERFILE = (CHECKOUT / "ops" / "Dockerfile").read_text()
COMPOSE: dict[str, Any] = yaml.safe_load(TEXT)
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = [name for name, service in SERVICES.items() if service.get("image") == "slowwave"]
REQUIRED = re.compile(r"\$\{(\w+):\?[^}]+\}")
DEFAULTED = re.compile(r"\$\{(\w+):-([^}]*)\}")


def resolved(text: str) -> str:
    """What compose makes of *text* when every required variable is `pass`."""
    return DEFAULTED.sub(r"\2", REQUIRED.sub("pass", text))


def environment(name: str) -> dict[str, str]:
    return {key: resolved(value) for key, value in SERVICES[name].get("environment", {}).items()}


def commands() -> Iterator[tuple[str, list[str]]]:
    for name in OURS:
        yield name, SERVICES[name]["command"]
        test = SERVICES[name].get("healthcheck", {}).get("test", [])
        if test[1:2] == ["slowwave"]:
            yield f"{name}'s health check", test[1:]
    yield (
        "image",
        shlex.split(
            re.sub(r'[\[\],"]', " ", DOCKERFILE.rpartition("CMD")[2]).replace("worker poller", "worker,poller")
        ),
    )


@pytest.mark.parametrize(("where", "command"), [pytest.param(*each, id=each[0]) for each in commands()])
def test_every_command_is_one_that_we_have(where: str, command: list[str]) -> None:
    program, *arguments = command
    if program == "slowwave":
        group: click.Command | None = cli
        while isinstance(group, click.Group):
            context = click.Context(group)
            group = group.get_command(context, arguments.pop(0))
        assert group is not None, where
        group.make_context(where, arguments)  # raises for an option or a value it does not know
    else:
        assert (program, arguments[0]) == ("celery", "-A")
        assert importlib.import_module(arguments[1]).app.main == "slowwave"
        known = {entry.name for entry in importlib.metadata.entry_points(group="celery.commands")}
        assert arguments[2] in known | {"worker", "beat"}


@pytest.mark.parametrize("name", OURS)
def test_every_setting_exists_and_can_be(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    variables = environment(name)
    ours = {key for key in variables if key.startswith("SLOWWAVE_")}
    assert ours <= {f"SLOWWAVE_{field.upper()}" for field in Settings.model_fields}
    for key in ours:
        monkeypatch.setenv(key, variables[key])
    settings = Settings.load()
    assert settings.url is not None
    assert "postgres/slowwave" in settings.url.get_secret_value()
    assert (settings.owner_url is not None) is (name == "migrate"), "the owner's password is for migrations only"


def test_every_address_names_a_service() -> None:
    for name in OURS:
        for address in environment(name).values():
            for host in re.findall(r"://[^@\s]*@([\w-]+)", address):
                assert host in SERVICES


def test_every_password_is_required_and_none_is_written_here() -> None:
    used = re.findall(r"\$\{?(\w*PASSWORD\w*)(:\?)?", TEXT.partition("x-app:")[2])
    assert len(used) > 5
    assert all(required for _, required in used)
    for address in re.findall(r"\w+://\S*@", TEXT):
        assert REQUIRED.search(address) or "${" in address, address


def test_postgres_starts_from_the_bootstrap_of_the_embedded_one_and_with_passwords() -> None:
    mounts = {mount.split(":")[1]: mount.split(":")[0] for mount in SERVICES["postgres"]["volumes"]}
    scripts = [mounts[target] for target in sorted(mounts) if target.startswith("/docker-entrypoint-initdb.d/")]
    assert scripts[0].endswith("embedded/bootstrap.sql")
    assert all((CHECKOUT / script).is_file() for script in scripts)

    passwords = (CHECKOUT / scripts[1]).read_text()
    logins = re.findall(r"'(\w+)', 'LOGIN", (CHECKOUT / scripts[0]).read_text())
    assert sorted(re.findall(r"ALTER ROLE (\w+) PASSWORD", passwords)) == sorted(logins)
    assert set(re.findall(r"\\getenv \w+ (\w+)", passwords)) < set(environment("postgres"))


def test_volumes_are_declared_and_used() -> None:
    named = {
        mount.split(":")[0] for service in SERVICES.values() for mount in service.get("volumes", []) if mount[0] != "."
    }
    assert named == set(COMPOSE["volumes"])
    assert {"postgres", "redis"} <= named


@pytest.mark.parametrize("name", [name for name in SERVICES if name != "migrate"])
def test_every_service_that_stays_has_a_health_check_and_comes_back(name: str) -> None:
    assert SERVICES[name]["healthcheck"]["test"][0] in ("CMD", "CMD-SHELL")
    assert SERVICES[name]["restart"] == "unless-stopped"


@pytest.mark.parametrize("name", OURS)
def test_nothing_starts_before_what_it_needs(name: str) -> None:
    needs = {other: how["condition"] for other, how in SERVICES[name]["depends_on"].items()}
    for other, condition in needs.items():
        assert condition == ("service_completed_successfully" if other == "migrate" else "service_healthy")
        assert condition != "service_healthy" or "healthcheck" in SERVICES[other]
    assert {"worker": "migrate", "scheduler": "migrate", "migrate": "postgres", "flower": "redis"}[name] in needs


def flags(name: str) -> dict[str, str]:
    words = SERVICES[name]["command"][1:]
    return dict(zip(words[::2], words[1::2], strict=True))


def test_the_broker_forgets_nothing_and_the_cache_may() -> None:
    broker, cache = flags("redis"), flags("redis-cache")
    assert (broker["--maxmemory-policy"], broker["--appendonly"]) == ("noeviction", "yes")
    assert (cache["--maxmemory-policy"], cache["--appendonly"]) == ("allkeys-lru", "no")
    assert "--requirepass" in broker.keys() & cache.keys()
    urls = environment("worker")
    assert "@redis:" in urls["SLOWWAVE_BROKER_URL"]
    assert "@redis-cache:" in urls["SLOWWAVE_CACHE_URL"]


def test_nothing_is_published_beyond_this_machine() -> None:
    ports = [resolved(port) for service in SERVICES.values() for port in service.get("ports", [])]
    assert ports == ["127.0.0.1:5555:5555"]
    assert all(service.get("network_mode") != "host" for service in SERVICES.values())
    assert environment("flower")["FLOWER_BASIC_AUTH"].count(":") == 1


def test_the_image_is_made_of_what_is_there_and_runs_as_nobody_special() -> None:
    copied = [word for line in re.findall(r"^COPY (.+)$", DOCKERFILE, re.M) for word in line.split()[:-1]]
    allowed = {line[1:] for line in (CHECKOUT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    assert set(copied) == allowed
    assert all((CHECKOUT / source).exists() for source in copied)
    assert "--require-hashes" in DOCKERFILE
    assert re.findall(r"^USER (\w+)$", DOCKERFILE, re.M) == ["slowwave"]
    build = next(SERVICES[name]["build"] for name in OURS)
    assert (CHECKOUT / build["context"] / build["dockerfile"]).is_file()
