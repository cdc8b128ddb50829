"""`slowwave replay`: compares or replaces beliefs, of one scope or of all, with those of another version of a pack."""

import re
from collections.abc import Callable
from dataclasses import asdict

import click
from click.core import ParameterSource

from slowwave.cli.options import ScopeOptions, json_option, opened, scope_options
from slowwave.cli.options.choices import by_option, examples_option, reason_option
from slowwave.cli.packs.dry_run import (
    price_of,
    price_of_tokens,
    price_of_unasked,
    print_cost,
    print_difference,
    print_price,
    print_sums,
)
from slowwave.cli.packs.pack_argument import AnyPack, for_model, named
from slowwave.cli.printing import one_line, owner_text, print_json
from slowwave.cli.undoing import show
from slowwave.domain.limits import MOST_SECONDS
from slowwave.domain.scope import Scope
from slowwave.domain.undo import Undone
from slowwave.errors import Incorrect
from slowwave.formatting import counted
from slowwave.memory import Memory
from slowwave.memory.dry_runs import replay
from slowwave.memory.undoing.asking import Asking, missing
from slowwave.memory.undoing.comparing import compared_everywhere
from slowwave.memory.undoing.every_scope import ask_in, scopes_to_replay
from slowwave.memory.undoing.replaying import ask_for_replies, pack_for
from slowwave.wiring import Parts

_VERSIONED = re.compile(r"(?P<name>.+)@(?P<version>\d+)")


@click.command
@click.argument("pack")
@scope_options(user_required=False, writes=True)
@click.option("--all-users", is_flag=True, help="Every memory of the tenant, in place of --user.")
@examples_option
@click.option("--apply", is_flag=True, help="Show the changes, ask, and then replace the facts.")
@click.option("--ask", is_flag=True, help="Show the price of missing replies, ask you, and then ask the model.")
@click.option("--yes", is_flag=True, help="With --apply or --ask, do not ask you.")
@by_option("With --apply, the person who asks for the replay.")
@reason_option
@json_option
def replay_command(
    pack: str, options: ScopeOptions, all_users: bool, examples: int, apply: bool, ask: bool, yes: bool, by: str,
    reason: str, as_json: bool,
) -> None:  # fmt: skip
    """Compare the facts of one scope with the facts that the scope would have if PACK had read all episodes.

    With --all-users, compare the facts of every memory of the tenant.

    PACK is a name or a folder. With NAME@VERSION, the command refuses any other version. PACK replaces the installed
    pack of the same name; the other installed packs also read the episodes again. Without --apply, the command writes
    nothing. It uses stored replies of a model, and estimates the price of missing replies.

    With --ask, PACK must be installed. The command asks the model for the missing replies, within its budgets and
    quotas, and stores them. Repeat an interrupted command: it asks only for missing replies.

    With --apply, PACK must be installed. The new claims of PACK then replace all earlier claims of this pack, as
    new deltas in one transaction for each memory. `slowwave undo` reverts the replay.
    """
    _refuse_unclear(options, all_users)
    with opened(options.tenant) as parts:
        if ask:
            _ask_model(parts, pack, None if all_users else options.of(parts).scope, yes=yes or as_json)
        if apply:
            do = Memory(parts).replay if all_users else options.of(parts).replay
            most = examples if all_users else None
            return _apply(do, pack, yes=yes or as_json, by=by, reason=reason, as_json=as_json, examples=most)
        if all_users:
            return _compare_everywhere(parts, pack, examples, as_json, asked=ask)
        found = replay(parts, _pack(pack, parts), options.of(parts).scope)
        price = price_of_unasked(found.asked, parts.settings, episodes=found.episodes)
    if as_json:
        return print_json(
            {
                "pack": found.pack, "version": found.version, "episodes": found.episodes, "claims": found.claims,
                "difference": found.difference, "of_no_pack": found.of_no_pack, "price": price and asdict(price),
            }
        )  # fmt: skip
    if price is not None:
        print_price(price, called=ask)
    click.echo(
        f"{found.pack}@{found.version} over {counted(found.episodes, 'episodes')}: {counted(found.claims, 'claims')}"
    )
    print_difference(found.difference, examples)
    _print_end(found.of_no_pack, asked=ask)


def _refuse_unclear(options: ScopeOptions, all_users: bool) -> None:
    """Raise `UsageError` unless the options name one memory or all of them."""
    context = click.get_current_context()
    named = [
        f"--{name}"
        for name in ("user", "agent", "channel")
        if context.get_parameter_source(name) not in (None, ParameterSource.DEFAULT)
    ]
    if all_users and named:
        raise click.UsageError(f"--all-users covers every memory of the tenant: leave out {' and '.join(named)}")
    if not all_users and options.user is None:
        raise click.UsageError("name one memory with --user, or every memory of the tenant with --all-users")


def _ask_model(parts: Parts, wanted: str, scope: Scope | None, *, yes: bool) -> None:
    """Ask the model for the missing replies of a replay in *scope*, or in every scope of the tenant.

    The price is shown and confirmed first. Scopes that still lack replies are named on standard error.
    """
    pack = pack_for(parts, wanted, scope)
    scopes = scopes_to_replay(parts, parts.settings.tenant, pack)[0] if scope is None else [scope]
    lacking = {one: requests for one in scopes if (requests := missing(parts, one, pack))}
    if not lacking:
        return
    chunks = [request.chunk for requests in lacking.values() for request in requests]
    if not yes:
        episodes = sum(len(chunk.episodes) for chunk in chunks)
        print_cost(price_of(chunks, parts.settings, episodes=episodes))
        click.confirm("Ask the model?", abort=True)
    asking = Asking.within(parts, MOST_SECONDS)
    if scope is not None:
        ask_for_replies(asking, scope, pack)
        return
    for one, why in ask_in(asking, list(lacking), pack).items():
        click.echo(f"{one_line(owner_text(one))}: {one_line(why.problem)}\n  hint: {one_line(why.hint)}", err=True)


def _compare_everywhere(parts: Parts, pack: str, examples: int, as_json: bool, *, asked: bool) -> None:
    found = compared_everywhere(parts, _pack(pack, parts), examples=examples)
    price = price_of_tokens(
        found.requests, found.prompt_tokens, found.reply_tokens, parts.settings, episodes=found.episodes,
        at_hand=found.replies,
    )  # fmt: skip
    if as_json:
        return print_json({**asdict(found), "price": asdict(price) if found.needs_model else None})
    if found.needs_model:
        print_price(price, called=asked)
    click.echo(
        f"{found.pack}@{found.version} over {counted(found.episodes, 'episodes')} of "
        f"{counted(found.scopes, 'scopes')}: {counted(found.claims, 'claims')}"
    )
    print_sums(found)
    _print_end(found.of_no_pack, asked=asked)


def _print_end(of_no_pack: int, *, asked: bool) -> None:
    click.echo(f"made by no pack, and unchanged: {of_no_pack}")
    click.echo("no fact was changed" if asked else "nothing was written")


def _apply(
    do: Callable[..., Undone], pack: str, *, yes: bool, by: str, reason: str, as_json: bool, examples: int | None
) -> None:
    """Preview a replay and ask, then *do* it. With *examples*, print sums and at most so many changes of each kind."""
    if not yes:
        seen = do(pack, preview=True)
        show(seen, replay=True, examples=examples)
        if not seen.changes_beliefs:
            return
        click.confirm("Replace the beliefs?", abort=True)
    done = do(pack, by=by, reason=reason)
    print_json(done) if as_json else show(done, replay=True, examples=examples)


def _pack(wanted: str, parts: Parts) -> AnyPack:
    asked = _VERSIONED.fullmatch(wanted)
    pack = for_model(named(asked["name"] if asked else wanted, parts.settings.rules), parts)
    if asked and pack.version != int(asked["version"]):
        raise Incorrect(
            f"the pack {asked['name']!r} has version {pack.version} here, not {asked['version']}",
            hint="name the folder that holds the other version",
        )
    return pack
