"""`slowwave undo` and `correct`: the withdrawal of beliefs that a run, a delta, a pack or a wrong fact added."""

from collections.abc import Mapping, Sequence
from datetime import datetime

import click

from slowwave.cli.options import in_tenant, json_option, opened, tenant_option
from slowwave.cli.options.choices import Instant, by_option, reason_option
from slowwave.cli.printing import cell, day, one_line, owner_text, print_json, print_listing, short, utc
from slowwave.domain.scope import GLOBAL_CHANNEL
from slowwave.domain.undo import Belief, Undone
from slowwave.formatting import counted
from slowwave.memory import Memory
from slowwave.wiring import Parts

_SAME = "the pack makes the same claims as before"
_STILL = "other words support the facts too, or they are not believed any more"


def show(done: Undone, *, replay: bool = False, examples: int | None = None) -> None:
    """Print the changes, the later runs that built on undone beliefs, and how to revert the undo, or the *replay*.

    With *examples*, print the number of changes of each kind, and at most *examples* of these changes.
    """
    would = "would be " if done.preview else ""
    otherwise = [f"{belief_text(change.after)}; before: {_time(change.before)}" for change in done.changed]
    print_changes({
        f"{would}no longer believed": [belief_text(belief) for belief in done.withdrawn],
        f"{would}believed {'now' if replay else 'again'}": [belief_text(belief) for belief in done.restored],
        f"{would}believed otherwise": otherwise,
    }, examples)  # fmt: skip
    if examples is not None:
        click.echo(f"in {counted(len(done.scopes), 'scopes')}")
    if not done.changes_beliefs and not done.skipped:
        click.echo(f"no fact changes: {_SAME if replay else _STILL}")
    for run in done.built_on[:examples]:
        click.echo(f"built on it: run {run.run} of {run.job} by {run.pack}, {utc(run.started)}; decided again")
    for one in done.skipped:
        click.echo(f"skipped: {one_line(owner_text(one.scope))}: {one_line(one.problem)}\n  hint: {one_line(one.hint)}")
    if done.unsure:
        click.echo(f"{counted(done.unsure, 'facts')} stay as they are: words behind them were erased")
    if done.corrected:
        click.echo(f"believed instead: {short(done.corrected)}")
    if done.preview:
        asked = "nothing is written yet" if done.changes_beliefs else "nothing is written"
        click.echo(asked if replay else "nothing is written: leave out --preview to write this")
    elif done.id:
        click.echo(
            f"{one_line(done.what)} is {'done' if replay else 'undone'}: `slowwave undo {done.id}` takes it back"
        )


def print_changes(changes: Mapping[str, Sequence[str]], examples: int | None = None) -> None:
    """Print each line of *changes* with its heading. With *examples*, print counts, and at most *examples* of each."""
    for heading, lines in changes.items():
        if examples is not None:
            click.echo(f"{heading}: {len(lines)}")
        for line in lines[:examples]:
            click.echo(f"{heading}: {line}" if examples is None else f"  {line}")


def belief_text(belief: Belief) -> str:
    """Return a belief on one line, with its valid time and its scope."""
    return f"{one_line(belief.text)} ({_time(belief)}; {one_line(owner_text(belief.scope))})"


def _time(belief: Belief) -> str:
    return f"since {day(belief.valid_from) or 'always'}" + (f" until {day(belief.valid_to)}" if belief.valid_to else "")


@click.command
@click.argument("what", default="", metavar="[WHAT]")
@click.option(
    "--since",
    type=Instant(),
    help="Undo the decisions of all runs since this time; if WHAT is a pack, only the decisions of its runs.",
)
@click.option("--user", metavar="NAME", help="Only in this user's memory.")
@click.option("--agent", metavar="NAME", help="Only in this agent's memory; without it, the agent `default`.")
@click.option("--channel", metavar="NAME", help="Only in this channel; without it, the channel _global.")
@by_option("The person who undoes it.")
@reason_option
@click.option("--preview", is_flag=True, help="Show what would change, and write nothing.")
@click.option("--list", "listed", is_flag=True, help="List the latest undos instead.")
@tenant_option
@json_option
def undo_command(
    what: str, since: datetime | None, user: str | None, agent: str | None, channel: str | None, by: str, reason: str,
    preview: bool, listed: bool, tenant: str | None, as_json: bool,
) -> None:  # fmt: skip
    """Undo WHAT: new deltas change the facts as if WHAT had never happened. No stored delta changes.

    WHAT is the number of a run, the id of a delta, PACK@VERSION for all runs of that version, or an earlier undo, named
    by its id or run. Later runs may have built on WHAT. The output names these runs; Slowwave decides their claims
    again, but reads no episode again.
    """
    if user is None and (agent or channel):
        raise click.UsageError("--agent and --channel need --user")
    if listed and (what or since):
        raise click.UsageError("--list shows every undo: leave out WHAT and --since")
    with opened(tenant) as parts:
        memory = Memory(parts)
        scope = None if user is None else memory.scope(user, agent=agent, channel=channel or GLOBAL_CHANNEL)
        if listed:
            return print_listing(
                memory.undos() if scope is None else scope.undos(), as_json=as_json, none="there are no undos",
                columns=["undo", "when", "what", "by", "reason", "state", "withdrew", "restored", "changed"],
                row=lambda one: [
                    short(one.id) if one.id else "", utc(one.at), cell(one.what), cell(one.by), cell(one.reason),
                    one.state, str(len(one.withdrawn)), str(len(one.restored)), str(len(one.changed)),
                ],
            )  # fmt: skip
        undo = memory.undo if scope is None else scope.undo
        done = undo(what or None, since=since, by=by, reason=reason, preview=preview)
    print_json(done) if as_json else show(done)


@click.command
@click.argument("fact")
@click.argument("object", default="", metavar="[RIGHT]")
@by_option("The person who corrects it.")
@reason_option
@click.option("--preview", is_flag=True, help="Show what would change, and write nothing.")
@in_tenant
@json_option
def correct_command(
    fact: str, object: str, by: str, reason: str, preview: bool, parts: Parts, as_json: bool
) -> None:  # fmt: skip
    """Undo the wrong FACT and everything derived from it; with RIGHT, add the same fact with RIGHT as its object.

    FACT is an id from `slowwave facts`, or the beginning of the id. The facts that FACT had replaced are believed
    again. For a statement, RIGHT is the whole right sentence.
    """
    memory = Memory(parts)
    id_ = parts.records.fact(parts.settings.tenant, fact)
    owner = memory.why(id_).scope
    assert owner
    scope = memory.scope(owner.user, agent=owner.agent, channel=owner.channel)
    done = scope.correct(id_, object or None, by=by, reason=reason, preview=preview)
    print_json(done) if as_json else show(done)
