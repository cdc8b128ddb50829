"""Times, shares and words formatted for a page."""

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any

from jinja2.filters import Markup, escape  # type: ignore[attr-defined]  # of the package it stands on

from slowwave.core.time_spans import BEGINNING
from slowwave.domain.explanation import Evidence
from slowwave.formatting import counted, language
from slowwave.validation_messages import in_a_line


def day(at: datetime | date | None) -> str:
    """Return the day of *at* in a readable form; `always` for the earliest time, `open` for None.

    >>> day(datetime(2026, 3, 2, 13, tzinfo=UTC))
    '2 Mar 2026'
    """
    if at is None:
        return "open"
    return "always" if at == BEGINNING else f"{at.day} {at:%b %Y}"


def when(at: datetime | None) -> Markup:
    """Return an instant as a machine-readable element, which shows the day, and the minute in UTC."""
    if at is None or at == BEGINNING:
        return escape(day(at))
    utc = at.astimezone(UTC)
    return Markup('<time datetime="{}">{}, {:%H:%M}<span class="zone"> UTC</span></time>').format(
        utc.isoformat(timespec="seconds"), day(utc), utc
    )


def on(at: datetime | None) -> Markup:
    """Return the day of an instant as a machine-readable element."""
    if at is None or at == BEGINNING:
        return escape(day(at))
    return Markup('<time datetime="{}">{}</time>').format(at.isoformat(timespec="seconds"), day(at))


def clock(at: datetime) -> str:
    """Return the minute of an instant, in UTC.

    >>> clock(datetime(2026, 3, 2, 13, 5, tzinfo=UTC))
    '13:05'
    """
    return f"{at.astimezone(UTC):%H:%M}"


def ago(at: datetime, now: datetime) -> str:
    """Return the time from *at* to *now* in words, in the largest unit that fits.

    >>> ago(datetime(2026, 3, 2, tzinfo=UTC), datetime(2026, 3, 4, 5, tzinfo=UTC))
    '2 days ago'
    """
    seconds = (now - at).total_seconds()
    for size, name in ((86_400, "days"), (3_600, "hours"), (60, "minutes")):
        if seconds >= size:
            return f"{counted(int(seconds // size), name)} ago"
    return "just now" if seconds >= 0 else "ahead"


def lasted(span: timedelta | None) -> str:
    """Return a length of time in its largest fitting unit; `goes on` for None.

    >>> lasted(timedelta(milliseconds=340)), lasted(timedelta(minutes=90))
    ('340 ms', '1.5 h')
    """
    if span is None:
        return "goes on"
    seconds = span.total_seconds()
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    for size, unit in ((86_400, "days"), (3_600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds / size:.1f}".removesuffix(".0") + f" {unit}"
    return f"{seconds:.1f} s"


def share(value: float | None) -> str:
    """Return a share from 0 to 1 in percent; return an empty text for None.

    >>> share(0.947)
    '95 %'
    """
    return "" if value is None else f"{value * 100:.0f} %"


def grouped(number: float) -> str:
    """Return a number with a thin space between its thousands.

    >>> grouped(12345)
    '12\\u202f345'
    """
    return f"{number:,.0f}".replace(",", "\u202f")


def marked(evidence: Evidence) -> Markup:
    """Return the content of an episode with the extracted words marked."""
    text, start, end = evidence.content, evidence.start, evidence.start + len(evidence.words)
    return Markup("{}<mark>{}</mark>{}").format(text[:start], text[start:end], text[end:])


def spaced(name: str) -> str:
    """Return a name in code as words: `lives_in` as `lives in`."""
    return name.replace("_", " ")


def several(count: int, name: str) -> str:
    """Return a count with its noun. *name* is the noun in the plural."""
    return counted(count, name)


def listed(counts: Mapping[str, int]) -> str:
    """Return counts by name as one line of words."""
    return ", ".join(f"{grouped(number)} {spaced(name)}" for name, number in counts.items() if number)


FILTERS: Mapping[str, Callable[..., Any]] = {
    "ago": ago, "clock": clock, "day": day, "grouped": grouped, "language": language, "lasted": lasted,
    "line": in_a_line, "listed": listed, "marked": marked, "on": on, "several": several, "share": share,
    "spaced": spaced, "when": when,
}  # fmt: skip
