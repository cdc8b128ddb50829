"""A local receiver of webhooks, which answers as a test sets and stores its requests."""

import base64
import hashlib
import hmac
import json
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

CERTIFICATES = Path(__file__).parent / "certificates"
AUTHORITY = CERTIFICATES / "authority.pem"
"""A certificate authority for tests, trusted by no machine; its certificate of `localhost` is valid until 2126."""


@dataclass
class Receiver:
    """A receiver of webhooks: its next answers (*script* of a status, or status and headers; then 204) and requests."""

    url: str = ""
    script: list[tuple[int, dict[str, str]]] = field(default_factory=list)
    told: list[tuple[dict[str, str], bytes]] = field(default_factory=list)
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
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            receiver.told.append(({name.lower(): value for name, value in self.headers.items()}, body))
            status, headers = receiver.script.pop(0) if receiver.script else (204, {})
            receiver.heard()
            if 200 <= status < 300:
                receiver.taken.append(json.loads(body))
            with suppress(OSError):  # the client may have disconnected
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", "0")
                self.end_headers()

        def log_message(self, *_: object) -> None:
            return None

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    server.daemon_threads = True
    receiver.url = f"http://127.0.0.1:{server.server_port}/heard"
    if secure:
        receiver.url = f"https://localhost:{server.server_port}/heard"
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(CERTIFICATES / "localhost.pem")
        server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        receiver.over.set()
        server.shutdown()
        server.server_close()
        thread.join()
