"""The report of a night: an HTML page without scripts and external files."""

from slowwave.night_report.pages import Pages, page, require_template, write

__all__ = ["Pages", "page", "require_template", "write"]
