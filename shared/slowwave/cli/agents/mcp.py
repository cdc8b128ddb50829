"""`slowwave mcp`: serves memories as MCP tools to the agent that started this process."""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

import click
import structlog

from slowwave import wiring
from slowwave.api.mcp import CallerOf, MemoryServer, ScopeArguments
from slowwave.api.mcp.caller import BackgroundMemory
from slowwave.cli.options import tenant_option
from slowwave.cli.options.choices import agent_options
from slowwave.memory import due_work as due_work
from slowwave.memory.verb_group import parts_of
from slowwave.telemetry import logs
from slowwave.threads import Repeat
from slowwave.wiring import Settings


@click.command
@agent_options
@click.option(
    "--work/--no-work", default=None, help="Also do due work in this process; the default with the embedded Postgres."
)
@tenant_option
def mcp_command(user: str, agent: str | None, channel: str | None, work: bool | None, tenant: str | None) -> None:
    """Serve MCP on standard input and output, for an agent that starts this command.

    The command writes only MCP to standard output. If the embedded Postgres does not run, the command starts Postgres,
    and stops it at the end. `slowwave serve` offers MCP over HTTP at /mcp.
    """
    settings = Settings.load(**({} if tenant is None else {"tenant": tenant}))
    logs.configure(settings.log_level, process="mcp")
    logging.getLogger("mcp").setLevel(logging.WARNING)
    scope_arguments = ScopeArguments(user, agent, channel, settings.tenant)
    opening = BackgroundMemory(settings)
    opening.begin()
    server = MemoryServer(CallerOf(opening.memory, lambda *_: scope_arguments))
    try:
        with _doing_due_work(opening, settings) if (settings.embedded if work is None else work) else nullcontext():
            server.run("stdio")
    finally:
        opening.close()


@contextmanager
def _doing_due_work(opening: BackgroundMemory, settings: Settings) -> Iterator[None]:
    """Do due work while the block runs, as `slowwave work` does. When the block ends, finish the current run."""
    owner, ended = wiring.owner_name("mcp"), threading.Event()

    def do() -> None:
        parts = parts_of(opening.memory())
        due_work.tick(parts, by=owner)
        while not ended.is_set() and (
            due_work.run_next(parts, owner=owner) or due_work.send_next_request(parts, owner=owner)
        ):
            pass
        due_work.deliver_all(parts, stop=ended)

    say = structlog.get_logger("slowwave.mcp").info
    with Repeat(do, pause=lambda: settings.poll_seconds, name="work", say=say):
        try:
            yield
        finally:
            ended.set()
