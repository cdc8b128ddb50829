"""The results of a benchmark, as a table."""

import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")


@dataclass(slots=True)
class Figures:
    """Rows of name, value and unit, in the order of measurement. A ratio has no unit."""

    title: str
    rows: list[dict[str, str | float]] = field(default_factory=list)

    def add(self, name: str, value: float, unit: str = "") -> float:
        """Add a row; return the value."""
        self.rows.append({"bench": self.title, "name": name, "value": round(value, 3), "unit": unit})
        return value

    def timed(self, name: str, act: Callable[[], object], rounds: int) -> None:
        """Add the median and the 95th percentile of the duration of *act*, over *rounds* calls after one warm-up."""
        act()
        times = [1000 * timed(act)[0] for _ in range(rounds)]
        self.add(f"{name}, median", statistics.median(times), "ms")
        self.add("  95 of 100", statistics.quantiles(times, n=20, method="inclusive")[18], "ms")

    def table(self) -> str:
        """Return the rows as aligned text."""
        lines = [f"{row['name']!s:52} {row['value']:>12,} {row['unit']}".rstrip() for row in self.rows]
        return "\n".join([self.title, *(f"  {line}" for line in lines)])


def timed(act: Callable[[], T]) -> tuple[float, T]:
    """Return the seconds that a call of *act* takes, and its result."""
    started = time.perf_counter()
    result = act()
    return time.perf_counter() - started, result


@contextmanager
def home_of_services() -> Iterator[Path]:
    """Yield a new folder for the data of services, on a disk."""
    with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="slowwave-bench-") as home:
        Path(home).chmod(0o755)
        yield Path(home)
