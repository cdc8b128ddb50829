"""Log lines of a process: names, actions and durations. A log line never has a user's words, passwords or parameters.

Only the entry point of a process configures logging; an import of the library does not. Records of other libraries are
filtered, too: Celery puts arguments, results, exceptions and whole messages into its records, and a driver's error
quotes values. A log line has only the type and the source line of an exception, never its message.
"""

import logging
import re
import sys
from collections.abc import MutableMapping
from types import TracebackType
from typing import Any, TextIO

import structlog

from slowwave.telemetry.tracing import current_work

WITHHELD = "…"
_ADDRESS = re.compile(r"(\w{1,20}://[^\s:/@]{0,255}):(?:(?!\w{1,20}://)[^\r\n]){0,512}@")
"""Matches an address with a password up to the last @ before another address, because a password may contain @ or
blanks.
"""
_PASSWORD = re.compile(
    r"(?i)((?:password|passwd|pwd|pw|requirepass|secret|token|api_key)['\"]?\s*[=:]\s*)"
    r"(?:'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|\S+)"
)
"""Matches the value after a word such as `password`, in connection strings and in JSON."""
_PLACEHOLDER = re.compile(r"%(\(\w+\))?[-+ #0]*\d*(\.\d+)?[a-zA-Z]")
_SPOKEN = {"args", "kwargs", "return_value", "traceback", "value"}
"""The fields of Celery's records that may contain text from the sender of a task."""
_FROM_INFO = ("celery", "kombu", "amqp", "redis", "asyncio")
_FROM_WARNING = ("alembic", "sqlalchemy")
_FRAMES = 3


def configure(level: str, *, process: str, stream: TextIO | None = None) -> None:
    """Log lines from *level* up to *stream* (by default, standard error). A line is text on a terminal, else JSON.

    Other libraries log from INFO up, because their DEBUG lines quote data.
    """
    stream = stream or sys.stderr
    terminal = stream.isatty()
    renderer = structlog.dev.ConsoleRenderer() if terminal else structlog.processors.JSONRenderer(ensure_ascii=False)
    before: list[Any] = [
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _with_origin,
        lambda _logger, _name, event: {**current_work(), **event},
    ]
    handler = logging.StreamHandler(stream)
    handler.addFilter(withhold)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=before,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                lambda _logger, _name, event: {"process": process, **{k: redacted(v) for k, v in event.items()}},
                renderer,
            ],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    for least, names in ((logging.INFO, _FROM_INFO), (logging.WARNING, _FROM_WARNING)):
        for name in names:
            logging.getLogger(name).setLevel(max(least, logging.getLevelName(level)))
    logging.captureWarnings(True)
    structlog.configure(
        processors=[*before, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
    )


def redacted(value: object) -> object:
    """Return *value* with passwords in addresses masked.

    >>> redacted("cannot reach postgresql://slowwave:s3cr@t word@db/slowwave")
    'cannot reach postgresql://slowwave:…@db/slowwave'
    >>> redacted("host=db pw='two words' user=x")
    'host=db pw=… user=x'
    """
    if not isinstance(value, str):
        return value
    return _PASSWORD.sub(rf"\1{WITHHELD}", _ADDRESS.sub(rf"\1:{WITHHELD}@", value))


def withhold(record: logging.LogRecord) -> bool:
    """Remove text from a record if the text may be a user's. Return True: this logging filter drops no record."""
    if record.name == "celery.redirected":
        record.msg, record.args = f"something printed {len(record.getMessage())} characters", ()
    elif record.name.startswith("celery.worker") and "body" in str(record.msg):
        record.msg, record.args = _PLACEHOLDER.sub(WITHHELD, str(record.msg).partition("\n")[0]), ()
    elif isinstance(record.args, dict):
        record.args = {name: _unspoken(name, value) for name, value in record.args.items()}
    elif record.args:
        record.args = tuple(_type(each) if isinstance(each, BaseException) else each for each in record.args)
    if record.exc_info and record.exc_info[0] is not None:
        record.msg, record.args = f"{record.getMessage()} ({_origin(record.exc_info)})", ()
    record.exc_info = record.exc_text = None
    record.__dict__.pop("data", None)
    return True


def _with_origin(_logger: object, _name: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    if event.pop("exc_info", None) and sys.exc_info()[0] is not None:
        event["error"] = _origin(sys.exc_info())
    return event


def _unspoken(name: str, value: object) -> object:
    if name == "exc":
        return _type(value) if isinstance(value, BaseException) else re.split(r"[(\s]", str(value), maxsplit=1)[0]
    return WITHHELD if name in _SPOKEN else value


def _origin(problem: Any) -> str:
    kind, _, frames = problem
    return f"{kind.__name__} at {_frames(frames)}"


def _frames(frames: TracebackType | None) -> str:
    lines = []
    while frames is not None:  # without the module `traceback`: Celery's tracebacks from other processes are imitations
        lines.append(f"{frames.tb_frame.f_code.co_filename.rpartition('/')[2]}:{frames.tb_lineno}")
        frames = frames.tb_next
    return " > ".join(lines[-_FRAMES:]) or "an unknown line"


def _type(error: BaseException) -> str:
    return type(error).__name__
