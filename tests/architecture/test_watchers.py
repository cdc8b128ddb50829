"""Prometheus, Grafana, dashboards and alerts find each other, and ask for metrics that exist."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from slowwave.memory.metrics import names
from tests.unit.tables import over

ROOT = Path(__file__).parents[2]
SERVICES: dict[str, dict[str, Any]] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]


def copied(name: str) -> dict[str, str]:
    """Return the files of the checkout that a service's image contains, as a mapping to their places in the image."""
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


RULES = [
    rule
    for group in yaml.safe_load((ROOT / "ops/prometheus/alerts.yml").read_text())["groups"]
    for rule in group["rules"]
]
DASHBOARD = json.loads((ROOT / "ops/grafana/slowwave.json").read_text())
TITLES = re.findall(r"^#{2,} (.+)$", (ROOT / "ops/RUNBOOK.md").read_text(), re.M)
LABELS = {"job", "state", "quantile", "outcome", "kind", "provider", "found", "category", "role", "table", "le"}


EXPRESSIONS = [rule["expr"] for rule in RULES]
EXPRESSIONS += [target["expr"] for panel in DASHBOARD["panels"] for target in panel["targets"]]


def unknown(expression: str) -> set[str]:
    """Return the metrics and labels of *expression* that no process exports."""
    metrics = set(re.findall(r"slowwave_\w+", expression))
    by = " ".join(re.findall(r"by \(([^)]*)\)", expression))
    labels = set(re.findall(r"\w+", by)) | set(re.findall(r"(\w+)(?:=|!=|=~|!~)\"", expression))
    return (metrics - names()) | (labels - LABELS)


def anchor(title: str) -> str:
    return re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")


@over(EXPRESSIONS)
def test_every_queried_metric_is_exported(expression: str) -> None:
    assert re.search(r"slowwave_\w+", expression)
    assert unknown(expression) == set()


def test_an_unknown_metric_or_label_is_found() -> None:
    assert unknown('max by (person) (slowwave_dreams{user="alice"})') == {"person", "slowwave_dreams", "user"}


@pytest.mark.parametrize("rule", [pytest.param(rule, id=rule["alert"]) for rule in RULES])
def test_each_alert_links_to_a_symptom_in_the_runbook(rule: dict[str, dict[str, str]]) -> None:
    page, _, symptom = rule["annotations"]["runbook"].partition("#")

    assert page == "ops/RUNBOOK.md"
    assert symptom in {anchor(title) for title in TITLES}
    assert rule["annotations"]["summary"].endswith(".")


def test_each_exported_metric_appears_in_a_dashboard_or_alert() -> None:
    shown = " ".join(EXPRESSIONS)
    bare = {re.sub(r"_(bucket|count|sum)$", "", name) for name in names()}

    assert {name for name in bare if name not in shown} == set()


@pytest.mark.accept
@over(EXPRESSIONS)
def test_prometheus_parses_each_expression(expression: str) -> None:
    import promql_parser

    assert promql_parser.parse(expression)


@pytest.mark.accept
def test_an_invalid_expression_is_found() -> None:
    import promql_parser

    with pytest.raises(ValueError, match=r"\w"):
        promql_parser.parse("max by (job (slowwave_up)")
