"""A table for the console, printed without spaces at the ends of lines."""

from rich.console import Console, ConsoleOptions, RenderResult
from rich.segment import Segment
from rich.table import Table


class Trimmed(Table):
    """A table without spaces at the ends of its lines."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Give the table's lines."""
        drawn = super().__rich_console__(console, options)
        for line in Segment.split_lines(part for part in drawn if isinstance(part, Segment)):
            while line and not line[-1].text.strip():
                line.pop()
            if line:
                line[-1] = Segment(line[-1].text.rstrip(), line[-1].style)
            yield from line
            yield Segment.line()
