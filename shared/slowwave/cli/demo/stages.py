"""Stages of a long command: a progress bar and the time taken for each; plain lines if output is not a terminal."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from slowwave.errors import Unavailable
from slowwave.formatting.quantities import seconds
from slowwave.runtime import clock

LOOK_SECONDS = 0.1

Advance = Callable[[int], None]
"""A function that takes the amount of the stage that is done so far."""


class Stages:
    """Runs stages in sequence, and records the time of each."""

    def __init__(self, console: Console) -> None:
        self.took: dict[str, float] = {}
        self._console = console

    def say(self, sentence: str) -> None:
        """Print a sentence between the stages."""
        self._console.print(sentence)

    @contextmanager
    def stage(self, name: str, *, total: int | None = None) -> Iterator[Advance]:
        """Give a function to report how much of *total* is done; without *total*, there is no progress bar."""
        began = clock.monotonic()
        columns = [SpinnerColumn(), TextColumn("{task.description}"), BarColumn(bar_width=28)]
        columns += [MofNCompleteColumn()] if total is not None else []
        with Progress(
            *columns, TimeElapsedColumn(), console=self._console, transient=True, disable=not self._console.is_terminal
        ) as progress:
            task = progress.add_task(name, total=total)
            yield lambda done: progress.update(task, completed=done)
        self.took[name] = clock.monotonic() - began
        self._console.print(f"{'✓' if self._console.is_terminal else '-'} {name}, {seconds(self.took[name])}")


def wait(look: Callable[[], bool], *, timeout_seconds: float, otherwise: Callable[[], Unavailable]) -> None:
    """Return once *look* returns True. Raises the error from *otherwise* after *timeout_seconds*."""
    end = clock.monotonic() + timeout_seconds
    while not look():
        if clock.monotonic() > end:
            raise otherwise()
        time.sleep(LOOK_SECONDS)
