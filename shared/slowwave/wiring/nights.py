"""The writer of pages about nights, where a folder for them is set."""

from collections.abc import Callable
from pathlib import Path

from slowwave.domain.nights.night import NightReport


def page_writer(folder: Path | None) -> Callable[[NightReport], object] | None:
    """Return what writes pages to a *folder*; None where none is named. Raises `Incorrect` without a package."""
    if folder is None:
        return None

    def write(report: NightReport) -> object:
        from slowwave.report import Pages  # jinja2 is needed by who writes pages, and by nobody else

        return Pages(folder).write(report)

    return write
