"""Options shared by commands (connection, scope, output), and groups with a default subcommand."""

import functools
import getpass
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, get_args

import click

from slowwave import wiring
from slowwave.domain.overview import Due
from slowwave.domain.scope import GLOBAL_CHANNEL
from slowwave.memory import Memory, MemoryScope, due_work
from slowwave.wiring import Settings

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

tenant_option = click.option("--tenant", metavar="NAME", help="The tenant; SLOWWAVE_TENANT by default.")
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")


def limit_option(default: int, things: str, most: int | None = 1_000, *, former: str | None = None) -> Decorator:
    """Return a decorator that adds the option of the maximum number of *things*.

    The hidden option *former* is the former word for `--limit`. It is still accepted, with a warning.
    """
    of = click.IntRange(1, most)
    option = functools.partial(click.option, "--limit", type=of, default=default, show_default=True)
    description = f"Maximum number of {things}."
    if former is None:
        return option(help=description)

    def warned(context: click.Context, _option: click.Parameter, value: int | None) -> None:
        if value is not None:
            context.meta[former] = value
            click.echo(f"write `--limit` for `{former}`, the former word", err=True)

    def either(context: click.Context, _option: click.Parameter, value: int) -> int:
        return int(context.meta.get(former, value))

    def both(command: Callable[..., Any]) -> Callable[..., Any]:
        hidden = click.option(former, type=of, hidden=True, is_eager=True, expose_value=False, callback=warned)
        return option(help=description, callback=either)(hidden(command))

    return both


def max_tokens_option(default: int, of: str) -> Decorator:
    """Return a decorator that adds the option of the maximum number of tokens of something."""
    size = click.IntRange(1, 2**31 - 1)
    return click.option("--max-tokens", type=size, default=default, show_default=True, help=f"Maximum tokens of {of}.")


def by_option(text: str) -> Decorator:
    """Return a decorator that adds the option of the person who acts, with *text* as its help."""
    return click.option("--by", default=getpass.getuser, show_default="your login name", help=text)


reason_option = click.option("--reason", default="", metavar="TEXT", help="The reason, which `slowwave why` shows.")
examples_option = click.option(
    "--examples", type=click.IntRange(min=0), default=10, show_default=True,
    help="Maximum examples of gained, lost and changed facts.",
)  # fmt: skip


def agent_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of an agent that this command serves: the user, the agent and the channel."""
    command = click.option("--channel", metavar="NAME", help="Act in this channel or project.")(command)
    agent = "Act as this agent; without it, read the memories of all agents."
    command = click.option("--agent", metavar="NAME", help=agent)(command)
    return click.option(
        "--user", default=getpass.getuser, show_default="your login name", metavar="NAME",
        help="The user whose memories the agent reads and writes.",
    )(command)  # fmt: skip


def several_option(flag: str, name: str, only: str, kinds: Any = None) -> Decorator:
    """Return a decorator that adds a repeatable option; *kinds* is the `Literal` of its values, if any."""
    values = {"metavar": "NAME"} if kinds is None else {"type": click.Choice(get_args(kinds))}
    return click.option(flag, name, multiple=True, help=f"{only}; may be repeated.", **values)


@dataclass(frozen=True, slots=True)
class ScopeOptions:
    """The memory that a command uses: a user, an agent and a channel of a tenant. Any of them may be unnamed."""

    user: str | None
    agent: str | None
    channel: str | None
    tenant: str | None

    @contextmanager
    def scope(self) -> Iterator[MemoryScope]:
        """Give the scope of the named user."""
        with opened(self.tenant) as parts:
            yield self.of(parts)

    def of(self, parts: wiring.Parts) -> MemoryScope:
        """Return the scope of the named user."""
        assert self.user is not None
        return Memory(parts).scope(self.user, agent=self.agent, channel=self.channel)

    def scopes(self, parts: wiring.Parts) -> list[MemoryScope]:
        """Return the scopes to query, one per user: the named user, or every user of the tenant."""
        if self.user is not None:
            return [self.of(parts)]
        users = dict.fromkeys(scope.user for scope in parts.records.scopes(parts.settings.tenant))
        return [Memory(parts).scope(name, agent=self.agent, channel=self.channel) for name in users]


def scope_options(*, user_required: bool, writes: bool = False) -> Decorator:
    """Return a decorator that adds the scope options, and passes them to the command as `options`.

    With *writes*, the defaults are the agent `default` and the channel `_global`.
    """

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(command)
        def asked(*, user: str | None, agent: str | None, channel: str | None, tenant: str | None, **more: Any) -> Any:
            return command(options=ScopeOptions(user, agent, channel, tenant), **more)

        agent, channel = ("default", GLOBAL_CHANNEL) if writes else (None, None)
        asked = tenant_option(asked)
        shown: dict[str, Any] = {"metavar": "NAME", "show_default": writes}
        asked = click.option("--channel", default=channel, help="The channel.", **shown)(asked)
        asked = click.option("--agent", default=agent, help="The agent.", **shown)(asked)
        return click.option("--user", required=user_required, metavar="NAME", help="The user.")(asked)

    return add


class Listing(click.Group):
    """A group that runs its subcommand *usual*, with the given options, when the arguments name no subcommand."""

    def __init__(self, *arguments: Any, usual: str = "list", **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.usual = usual

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Return the arguments, with *usual* added if they name no subcommand."""
        unnamed = not args or (args[0].startswith("-") and args[0] not in ctx.help_option_names)
        return super().parse_args(ctx, [self.usual, *args] if unnamed else args)


@contextmanager
def opened(tenant: str | None = None) -> Iterator[wiring.Parts]:
    """Give the parts of this process, on the Postgres of SLOWWAVE_URL or on the embedded one."""
    settings = Settings.load(**({} if tenant is None else {"tenant": tenant}))
    parts = wiring.open_parts(settings)
    try:
        yield parts
    finally:
        parts.close()


def run_now(parts: wiring.Parts, *, tenant: str | None, pack: str | None = None) -> list[Due]:
    """Fire schedules by hand for every scope with work, and notify workers; return the work that is now due."""
    due = parts.schedule.fire_manually(by=wiring.owner_name("manual"), tenant=tenant, pack=pack)
    due_work.notify_workers(parts, due)
    return due


class Instant(click.ParamType):  # type: ignore[type-arg]  # not generic before click 8.5
    """An instant in ISO 8601. An instant without a zone is in UTC."""

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        """Return the instant."""
        if isinstance(value, datetime):
            return value
        try:
            found = datetime.fromisoformat(value)
        except ValueError:
            self.fail(f"{value!r} is not a time like 2026-03-02 or 2026-03-02T12:00+01:00", param, ctx)
        return found if found.tzinfo else found.replace(tzinfo=UTC)
