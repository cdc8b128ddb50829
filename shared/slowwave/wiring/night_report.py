"""The writer of night reports, if a folder for them is set."""

from collections.abc import Callable
from pathlib import Path

from slowwave.domain.night_report.night import NightReport


def page_writer(folder: Path | None) -> Callable[[NightReport], object] | None:
    """Return the writer of pages to *folder*; None without a folder. Raises `Incorrect` if a package is missing."""
    if folder is None:
        return None

    def write(report: NightReport) -> object:
        from slowwave.night_report import Pages  # only writers of pages need jinja2

        return Pages(folder).write(report)

    return write
