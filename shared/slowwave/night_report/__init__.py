"""The report of a night: an HTML page without scripts and external files."""

from slowwave.night_report.pages import Pages, page, write

__all__ = ["Pages", "page", "write"]
