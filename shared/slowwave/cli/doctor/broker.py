"""The doctor's lines about Redis: whether Redis is reachable, and whether it may evict messages."""

from slowwave.cli.doctor.line import Line, looking_at
from slowwave.formatting import counted


def broker(url: str | None) -> list[Line]:
    """Return the lines about the broker. A missing broker is not a problem: workers poll for work."""
    if url is None:
        return [Line("broker", "not set: workers find work by polling")]
    from slowwave.broker import queue  # Celery takes a second to import

    lines: list[Line] = []
    with looking_at("broker", lines):
        queue.configure(url)
        queue.refuse_evicting_broker(url)
        lines.append(Line("broker", f"answers, evicts nothing, {counted(queue.depth(), 'messages')} waiting"))
    return lines
