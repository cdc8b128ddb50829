"""Prometheus and Grafana of the profile `watch` find each other, what they read, and what they show."""

import json
import re
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
SERVICES: dict[str, dict[str, Any]] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]


def copied(name: str) -> dict[str, str]:
    """Return what the image of a service holds of ours: places in the image, by places in the checkout."""
    found = re.findall(r"^COPY (.+) (\S+)$", (ROOT / SERVICES[name]["build"]["dockerfile"]).read_text(), re.M)
    return {
        source: f"{target}{Path(source).name}" if target.endswith("/") else target
        for sources, target in found
        for source in sources.split()
    }


def test_prometheus_and_grafana_belong_to_a_profile() -> None:
    assert {name for name, service in SERVICES.items() if service.get("profiles")} == {"prometheus", "grafana"}
    for name, service in SERVICES.items():
        needs = set(service.get("depends_on", {}))
        assert service.get("profiles") or not needs & {"prometheus", "grafana"}, name


def test_prometheus_reads_the_metrics_and_the_alerts() -> None:
    read = yaml.safe_load((ROOT / "ops/prometheus/prometheus.yml").read_text())
    (scraped,) = [each for job in read["scrape_configs"] for one in job["static_configs"] for each in one["targets"]]
    host, _, port = scraped.partition(":")
    places = copied("prometheus")

    assert port in SERVICES[host]["command"]
    assert f"--config.file={places['ops/prometheus/prometheus.yml']}" in SERVICES["prometheus"]["command"]
    folder = Path(places["ops/prometheus/prometheus.yml"]).parent
    assert {str(folder / name) for name in read["rule_files"]} <= set(places.values())
    (volume,) = SERVICES["prometheus"]["volumes"]
    assert f"--storage.tsdb.path={volume.partition(':')[2]}" in SERVICES["prometheus"]["command"]


def test_grafana_asks_prometheus_and_has_the_dashboard() -> None:
    provisioning = ROOT / "ops/grafana/provisioning"
    (source,) = yaml.safe_load((provisioning / "datasources/prometheus.yml").read_text())["datasources"]
    (provider,) = yaml.safe_load((provisioning / "dashboards/slowwave.yml").read_text())["providers"]
    places = copied("grafana")

    host, _, port = source["url"].removeprefix("http://").partition(":")
    assert SERVICES[host]["ports"][0].endswith(f":{port}")
    assert (source["type"], source["isDefault"]) == ("prometheus", True)
    assert places["ops/grafana/provisioning"] == "/etc/grafana/provisioning"
    assert str(Path(places["ops/grafana/slowwave.json"]).parent) == provider["options"]["path"]
    (variable,) = json.loads((ROOT / "ops/grafana/slowwave.json").read_text())["templating"]["list"]
    assert (variable["type"], variable["query"]) == ("datasource", source["type"])


def test_grafana_accepts_only_the_password_of_its_secret() -> None:
    told = SERVICES["grafana"]["environment"]
    assert told["GF_SECURITY_ADMIN_PASSWORD__FILE"] == f"/run/secrets/{SERVICES['grafana']['secrets'][0]}"
    assert told["GF_USERS_ALLOW_SIGN_UP"] == "false"
    assert not any(key.startswith("GF_AUTH_ANONYMOUS") for key in told)
