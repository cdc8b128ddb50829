"""The statements that read better as SQL: one `.sql` file each, in `sql/`."""

from functools import cache
from pathlib import Path


@cache
def sql(name: str) -> str:
    """Return the text of `sql/<name>.sql`; parameters are written `%(name)s`."""
    return (Path(__file__).parent / f"{name}.sql").read_text(encoding="utf-8")
