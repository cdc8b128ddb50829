"""A server on the loopback interface that answers each POST with a function of the test."""

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = tuple[int, Mapping[str, str], bytes | Iterable[bytes]]
"""A status, headers beside the length, and a body; a body in pieces has no length, and the connection ends it."""


@contextmanager
def answered(answer: Callable[[str, Message, bytes], Answer]) -> Iterator[str]:
    """Give the address of a server; it passes the path, headers and body of each POST to *answer*, in a thread."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            posted = self.rfile.read(int(self.headers["Content-Length"]))
            status, headers, body = answer(self.path, self.headers, posted)
            with suppress(OSError):  # the client may have disconnected
                self.send_response(status)
                length = {"Content-Length": str(len(body))} if isinstance(body, bytes) else {}
                for name, value in {**headers, **length}.items():
                    self.send_header(name, value)
                self.end_headers()
                for piece in [body] if isinstance(body, bytes) else body:
                    self.wfile.write(piece)

        def log_message(self, format: str, *args: Any) -> None:
            return None

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join(10)
        server.server_close()
