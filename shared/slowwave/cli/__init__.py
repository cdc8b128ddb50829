"""The `slowwave` command.

A subcommand is imported only when it is called, so `slowwave --help` imports no subcommand.
"""

import importlib
import sys
from collections.abc import Sequence

import click

from slowwave.errors import SlowwaveError
from slowwave.runtime.extras import needed
from slowwave.threads import start_quickly

COMMANDS = {
    "answer": ("context", "Ask a question; a model answers in sentences, each with its sources."),
    "archive": ("archive", "Manage the archive and legal holds: list, preview, archive or restore conversations."),
    "audit": ("ledger", "List the latest rows of the audit log: who changed or read which memories."),
    "backup": ("import_export.files", "Write a backup of the embedded database to a file."),
    "bench": ("bench", "Run benchmarks on this machine, compared with the bare database."),
    "canary": ("packs.canary", "Compare, promote or roll back a new version of a pack on a share of the scopes."),
    "cells": ("cells", "List or add databases, and move tenants between them."),
    "check": ("upkeep", "Check every invariant, and say how to repair each violation."),
    "context": ("context", "Ask a question; print the context for a prompt, within a token budget."),
    "conversations": ("queries.episodes", "List conversations, or show the turns of one."),
    "correct": ("undoing", "Undo a wrong fact and everything derived from it; add the right fact."),
    "db": ("database", "Migrate the database schema, or show its revision."),
    "dead-letters": ("upkeep", "List, retry or drop dead letters: episodes and messages that could not be processed."),
    "decay": ("upkeep", "Recompute how far memories have faded, and withdraw facts that faded too far."),
    "demo": ("demo", "Run a demo: a few days of episodes, a night of consolidation, and the resulting facts."),
    "deltas": ("ledger", "List applied deltas, of all runs or of one."),
    "doctor": ("doctor", "Check the installation, and say how to fix each problem."),
    "encryption": ("access", "List, rotate, apply or destroy the keys that encrypt words at rest."),
    "entries": ("queries.search", "Show memories in full, by their ids."),
    "episode": ("queries.episodes", "Show one episode word for word, by its id or key."),
    "embedder": ("models", "List embedding spaces, or move memories to another embedder."),
    "export": ("import_export.files", "Export all memories of a tenant or a user to a file."),
    "facts": ("beliefs", "List the facts believed about a user, now or at another time."),
    "forget": ("erasing", "Forget a user, a session, a fact or every match of a text, for good."),
    "graph": ("graph", "Query the knowledge graph: list entities, ask, walk, list versions, rebuild."),
    "hook": ("agents.hook", "Answer a coding agent's hook: store what was said, return relevant memories."),
    "import": ("import_export.files", "Import a file of `slowwave export`, or another project's memories and chats."),
    "mcp": ("agents.mcp", "Serve memories to an agent over MCP on standard input and output."),
    "metrics": ("monitoring", "Print the installation's Prometheus metrics, or serve them on a port."),
    "keys": ("access", "Create, list or revoke keys of the HTTP API."),
    "model": ("models", "Write pending model calls as a batch file, and read the replies back."),
    "profile": ("queries.summaries", "Show a user's profile: preferences, expertise, style and more."),
    "push": ("push", "Store episodes from a file of JSON Lines."),
    "quotas": ("access", "List, set or remove the quotas of a tenant and its users: pushes, recalls, model calls."),
    "recall": ("recall", "Ask a question; get memories with reasons and sources."),
    "recent": ("queries.episodes", "List the latest episodes."),
    "remember": ("queries.search", "Ask a question; get everything relevant, grouped by kind of memory."),
    "replay": ("packs.replay", "Compare the facts with those that another pack version would make, or replace them."),
    "report": (
        "monitoring",
        "Write an HTML report of one night: learned, changed and forgotten facts; --open shows the report.",
    ),
    "requirements": ("requirements", "Count how many requirements of each source document have tests that pass."),
    "restore": ("import_export.files", "Restore a backup of the embedded database."),
    "review": ("beliefs", "List and decide reviews: claims that need a person's decision."),
    "rules": ("rules", "Check rule packs against their test cases."),
    "runs": ("ledger", "List the latest runs: job, window and outcome."),
    "schedule": ("schedule", "List when each job and pack is due; run one now, pause or resume it."),
    "scope": ("ledger", "Show the scope behind an id from Flower or a log, or list all scopes."),
    "search-index": ("queries.search", "Ask a question; get a short index of the matches, to choose from."),
    "serve": ("serve", "Serve the HTTP API."),
    "stats": ("status", "Show statistics: sizes, latency, lag, tiers, hit rates and decay."),
    "status": ("status", "Count what is stored, pending, running and in dead letters."),
    "summary": ("queries.summaries", "Show the summary of a session, in the speakers' own words."),
    "sweep": ("upkeep", "Move memories between tiers now, and evict from tiers over capacity."),
    "timeline": ("queries.search", "Show the episodes before and after a memory."),
    "tool-calls": ("queries.episodes", "List tool calls with their input, output and success."),
    "tree": ("queries.summaries", "List, ask or rebuild the tree of session summaries."),
    "undo": ("undoing", "Undo a run, a delta, a pack or everything since a time; list undos."),
    "unread": ("queries.summaries", "List turns in languages that no pack or model reads, and the setting to change."),
    "up": ("up", "Run Postgres, Redis, worker, scheduler and Flower under one supervisor."),
    "strategies": ("beliefs", "List strategies: how often each worked, and how certain this is."),
    "webhooks": ("monitoring", "Manage webhooks that receive each delta: create, list, test, enable, remove."),
    "verify": ("import_export.files", "Check that an export is complete and consistent, and print its hash."),
    "why": ("beliefs", "Explain why a fact is believed, with the original words."),
    "work": ("work", "Do due work without Celery, as the only worker or beside Celery workers."),
}
"""The commands by name, each with its module under `slowwave.cli` and a summary.

The module has the function `<name>_command`.
"""


class _Lazy(click.Group):
    """A group that lists its commands by name, and imports a command only when it is called."""

    def invoke(self, ctx: click.Context) -> object:
        try:
            with needed():
                return super().invoke(ctx)
        except SlowwaveError as error:
            if error.hint and error.hint.startswith("help("):  # this hint addresses a caller in Python
                error.hint = f"`slowwave {ctx.invoked_subcommand} --help` lists its options"
            raise

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in COMMANDS and not name.startswith("-"):
            from slowwave.validation_messages import nearest

            ctx.fail(f"No such command {name!r}{nearest(name, COMMANDS) or '; `slowwave --help` lists them'}")
        return super().resolve_command(ctx, args)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"slowwave.cli.{COMMANDS[cmd_name][0]}")
        command = getattr(module, f"{cmd_name.replace('-', '_')}_command")
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in sorted(COMMANDS.items())])


@click.group(cls=_Lazy, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(package_name="slowwave")
def cli() -> None:
    """Long-term memory for AI agents: episodes in, facts with sources out."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command. A `SlowwaveError` is printed as a sentence, with exit status 1 and no traceback."""
    start_quickly()
    try:
        status = cli(args=arguments, prog_name="slowwave", standalone_mode=False)
    except SlowwaveError as error:
        click.echo(str(error), err=True)
        sys.exit(1)
    except click.ClickException as error:
        error.show()
        if isinstance(error, click.BadParameter):
            _point_to_lists(error)
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(130)
    if isinstance(status, int):  # a command that called `Context.exit`
        sys.exit(status)


def _point_to_lists(error: click.BadParameter) -> None:
    """Print which commands list the numbers or ids of an argument that is missing or malformed."""
    group = error.ctx.parent if error.ctx else None
    wanted = error.param.type if isinstance(error.param, click.Argument) else None
    if group and isinstance(group.command, click.Group) and wanted in {click.INT, click.UUID}:
        lists = [f"`{group.command_path} {name}`" for name in ("list", "holds") if name in group.command.commands]
        if lists:
            click.echo(f"  hint: {' or '.join(lists)} shows the numbers and ids", err=True)
