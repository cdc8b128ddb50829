"""The contents of a page about a night: its sentences, and its charts in SVG units."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta

from slowwave.domain.job_table import ARCHIVE, DECAY, INSTALLATION, PREPARE, PROMOTE
from slowwave.domain.night_report import NightReport, PackNight, Trend
from slowwave.domain.overview import PastRun
from slowwave.formatting import counted

WIDTH, HEIGHT = 224.0, 48.0
GAP = 4.0
LEAST = 1.5
"""The minimum height of a bar for a value above 0."""
KINDS = {
    "changed": "Beliefs that new words replaced or ended.",
    "learned": "New beliefs.",
    "promoted": "Facts proven in one channel, and now known in all channels.",
    "faded": "Facts that faded below the threshold of belief.",
    "archived": "Facts archived together with their conversations.",
    "withdrawn": "Facts whose support no longer holds.",
}
"""The outcomes of decisions, in the order of the page. Confirmations are counted, but not shown."""
_LONGEST = 240
_OF_EVERY_JOB = ("runs", "milliseconds")


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar of a chart: its left and upper edge, its width and height, and its label."""

    x: float
    y: float
    width: float
    height: float
    says: str


def bars(values: Sequence[float], says: Sequence[str]) -> list[Bar]:
    """Return a bar for each of *values*. The highest bar fills the chart; a bar for 0 has the height 0.

    >>> [bar.height for bar in bars([0, 2, 4], ["none", "two", "four"])]
    [0.0, 24.0, 48.0]
    """
    most = max(values, default=0) or 1
    width = (WIDTH + GAP) / max(len(values), 1) - GAP
    heights = [max(LEAST, round(HEIGHT * value / most, 1)) if value else 0.0 for value in values]
    return [
        Bar(round(number * (width + GAP), 1), round(HEIGHT - height, 1), round(width, 1), height, says[number])
        for number, height in enumerate(heights)
    ]


@dataclass(frozen=True, slots=True)
class Chart:
    """The trend of one number: its name, tonight's value in words, the mean of earlier nights, and the bars."""

    name: str
    tonight: str
    before: str
    bars: list[Bar]


def headline(report: NightReport) -> str:
    """Return the night in one sentence."""
    came = report.tonight.total("episodes", PREPARE)
    parts = [f"{number(report.decided[what])} {what}" for what in KINDS if report.decided.get(what)]
    if parts:
        first, _, what = parts[0].partition(" ")
        parts[0] = f"{first} {'belief was' if first == '1' else 'beliefs were'} {what}"
    text = "nothing came in" if not came else f"{number(came)} {'episode' if came == 1 else 'episodes'} came in"
    sentence = f"{listed(parts)}; {text}" if parts else text
    return f"{sentence[0].upper()}{sentence[1:]}."


def canaries(report: NightReport) -> list[str]:
    """Return a sentence for each canary that read in the night, with the rates of the installed version beside it."""
    return [
        f"The canary {one.canary.pack}@{one.canary.version} read in {counted(one.canary.scopes, 'scopes')}, in "
        f"{counted(one.canary.runs, 'runs')}. {_rates(one.canary)}{_beside(one.installed)}. `slowwave canary status "
        f"{one.canary.pack}` compares the facts of both versions from the same episodes."
        for one in report.canaries
    ]


def _rates(one: PackNight) -> str:
    """Return what a version of a pack decided for 100 episodes, as text."""
    learned, changed = (100 * count / max(one.episodes, 1) for count in (one.learned, one.changed))
    return (
        f"From 100 episodes, {one.pack}@{one.version} learned {learned:.0f} beliefs and changed or ended {changed:.0f}"
    )


def _beside(installed: PackNight | None) -> str:
    return "" if installed is None else f"; {_rates(installed).replace('From', 'from')}"


def charts(report: NightReport) -> list[Chart]:
    """Return the trends of a page. The cost of models is left out if no night has model calls."""
    found = [
        _chart(report, "changed or ended", lambda one: one.total("update") + one.total("delete") - _put_away(one)),
        _chart(report, "learned", lambda one: one.total("add") - one.total("add", PROMOTE)),
        _chart(report, "came in", lambda one: one.total("episodes", PREPARE)),
        _chart(report, "promoted", lambda one: one.total("add", PROMOTE)),
        _chart(report, "faded or archived", _put_away),
        _chart(report, "recalls", lambda one: one.recalls),
    ]
    if any(one.cost.calls for one in report.trend):
        found.append(_chart(report, "tokens of models", lambda one: one.cost.tokens))
        found.append(_chart(report, "money for models", lambda one: one.cost.money, money))
    return found


def jobs(report: NightReport) -> Iterator[tuple[str, int, str, str]]:
    """Yield each job that ran: its name, the number of its runs, their total duration, and the sums of their counts."""
    for job, counts in report.tonight.counts.items():
        totals = [f"{number(count)} {name}" for name, count in counts.items() if count and name not in _OF_EVERY_JOB]
        yield job, counts["runs"], seconds(counts["milliseconds"] / 1000), ", ".join(totals) or "nothing new"


def place(run: PastRun) -> str:
    """Return the scope or slice of a run, as text."""
    if run.scope is not None:
        return " / ".join((run.scope.user, run.scope.agent, run.scope.channel))
    return "the installation" if run.job in INSTALLATION else f"slice {run.slice}"


def number(value: float) -> str:
    """Return a number with a thin space between its thousands.

    >>> number(1234567)
    '1\\u202f234\\u202f567'
    """
    return f"{value:,.0f}".replace(",", "\u202f")


def money(value: float) -> str:
    """Return an amount of money, rounded to cents if it is above 1."""
    return f"{value:,.2f}".replace(",", "\u202f") if value >= 0.01 or not value else f"{value:.4f}"


def seconds(value: float | timedelta | None) -> str:
    """Return a duration as text, in a unit that fits its length.

    >>> seconds(0.042), seconds(75), seconds(timedelta(hours=5)), seconds(None)
    ('42 ms', '1 min 15 s', '5 h', '–')
    """
    if value is None:
        return "–"
    took = value.total_seconds() if isinstance(value, timedelta) else value
    if took < 1:
        return f"{took * 1000:.0f} ms"
    if took < 60:
        return f"{took:.1f} s"
    minutes, rest = divmod(round(took), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    if hours < 48:
        return f"{hours} h {minutes} min" if minutes else f"{hours} h"
    return counted(hours // 24, "days")


def clipped(text: str) -> str:
    """Return a text on one line, cut to the length of a report's lines."""
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1].rstrip() + "…"


def listed(parts: list[str]) -> str:
    """Return words with commas and an "and" between them.

    >>> listed(["1 learned", "2 changed", "3 faded"])
    '1 learned, 2 changed and 3 faded'
    """
    return " and ".join((", ".join(parts[:-1]), parts[-1])) if len(parts) > 1 else "".join(parts)


def _put_away(one: Trend) -> int:
    return one.total("delete", DECAY, ARCHIVE)


def _chart(
    report: NightReport, name: str, of: Callable[[Trend], float], words: Callable[[float], str] = number
) -> Chart:
    values = [float(of(one)) for one in report.trend]
    earlier = values[:-1]
    says = [f"{one.night:%-d %b}: {words(value)}" for one, value in zip(report.trend, values, strict=True)]
    mean = sum(earlier) / len(earlier)
    return Chart(name, words(values[-1]), f"{words(mean)} a night before", bars(values, says))
