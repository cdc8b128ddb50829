"""Dashboards and alerts ask for metrics that there are, and every alert leads to a symptom in the runbook."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from slowwave.memory.metrics.families import names

ROOT = Path(__file__).parents[2]
RULES = [
    rule
    for group in yaml.safe_load((ROOT / "ops/prometheus/alerts.yml").read_text())["groups"]
    for rule in group["rules"]
]
DASHBOARD = json.loads((ROOT / "ops/grafana/slowwave.json").read_text())
TITLES = re.findall(r"^#{2,} (.+)$", (ROOT / "ops/RUNBOOK.md").read_text(), re.M)
LABELS = {"job", "state", "quantile", "outcome", "kind", "provider", "found", "category", "role", "table", "le"}


def expressions() -> Iterator[tuple[str, str]]:
    yield from ((rule["alert"], rule["expr"]) for rule in RULES)
    for panel in DASHBOARD["panels"]:
        for target in panel["targets"]:
            yield f"{panel['title']} {target['refId']}", target["expr"]


EXPRESSIONS = [pytest.param(expression, id=where) for where, expression in expressions()]


def unknown(expression: str) -> set[str]:
    """Return the metrics and labels of *expression* that nothing tells."""
    metrics = set(re.findall(r"slowwave_\w+", expression))
    by = " ".join(re.findall(r"by \(([^)]*)\)", expression))
    labels = set(re.findall(r"\w+", by)) | set(re.findall(r"(\w+)(?:=|!=|=~|!~)\"", expression))
    return (metrics - names()) | (labels - LABELS)


def anchor(title: str) -> str:
    return re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")


@pytest.mark.parametrize("expression", EXPRESSIONS)
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
    shown = " ".join(expression for _, expression in expressions())
    bare = {re.sub(r"_(bucket|count|sum)$", "", name) for name in names()}

    assert {name for name in bare if name not in shown} == set()


@pytest.mark.accept
@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_prometheus_parses_each_expression(expression: str) -> None:
    import promql_parser

    assert promql_parser.parse(expression)


@pytest.mark.accept
def test_an_invalid_expression_is_found() -> None:
    import promql_parser

    with pytest.raises(ValueError, match=r"\w"):
        promql_parser.parse("max by (job (slowwave_up)")
