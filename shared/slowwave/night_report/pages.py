"""HTML pages about nights: a page as a string, and a folder of pages."""

import os
import re
import tempfile
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from slowwave.domain.night_report import NightReport
from slowwave.errors import Incorrect
from slowwave.night_report import contents
from slowwave.runtime.extras import needed

if TYPE_CHECKING:
    import jinja2

_NIGHT = re.compile(r"\.?(\d{4}-\d\d-\d\d)\.")
"""The beginning of the name of a page, or of a page whose writing was interrupted."""


def page(report: NightReport) -> str:
    """Return a night as an HTML page, with all quoted words escaped."""
    return _template().render(report=report, tonight=report.tonight, contents=contents)


@dataclass(frozen=True, slots=True)
class Pages:
    """A folder of pages, with one folder per tenant. Only the owner of the folder may read it: pages quote episodes."""

    folder: Path

    def write(self, report: NightReport, oldest: date | None = None) -> Path:
        """Write the page of a night, and delete the tenant's pages from before *oldest*. Return the path of the page.

        An earlier page of the same night is replaced. Raises `Incorrect` if the page cannot be written.
        """
        path = write(report, self._home(report.tenant) / f"{report.night}.html")
        for page in self.of(report.tenant) if oldest else ():
            if (night := _NIGHT.match(page.name)) and night[1] < str(oldest):
                page.unlink(missing_ok=True)
        return path

    def of(self, tenant: str) -> list[Path]:
        """Return the paths of a tenant's pages, also of pages whose writing was interrupted."""
        return list(self._home(tenant).glob("*.html"))

    def _home(self, tenant: str) -> Path:
        return self.folder / quote(tenant, safe=" @+,").replace(".", "%2E")


def write(report: NightReport, path: Path) -> Path:
    """Write the page of a night to *path*, atomically. Raises `Incorrect` if it cannot be written."""
    text = page(report)
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", dir=path.parent, prefix=f".{path.stem}.", suffix=".html", delete=False
        ) as file:
            file.write(text)
        os.replace(file.name, path)
    except OSError as error:
        raise Incorrect(
            f"the report cannot be written to {path}: {error.strerror}", hint="name a folder that can be written"
        ) from error
    return path


@cache
def _template() -> "jinja2.Template":
    with needed():
        import jinja2
    text = (Path(__file__).parent / "page.html.j2").read_text(encoding="utf-8")
    made = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    made.filters.update(
        number=contents.number, seconds=contents.seconds, clipped=contents.clipped, money=contents.money
    )
    return made.from_string(text)
