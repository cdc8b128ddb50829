"""A local receiver of webhooks, which answers as a test sets and stores its requests."""

import base64
import hashlib
import hmac
import json
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.local_server import Request, Response, serving_posts

CERTIFICATES = Path(__file__).parent / "certificates"
AUTHORITY = CERTIFICATES / "authority.pem"
"""A certificate authority for tests, trusted by no machine; its certificate of `localhost` is valid until 2126."""


@dataclass
class Receiver:
    """A receiver of webhooks: its next answers (*script* of a status, or status and headers; then 204) and requests."""

    url: str = ""
    script: list[tuple[int, dict[str, str]]] = field(default_factory=list)
    told: list[tuple[Mapping[str, str], bytes]] = field(default_factory=list)
    taken: list[dict[str, Any]] = field(default_factory=list)
    heard: Callable[[], object] = lambda: None
    """A callback during a request."""
    over: threading.Event = field(default_factory=threading.Event)

    @property
    def ids(self) -> list[str]:
        """The ids of the requests, with repetitions."""
        return [headers["webhook-id"] for headers, _ in self.told]

    @property
    def words(self) -> list[str]:
        """The texts of the requests that the receiver accepted."""
        return [body["data"]["text"] for body in self.taken]

    def verifies(self, secret: str) -> bool:
        """Return whether all requests were signed with *secret*, by an independent computation."""
        key = base64.b64decode(secret.removeprefix("whsec_"))
        for headers, body in self.told:
            signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
            expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
            if not hmac.compare_digest(headers["webhook-signature"], f"v1,{expected}"):
                return False
        return True


@contextmanager
def receiving(port: int = 0, *, secure: bool = False) -> Iterator[Receiver]:
    """Run a receiver during the block; a *secure* one has a certificate of `AUTHORITY`."""
    receiver, context = Receiver(), None
    if secure:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(CERTIFICATES / "localhost.pem")

    def respond(request: Request) -> Response:
        receiver.told.append((request.headers, request.body))
        status, headers = receiver.script.pop(0) if receiver.script else (204, {})
        receiver.heard()
        if 200 <= status < 300:
            receiver.taken.append(json.loads(request.body))
        return status, headers, b""

    with serving_posts(respond, port=port, context=context) as at:
        receiver.url = f"https://localhost:{at}/heard" if secure else f"http://127.0.0.1:{at}/heard"
        try:
            yield receiver
        finally:
            receiver.over.set()
