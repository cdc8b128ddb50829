"""Metrics over HTTP: for whoever operates the installation, and for no other tenant."""

from fastapi import FastAPI
from starlette.testclient import TestClient

from slowwave import wiring
from tests.integration.api.conftest import THEIRS, Keyed, refused


def test_a_key_with_the_operate_verb_reads_the_metrics(app: FastAPI, keyed: Keyed, parts: wiring.Parts) -> None:
    with TestClient(app, headers=keyed(parts.settings.tenant, "operate")) as client:
        answer = client.get("/metrics")

    assert (answer.status_code, answer.headers["content-type"].partition(";")[0]) == (200, "text/plain")
    assert "\nslowwave_up 1.0\n" in answer.text


def test_other_keys_cannot_read_the_metrics(app: FastAPI, keyed: Keyed, parts: wiring.Parts) -> None:
    with TestClient(app) as client:
        refused(client.get("/metrics"), 401)
        refused(client.get("/metrics", headers=keyed(THEIRS, "*")), 403)
        refused(client.get("/metrics", headers=keyed(parts.settings.tenant, "recall")), 403)
