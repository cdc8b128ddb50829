"""HTML pages about nights: a page as a string, and a folder of pages."""

import os
import re
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from functools import cache
from html import unescape
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
        """Return the paths of a tenant's pages, also of pages whose writing was interrupted.

        Raises `Incorrect` if this system user cannot list the folder.
        """
        home = self._home(tenant)
        try:
            return sorted(home / name for name in os.listdir(home) if name.endswith(".html"))
        except FileNotFoundError:
            return []
        except OSError as error:
            raise _refused("listed", home, error) from error

    def texts(self, tenant: str) -> Iterator[str]:
        """Yield the text of each page of a tenant. Raises `Incorrect` if this system user cannot read a page."""
        for path in self.of(tenant):
            try:
                yield unescape(path.read_text(encoding="utf-8", errors="replace"))
            except FileNotFoundError:  # deleted meanwhile
                continue
            except OSError as error:
                raise _refused("read", self._home(tenant), error) from error

    def deletable(self, tenant: str) -> list[Path]:
        """Return the paths of a tenant's pages. Raises `Incorrect` if this system user cannot delete them."""
        if (pages := self.of(tenant)) and not os.access(home := self._home(tenant), os.W_OK | os.X_OK):
            raise _refused("deleted", home)
        return pages

    def delete(self, tenant: str, page_of: Callable[[date], NightReport] | None = None) -> int:
        """Delete a tenant's pages, or write them again with the reports that *page_of* returns; return their number.

        Raises `Incorrect` if this system user cannot delete the pages.
        """
        pages = self.deletable(tenant)
        for path in pages:
            if page_of is not None and (night := _night(path)) is not None:
                write(page_of(night), path)
                continue
            try:
                path.unlink(missing_ok=True)
            except OSError as error:
                raise _refused("deleted", self._home(tenant), error) from error
        return len(pages)

    def _home(self, tenant: str) -> Path:
        return self.folder / quote(tenant, safe=" @+,").replace(".", "%2E")


def _night(path: Path) -> date | None:
    """Return the night of a page that was written completely, or None."""
    try:
        return date.fromisoformat(path.stem)
    except ValueError:
        return None


def require_template() -> None:
    """Raise `Incorrect` if a package that writes pages is missing."""
    _template()


def _refused(what: str, folder: Path, error: OSError | None = None) -> Incorrect:
    reason = f": {error.strerror}" if error is not None and error.strerror else ""
    return Incorrect(
        f"the pages of night reports in {folder} cannot be {what}{reason}",
        hint="ask as the system user of the worker that writes them, or change the rights of the folder",
    )


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
