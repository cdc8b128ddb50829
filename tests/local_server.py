"""A local HTTP server of a test, whose function answers each POST request."""

import ssl
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(frozen=True)
class Request:
    """A POST request: its path, its headers by their names in lower case, and its body."""

    path: str
    headers: Mapping[str, str]
    body: bytes


Response = tuple[int, Mapping[str, str], bytes | Iterable[bytes]]
"""A status, headers beside the length, and a body; a body in pieces has no length, and the connection ends it."""


@contextmanager
def serving_posts(
    respond: Callable[[Request], Response | None], *, port: int = 0, protocol: str = "HTTP/1.0",
    context: ssl.SSLContext | None = None,
) -> Iterator[int]:  # fmt: skip
    """Give the port of a server that responds to POST requests as *respond* says, and hangs up where it says None."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = protocol

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            response = respond(Request(self.path, {name.lower(): one for name, one in self.headers.items()}, body))
            if response is None:
                self.close_connection = True
                return
            status, headers, content = response
            length = {"Content-Length": str(len(content))} if isinstance(content, bytes) else {}
            with suppress(OSError):  # the client may have disconnected
                self.send_response(status)
                for name, value in {**headers, **length}.items():
                    self.send_header(name, value)
                self.end_headers()
                for piece in [content] if isinstance(content, bytes) else content:
                    self.wfile.write(piece)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    server.daemon_threads = True
    if context is not None:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
