"""The sleep report: a night as an HTML page that needs nothing else, neither script nor network."""

from slowwave.night_report.pages import Pages, page, write

__all__ = ["Pages", "page", "write"]
