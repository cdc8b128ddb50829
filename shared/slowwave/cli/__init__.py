"""The `slowwave` command. A subcommand is imported when it is called: `slowwave --help` needs none of them."""

import importlib
import sys
from collections.abc import Sequence

import click

from slowwave.errors import SlowwaveError
from slowwave.extras import needed

COMMANDS = {
    "answer": ("context.answer", "Ask a question; a model answers in sentences, each with its sources."),
    "archive": ("archive", "Archive and legal holds: list what is put away, simulate what would be, restore."),
    "audit": ("audit", "List the latest rows of the audit log: who changed or read what."),
    "backup": ("moving.backup", "Write a backup of the embedded database to a file, which appears when it is whole."),
    "bench": ("bench", "Measure this machine: what Slowwave reaches of what the database allows."),
    "check": ("check", "Look whether every promise holds, and say what to do where one does not."),
    "context": ("context.context", "Ask a question; get what a prompt needs to know of it, within a budget of tokens."),
    "conversations": ("reading.conversations", "Conversations: list them, or show what was said in one."),
    "db": ("database", "Bring the database's schema up to date."),
    "dead-letters": ("dead_letters", "Dead letters: list, retry or drop what could not be used."),
    "decay": ("decay", "Refresh decay and withdraw what has faded, now; --all looks at everything."),
    "demo": ("demo", "Live through a few days and one night of the sample, and show what is remembered."),
    "deltas": ("deltas", "List the deltas that changed beliefs: a run's, or the latest of all."),
    "doctor": ("doctor", "Say what is installed, reachable and migrated, and what to do about the rest."),
    "entries": ("reading.entries", "Show memories in full, by their ids."),
    "episode": ("reading.episode", "Show one episode word for word, by its id or key."),
    "embedder": ("spaces.embedder", "Embedding spaces: list them, or move memories to another embedder's."),
    "export": ("moving.export", "Write everything that is remembered of a tenant or a user to a file."),
    "facts": ("facts", "List what is believed about a user, now or at any time."),
    "graph": ("graph", "Graph of what is known: list its entities, ask it, list versions, rebuild it."),
    "hook": ("agents.hook", "Answer a hook of a coding agent: keep what was said, tell what is remembered."),
    "import": ("moving.import_", "Bring in what `slowwave export` wrote, or another project's memories and chats."),
    "mcp": ("agents.mcp", "Serve a coding agent, or any other, what is remembered: MCP on standard input and output."),
    "metrics": ("watching.metrics", "Print the metrics of the installation for Prometheus, or serve them on a port."),
    "keys": ("keys", "Keys of the HTTP API: make one, list them, revoke one."),
    "model": ("model", "Requests to language models: hand them out as a batch, take replies back."),
    "profile": ("reading.profile", "Show what is known of a user: preferences, expertise, style and the rest."),
    "push": ("push", "Store episodes from a file of JSON Lines."),
    "recall": ("recall", "Ask a question; get memories with reasons and sources."),
    "recent": ("reading.recent", "List the episodes that were told last."),
    "remember": ("reading.remember", "Ask a question; get everything that bears on it, kind by kind."),
    "report": (
        "watching.report",
        "Write a page about a night: what was learned, changed and forgotten; --open shows it.",
    ),
    "requirements": ("requirements", "Count the statements of the source documents that tests carry."),
    "restore": ("moving.restore", "Put a backup back into a home in which nothing is kept."),
    "review": ("review", "Reviews: decide what nobody could decide for certain."),
    "rules": ("rules", "Check rule packs against their own cases."),
    "runs": ("runs", "List the latest runs: who, which window, how each ended."),
    "schedule": ("schedule", "List when each pack comes due; run one now, pause or resume it."),
    "scope": ("scope", "Name the scope of an id that Flower or a log shows; or list all scopes."),
    "search-index": ("reading.search_index", "Ask a question; get the beginnings of what answers, to choose from."),
    "serve": ("serve", "Serve the HTTP API."),
    "stats": ("stats", "Count sizes, latency, lag, tiers, hit rates and what decayed."),
    "status": ("status", "Count what is stored, waiting, running and buried."),
    "summary": ("reading.summary", "Show the summary of a session, in the speakers' own words."),
    "sweep": ("sweep", "Move memories on their ladders and evict where a rung is too full, now."),
    "timeline": ("reading.timeline", "Show what was told before and after a memory."),
    "tool-calls": ("reading.tool_calls", "List calls of tools: what they were asked, and how it went."),
    "tree": ("reading.tree", "Tree over the summaries of sessions: list it, ask it, grow it anew."),
    "unread": ("reading.unread", "List turns in languages that nothing reads, and say what to set."),
    "up": ("up", "Run everything here under one supervisor: Postgres, Redis, worker, scheduler, Flower."),
    "strategies": ("strategies", "List ways of doing things: how often each worked, and how surely."),
    "webhooks": ("watching.webhooks", "Webhooks: have what is learned sent to an address; list them, try one."),
    "why": ("why", "Explain why a fact is believed, down to the words."),
    "work": ("work", "Do due work without Celery: the wheel's worker, and the poll fallback."),
}
"""Each command, the module under `slowwave.cli` whose `command` it is, and what it does in a line."""


class _Lazy(click.Group):
    """A group that knows its commands by name and imports one when it is called."""

    def invoke(self, ctx: click.Context) -> object:
        try:
            with needed():
                return super().invoke(ctx)
        except SlowwaveError as error:
            if error.hint and error.hint.startswith("help("):  # said to who calls from Python
                error.hint = f"`slowwave {ctx.invoked_subcommand} --help` says what it takes"
            raise

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in COMMANDS and not name.startswith("-"):
            from slowwave.problems import nearest

            ctx.fail(f"No such command {name!r}{nearest(name, COMMANDS) or '; `slowwave --help` lists them'}")
        return super().resolve_command(ctx, args)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"slowwave.cli.{COMMANDS[cmd_name][0]}")
        command = module.command
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
    """Run the command. An error of ours is a sentence and exit status 1, never a traceback."""
    try:
        status = cli(args=arguments, prog_name="slowwave", standalone_mode=False)
    except SlowwaveError as error:
        click.echo(str(error), err=True)
        sys.exit(1)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(130)
    if isinstance(status, int):  # a command that called `Context.exit`
        sys.exit(status)
