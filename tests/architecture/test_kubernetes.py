"""The manifests for Kubernetes, checked against the code they run and the schemas of the API; no cluster runs here."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from slowwave.cli.supervisor.installation import ALIVE
from slowwave.wiring import Settings
from tests.architecture.test_compose import DOCKERFILE
from tests.architecture.trees import require_command

FOLDER = Path(__file__).parents[2] / "ops" / "kubernetes"
FILES = sorted(FOLDER.glob("*.yaml"))
MANIFESTS: list[dict[str, Any]] = [one for file in FILES for one in yaml.safe_load_all(file.read_text())]
PODS = {
    one["metadata"]["name"]: one["spec"]["template"]["spec"]
    for one in MANIFESTS
    if one["kind"] in ("Deployment", "Job")
}
CONTAINERS = {name: container for name, pod in PODS.items() for container in pod["containers"]}
NEEDED = {
    "migrate": {"url", "owner_url", "encryption_keys", "id_key"},
    "worker": {"url", "broker_url", "cache_url", "encryption_keys", "id_key"},
    "scheduler": {"url", "broker_url", "encryption_keys", "id_key"},
    "api": {"url", "broker_url", "cache_url", "encryption_keys", "id_key"},
}
VERSION = "1.30.0"
"""The oldest version of Kubernetes whose API they are checked against; the newest is the checker's own."""


@pytest.mark.parametrize("name", CONTAINERS)
def test_each_command_of_the_kubernetes_manifests_exists(name: str) -> None:
    program, *arguments = CONTAINERS[name]["command"]
    assert program == "slowwave"
    require_command(name, arguments)


@pytest.mark.parametrize("name", CONTAINERS)
def test_each_container_gets_only_the_settings_that_it_needs(name: str) -> None:
    settings = {f"SLOWWAVE_{field.upper()}": field for field in Settings.model_fields}
    told = {settings[variable["name"]] for variable in CONTAINERS[name]["env"]}
    assert told == NEEDED[name]


def test_the_common_variables_are_settings() -> None:
    (config,) = (one for one in MANIFESTS if one["kind"] == "ConfigMap")
    assert config["data"].keys() <= {f"SLOWWAVE_{field.upper()}" for field in Settings.model_fields}
    named = {source["configMapRef"]["name"] for one in CONTAINERS.values() for source in one["envFrom"]}
    assert named == {config["metadata"]["name"]}


def test_each_secret_is_created_by_the_commands_at_the_top() -> None:
    asked = {variable["valueFrom"]["secretKeyRef"]["key"] for one in CONTAINERS.values() for variable in one["env"]}
    made = set(re.findall(r"--from-literal=([\w-]+)=", (FOLDER / "config.yaml").read_text()))
    assert asked == made


@pytest.mark.parametrize("name", ["worker", "scheduler"])
def test_a_worker_is_alive_while_its_watchdog_reports_progress(name: str) -> None:
    home = re.search(r"SLOWWAVE_HOME=(\S+)", DOCKERFILE)
    assert home is not None
    for probe in ("startupProbe", "livenessProbe"):
        assert f"{home[1]}/{ALIVE} " in CONTAINERS[name][probe]["exec"]["command"][2]


def test_each_selector_matches_the_labels_of_one_deployment() -> None:
    labelled = [one["spec"]["template"]["metadata"]["labels"] for one in MANIFESTS if one["kind"] == "Deployment"]
    for one in MANIFESTS:
        selector = one.get("spec", {}).get("selector")
        if selector:
            wanted = selector.get("matchLabels", selector)
            assert [labels for labels in labelled if wanted.items() <= labels.items()] == [wanted], one["kind"]


def test_no_container_runs_as_root_or_without_a_memory_limit() -> None:
    for name, pod in PODS.items():
        assert pod["securityContext"]["runAsNonRoot"] is True, name
        for container in pod["containers"]:
            assert container["securityContext"]["allowPrivilegeEscalation"] is False, name
            assert "memory" in container["resources"]["limits"], name


@pytest.mark.accept
@pytest.mark.parametrize("manifest", MANIFESTS, ids=lambda one: f"{one['kind']} {one['metadata']['name']}")
def test_kubernetes_accepts_each_manifest(manifest: dict[str, Any]) -> None:
    import kubernetes_validate

    for version in (VERSION, kubernetes_validate.latest_version()):
        kubernetes_validate.validate(manifest, version, strict=True)


@pytest.mark.accept
def test_an_unknown_field_is_refused() -> None:
    import kubernetes_validate

    (worker,) = (one for one in MANIFESTS if one["metadata"]["name"] == "worker")
    wrong = {**worker, "spec": {**worker["spec"], "replica": 2}}
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(wrong, VERSION, strict=True)
