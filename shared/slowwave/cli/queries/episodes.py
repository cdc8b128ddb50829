"""`slowwave recent`, `conversations`, `episode` and `tool-calls`: what was said and done, word for word."""

from collections.abc import Sequence
from datetime import datetime

import click

from slowwave.cli.options import ScopeOptions, in_scope, json_option, scope_options
from slowwave.cli.options.choices import Instant, Listing, limit_option, several_option
from slowwave.cli.printing import cell, one_line, print_json, print_listing, short, utc
from slowwave.domain.episode import EpisodeKind, Role
from slowwave.domain.queries.episode import RememberedEpisode
from slowwave.memory import MemoryScope

SHOWN = 60
"""The maximum number of characters of a call's input and output in text output; JSON output has all."""


@click.group(cls=Listing)
def conversations_command() -> None:
    """List conversations, or show the turns of one. Without a subcommand, list them."""


@conversations_command.command("list")
@in_scope
@limit_option(100, "conversations")
@click.option("--after", metavar="SESSION", help="Continue after the conversation of this session.")
@click.option("--archived/--at-hand", default=None, help="Only archived conversations, or only active ones.")
@json_option
def list_(scope: MemoryScope, limit: int, after: str | None, archived: bool | None, as_json: bool) -> None:
    """List the conversations, most recently active first."""
    found = scope.conversations(limit, archived=archived, after=after)
    print_listing(
        found, as_json=as_json, none="no conversations here: `slowwave status` shows what is stored",
        columns=["session", "agent", "channel", "episodes", "began", "ended", "archived"], right=["episodes"],
        row=lambda one: [
            cell(one.session), cell(one.scope.agent), cell(one.scope.channel), str(one.episodes), utc(one.first_at),
            utc(one.last_at), utc(one.archived),
        ],
    )  # fmt: skip


@conversations_command.command
@click.argument("session")
@scope_options(user_required=True)
@limit_option(100, "turns")
@click.option("--before", metavar="ID", help="Only turns before this one: an id or key.")
@click.option("--after", metavar="ID", help="Only turns after this one: an id or key.")
@click.option("--around", metavar="ID", help="Only this turn (an id or key) and the turns around it.")
@json_option
def show(
    session: str, options: ScopeOptions, limit: int,
    before: str | None, after: str | None, around: str | None, as_json: bool,
) -> None:  # fmt: skip
    """Show the turns of the conversation SESSION, in order."""
    with options.scope() as scope:
        episodes = scope.conversation(session, limit=limit, before=before, after=after, around=around)
    _show_episodes(episodes, as_json=as_json, every_agent=options.agent is None)


@click.command
@click.argument("name", metavar="ID")
@in_scope
@json_option
def episode_command(name: str, scope: MemoryScope, as_json: bool) -> None:
    """Show an episode word for word. ID is the episode's id, the beginning of this id, or the agent's key."""
    episode = scope.episode(name)
    if as_json:
        return print_json(episode)
    click.echo(episode.content)
    speaker, scope_ = episode.speaker or episode.role, episode.scope
    whence = f"{episode.kind} of {speaker} in session {episode.session}, {utc(episode.occurred)}"
    where = f"{episode.key} at position {episode.position}, as {scope_.agent} knows it in {scope_.channel}"
    click.echo(click.style(one_line(f"      {whence}; {where}; id {episode.id}"), dim=True))


@click.command
@scope_options(user_required=True)
@limit_option(20, "episodes")
@click.option("--before", metavar="ID", help="Continue with the episodes before this one: an id or key.")
@click.option("--after", metavar="ID", help="Only the episodes right after this one: an id or key.")
@several_option("--kind", "kinds", "Only this kind of episode", EpisodeKind)
@several_option("--role", "roles", "Only episodes of this role", Role)
@several_option("--session", "sessions", "Only episodes of this session")
@click.option("--since", type=Instant(), help="Only episodes at or after this time.")
@click.option("--until", type=Instant(), help="Only episodes before this time.")
@click.option("--archived", is_flag=True, help="Include archived conversations.")
@json_option
def recent_command(
    options: ScopeOptions, limit: int, before: str | None,
    after: str | None, kinds: tuple[EpisodeKind, ...], roles: tuple[Role, ...], sessions: tuple[str, ...],
    since: datetime | None, until: datetime | None, archived: bool, as_json: bool,
) -> None:  # fmt: skip
    """List the latest episodes, newest first, each with its id."""
    with options.scope() as scope:
        episodes = scope.recent(
            limit, before=before, after=after, kinds=list(kinds) or None, roles=list(roles) or None,
            sessions=sessions or None, since=since, until=until, archived=archived,
        )  # fmt: skip
    _show_episodes(episodes, as_json=as_json, every_agent=options.agent is None)


@click.command
@in_scope
@limit_option(50, "calls")
@several_option("--tool", "tools", "Only calls of this tool")
@several_option("--session", "sessions", "Only calls in this session")
@click.option(
    "--succeeded/--failed", "success", default=None, help="Only calls that succeeded, or only those that failed."
)
@click.option("--since", type=Instant(), help="Only calls at or after this time.")
@click.option("--until", type=Instant(), help="Only calls before this time.")
@click.option("--before", metavar="ID", help="Continue with the calls before this one, given by id.")
@json_option
def tool_calls_command(
    scope: MemoryScope, limit: int, tools: tuple[str, ...],
    sessions: tuple[str, ...], success: bool | None, since: datetime | None, until: datetime | None,
    before: str | None, as_json: bool,
) -> None:  # fmt: skip
    """List the latest tool calls, newest first."""
    calls = scope.tools.calls(
        limit, tools=tools or None, sessions=sessions or None, success=success, since=since, until=until,
        before=before,
    )  # fmt: skip
    print_listing(
        calls, as_json=as_json, none="no tool calls here: `scope.tools.record_invocation` records one",
        columns=["when", "tool", "went", "took", "session", "asked", "answered", "id"], right=["took"],
        row=lambda one: [
            utc(one.occurred), cell(one.tool or ""), {True: "well", False: "wrong", None: ""}[one.success],
            "" if one.latency_ms is None else f"{one.latency_ms:g} ms", cell(one.session), cell(_short(one.input)),
            cell(one.error or _short(one.output)), short(one.id),
        ],
    )  # fmt: skip


def _short(value: object) -> str:
    """Return the beginning of a tool's input or output."""
    text = "" if value is None else str(value)
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"


def _show_episodes(episodes: Sequence[RememberedEpisode], *, as_json: bool, every_agent: bool) -> None:
    """Print episodes, one per line; with *every_agent*, also their agent and channel."""
    print_listing(
        episodes, as_json=as_json, none="no episodes here: `slowwave status` shows what is stored",
        columns=["when", "session", *["agent", "channel"] * every_agent, "who", "said", "key", "id"],
        row=lambda one: [
            utc(one.occurred), cell(one.session),
            *[cell(name) for name in (one.scope.agent, one.scope.channel) if every_agent],
            cell(one.speaker or one.role), cell(one.content), cell(one.key), short(one.id),
        ],
    )  # fmt: skip
