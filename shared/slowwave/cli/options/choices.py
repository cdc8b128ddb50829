"""Options with a value that several commands share, the type of an instant, and groups with a default subcommand."""

import functools
import getpass
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, get_args

import click

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


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
    """Return a decorator that adds the option of the maximum number of tokens; *of* names the limited output."""
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


class Listing(click.Group):
    """A group that runs its subcommand *usual*, with the given options, when the arguments name no subcommand."""

    def __init__(self, *arguments: Any, usual: str = "list", **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.usual = usual

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Return the arguments, with *usual* added if they name no subcommand."""
        unnamed = not args or (args[0].startswith("-") and args[0] not in ctx.help_option_names)
        return super().parse_args(ctx, [self.usual, *args] if unnamed else args)


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
