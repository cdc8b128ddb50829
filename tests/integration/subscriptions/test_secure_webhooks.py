"""Webhooks over https: an unknown certificate is refused, and one of a configured authority is accepted."""

from collections.abc import Iterator

import psycopg
import pytest

from slowwave.memory.subscriptions import Webhooks
from slowwave.wiring import Parts
from tests.integration.subscriptions.receiver import AUTHORITY, Receiver, receiving
from tests.integration.subscriptions.test_webhooks import learn, tell, visited


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving(secure=True) as receiver:
        yield receiver


def test_a_certificate_of_an_unknown_authority_is_refused_until_it_is_named(
    parts: Parts, receiver: Receiver, superuser: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    hooks = Webhooks(parts)
    made, secret = hooks.create(receiver.url, tenant="mine")
    learn(parts, "Oslo", "Lisbon")
    assert tell(parts) == ["failed"]
    assert "SSLCertVerificationError" in str(hooks.listing(tenant="mine")[0].trouble)
    assert "SSLCertVerificationError" in hooks.test(made.webhook, tenant="mine").description
    assert receiver.told == []

    monkeypatch.setenv("SSL_CERT_FILE", str(AUTHORITY))
    receiver.script = [(204, {}), (503, {})]
    assert tell(parts, superuser) == ["failed"]
    assert tell(parts, superuser) == ["ok"]
    assert receiver.words == visited("Oslo", "Lisbon")
    assert receiver.ids[1] == receiver.ids[2]
    assert receiver.verifies(secret)


def test_a_certificate_of_another_name_is_refused(
    parts: Parts, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(AUTHORITY))
    made, _ = Webhooks(parts).create(receiver.url.replace("localhost", "127.0.0.2"), tenant="mine")
    said = Webhooks(parts).test(made.webhook, tenant="mine")
    assert (said.accepted, receiver.told) == (False, [])
