"""The output of an undo: what it changed, or would change."""

from collections.abc import Sequence

import click

from slowwave.cli.printing import day, one_line, short, utc
from slowwave.domain.undo import Belief, Undone
from slowwave.formatting import counted


def show(done: Undone, *, replay: bool = False) -> None:
    """Print the changes, the later runs that built on undone beliefs, and how to revert the undo, or the *replay*."""
    would = "would be " if done.preview else ""
    _beliefs(f"{would}no longer believed", done.withdrawn)
    _beliefs(f"{would}believed {'now' if replay else 'again'}", done.restored)
    for change in done.changed:
        click.echo(f"{would}believed otherwise: {_line(change.after)}; before: {_time(change.before)}")
    if not done.changes_beliefs:
        click.echo(f"no belief changes: {_SAME if replay else _STILL}")
    for run in done.built_on:
        click.echo(f"built on it: run {run.run} of {run.job} by {run.pack}, {utc(run.started)}; decided again")
    if done.unsure:
        click.echo(f"{counted(done.unsure, 'beliefs')} stay as they are: words behind them were erased")
    if done.corrected:
        click.echo(f"believed instead: {short(done.corrected)}")
    if done.preview:
        asked = "nothing is written yet" if done.changes_beliefs else "nothing is written"
        click.echo(asked if replay else "nothing is written: leave out --preview to write this")
    elif done.id:
        click.echo(
            f"{one_line(done.what)} is {'done' if replay else 'undone'}: `slowwave undo {done.id}` takes it back"
        )


_SAME = "the pack makes the same claims as before"
_STILL = "other words support the facts too, or they are not believed any more"


def _beliefs(heading: str, beliefs: Sequence[Belief]) -> None:
    for belief in beliefs:
        click.echo(f"{heading}: {_line(belief)}")


def _line(belief: Belief) -> str:
    whose = f"{belief.scope.user}/{belief.scope.agent}/{belief.scope.channel}"
    return f"{one_line(belief.text)} ({_time(belief)}; {one_line(whose)})"


def _time(belief: Belief) -> str:
    return f"since {day(belief.valid_from) or 'always'}" + (f" until {day(belief.valid_to)}" if belief.valid_to else "")
