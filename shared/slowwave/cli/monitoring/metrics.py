"""`slowwave metrics`: the metrics for Prometheus, printed or served."""

import threading

import click

from slowwave.cli.options import opened
from slowwave.cli.signals import ending


@click.command
@click.option(
    "--port", type=click.IntRange(1, 65535), help="Serve the metrics on this port, at /metrics, until stopped."
)
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
def command(port: int | None, host: str) -> None:
    """Print the metrics of the installation in the format of Prometheus, or serve them.

    The metrics come from Postgres and cover all processes and tenants: serve them from one process.
    """
    from slowwave.memory.metrics import Exposition
    from slowwave.runtime.extras import needed

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
