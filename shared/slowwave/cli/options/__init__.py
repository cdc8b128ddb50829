"""Options shared by commands: connection, scope and output."""

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import click

from slowwave import memory, wiring
from slowwave.cli.options.choices import Decorator
from slowwave.domain.overview import Due
from slowwave.domain.scope import GLOBAL_CHANNEL, Scope
from slowwave.retrieval.reach import reach_of, reads
from slowwave.wiring import Settings

tenant_option = click.option("--tenant", metavar="NAME", help="The tenant; SLOWWAVE_TENANT by default.")
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")


@dataclass(frozen=True, slots=True)
class ScopeOptions:
    """The memory that a command uses: a user, an agent and a channel of a tenant. Any of them may be unnamed."""

    user: str | None
    agent: str | None
    channel: str | None
    tenant: str | None

    @contextmanager
    def scope(self) -> Iterator["memory.MemoryScope"]:
        """Give the scope of the named user."""
        with opened(self.tenant) as parts:
            yield self.of(parts)

    def of(self, parts: wiring.Parts) -> "memory.MemoryScope":
        """Return the scope of the named user."""
        assert self.user is not None
        return memory.Memory(parts).scope(self.user, agent=self.agent, channel=self.channel)

    def scopes(self, parts: wiring.Parts) -> "list[memory.MemoryScope]":
        """Return the scopes to query, one per user: the named user, or every user of the tenant."""
        return [replace(self, user=user).of(parts) for user in self._users(parts)]

    def reach(self, parts: wiring.Parts) -> list[Scope]:
        """Return every scope that the scopes to query read."""
        breadth = reads(self.agent, self.channel)
        return [
            scope
            for user in self._users(parts)
            for scope in reach_of(
                parts.records,
                Scope(parts.settings.tenant, user, self.agent or "default", self.channel or GLOBAL_CHANNEL),
                breadth,
            )
        ]

    def _users(self, parts: wiring.Parts) -> list[str]:
        if self.user is not None:
            return [self.user]
        return list(dict.fromkeys(scope.user for scope in parts.records.scopes(parts.settings.tenant)))


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


def in_tenant(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the option of the tenant, open the parts of this process, and pass them to the command as `parts`."""

    @functools.wraps(command)
    def with_parts(*, tenant: str | None, **more: Any) -> Any:
        with opened(tenant) as parts:
            return command(parts=parts, **more)

    return tenant_option(with_parts)


def in_scope(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the scope options, open the memory of the named user, and pass it to the command as `scope`."""

    @functools.wraps(command)
    def with_scope(*, options: ScopeOptions, **more: Any) -> Any:
        with options.scope() as scope:
            return command(scope=scope, **more)

    return scope_options(user_required=True)(with_scope)


@contextmanager
def opened(tenant: str | None = None) -> Iterator[wiring.Parts]:
    """Give the parts of this process, on the Postgres of SLOWWAVE_URL or on the embedded one."""
    settings = Settings.load(**({} if tenant is None else {"tenant": tenant}))
    parts = wiring.open_parts(settings)
    try:
        yield parts.of(settings.tenant)
    finally:
        parts.close()


def run_now(parts: wiring.Parts, *, tenant: str | None, pack: str | None = None) -> list[Due]:
    """Fire schedules by hand for every scope with work, and notify workers; return the work that is now due."""
    from slowwave.memory import due_work

    due = parts.schedule.fire_manually(by=wiring.owner_name("manual"), tenant=tenant, pack=pack)
    due_work.notify_workers(parts, due)
    return due
