"""`slowwave replay`: the changes to a scope's beliefs if another version of a pack reads all episodes again."""

import getpass
import re
from dataclasses import asdict

import click

from slowwave.cli.options import Whose, json_option, opened, scope_options
from slowwave.cli.packs.dry_run import price_of_unasked, print_difference, print_price
from slowwave.cli.packs.pack_argument import AnyPack, for_model, named
from slowwave.cli.printing import print_json
from slowwave.cli.undoing import show
from slowwave.errors import Incorrect
from slowwave.formatting import counted
from slowwave.memory import MemoryScope
from slowwave.memory.dry_runs import replay
from slowwave.wiring import Parts

_VERSIONED = re.compile(r"(?P<name>.+)@(?P<version>\d+)")


@click.command
@click.argument("pack")
@scope_options(user_required=True, writes=True)
@click.option(
    "--examples",
    type=click.IntRange(min=0),
    default=10,
    show_default=True,
    help="Maximum examples of gained, lost and changed facts.",
)
@click.option("--apply", is_flag=True, help="Show the changes, ask, and then replace the facts.")
@click.option("--yes", is_flag=True, help="With --apply, do not ask.")
@click.option(
    "--by",
    default=getpass.getuser,
    show_default="your login name",
    help="With --apply, the person who asks for the replay.",
)
@click.option("--reason", default="", metavar="TEXT", help="With --apply, the reason, which `slowwave why` shows.")
@json_option
def replay_command(
    pack: str, whose: Whose, examples: int, apply: bool, yes: bool, by: str,
    reason: str, as_json: bool,
) -> None:  # fmt: skip
    """Compare the facts of one scope with the facts that the scope would have if PACK had read all episodes.

    PACK is a name or a folder. With NAME@VERSION, the command refuses any other version. PACK replaces the installed
    pack of the same name; the other installed packs also read the episodes again. Without --apply, the command writes
    nothing. The command never calls a model: it uses stored replies, and estimates the price of missing replies.

    With --apply, PACK must be installed. The new claims of PACK then replace all earlier claims of this pack, as new
    deltas in one transaction. `slowwave undo` reverts the replay.
    """
    with opened(whose.tenant) as parts:
        if apply:
            return _apply(whose.of(parts), pack, yes=yes or as_json, by=by, reason=reason, as_json=as_json)
        found = replay(parts, _pack(pack, parts), whose.of(parts).scope)
        price = price_of_unasked(found.asked, parts.settings, episodes=found.episodes)
    if as_json:
        return print_json(
            {
                "pack": found.pack, "version": found.version, "episodes": found.episodes, "claims": found.claims,
                "difference": found.difference, "kept": found.kept, "price": price and asdict(price),
            }
        )  # fmt: skip
    if price is not None:
        print_price(price)
    click.echo(
        f"{found.pack}@{found.version} over {counted(found.episodes, 'episodes')}: {counted(found.claims, 'claims')}"
    )
    print_difference(found.difference, examples)
    click.echo(f"made by no pack, and unchanged: {found.kept}\nnothing was written")


def _apply(scope: MemoryScope, pack: str, *, yes: bool, by: str, reason: str, as_json: bool) -> None:
    if not yes:
        seen = scope.replay(pack, preview=True)
        show(seen, replay=True)
        if not seen.changes_beliefs:
            return
        click.confirm("Replace the beliefs?", abort=True)
    done = scope.replay(pack, by=by, reason=reason)
    print_json(done) if as_json else show(done, replay=True)


def _pack(wanted: str, parts: Parts) -> AnyPack:
    asked = _VERSIONED.fullmatch(wanted)
    pack = for_model(named(asked["name"] if asked else wanted, parts.settings.rules), parts)
    if asked and pack.version != int(asked["version"]):
        raise Incorrect(
            f"the pack {asked['name']!r} has version {pack.version} here, not {asked['version']}",
            hint="name the folder that holds the other version",
        )
    return pack
