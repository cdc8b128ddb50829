"""`slowwave metrics`: what Prometheus asks for, printed or served."""

import threading

import click

from slowwave.cli.options import opened
from slowwave.cli.signals import ending


@click.command
@click.option("--port", type=click.IntRange(1, 65535), help="Serve them there until it is ended, at /metrics.")
@click.option("--host", default="127.0.0.1", show_default=True, help="On which address to listen.")
def command(port: int | None, host: str) -> None:
    """Print the metrics of the installation in the format of Prometheus, or serve them.

    They come from Postgres and are of all processes and tenants: one process that serves them is enough.
    """
    from slowwave.extras import needed
    from slowwave.memory.metrics import Exposition

    with needed():
        from prometheus_client import start_http_server

    with opened() as parts:
        exposition = Exposition(parts)
        if port is None:
            click.echo(exposition.text(), nl=False)
            return
        stop = threading.Event()
        with ending(stop):
            server, thread = start_http_server(port, host, exposition.registry)
            click.echo(f"ready: http://{host}:{port}/metrics; Ctrl-C ends it")
            stop.wait()
            server.shutdown()
            server.server_close()
            thread.join()
