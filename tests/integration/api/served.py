"""An app behind a real server, on a port of its own, in a thread of the test."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from fastapi import FastAPI

from tests.faults.rig.processes import until


@contextmanager
def serving(app: FastAPI, port: int = 0) -> Iterator[str]:
    """Give the address of *app* during the block, on *port* if given; open connections are closed afterwards."""
    config = uvicorn.Config(
        app, port=port, log_config=None, access_log=False, timeout_graceful_shutdown=1, ws="none"
    )  # web sockets are off because their library warns
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, name="served", daemon=True)
    thread.start()
    try:
        until(lambda: server.started, "the server listens")
        (listening,) = server.servers
        port = listening.sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(10)
