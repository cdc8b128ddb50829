"""One HTTP request without retries, within one time limit for all of it. It follows no redirect.

It needs only the standard library. The limit also ends a response that arrives very slowly.
"""

import http.client
import socket
import threading
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

from slowwave.errors import Unavailable
from slowwave.runtime import clock


def send_request(
    line: http.client.HTTPConnection,
    path: str,
    sent: bytes,
    headers: Mapping[str, str],
    *,
    host: str,
    timeout_seconds: float,
    most_bytes: int,
) -> tuple[int, Mapping[str, str], str]:
    """Return the status, headers and body (at most *most_bytes*) of the response to the request *sent*.

    It closes the connection *line*. Raises `Unavailable`, which names the *host*, if there is no response in time.
    """
    over = threading.Event()
    alarm = threading.Timer(timeout_seconds, _close_socket, (line, over))
    alarm.daemon = True
    alarm.start()
    try:
        line.request("POST", path, sent, dict(headers))
        with line.getresponse() as reply:
            raw = reply.read(most_bytes).decode("utf-8", "replace")
            if over.is_set():
                raise TimeoutError
            return reply.status, {name.lower(): value for name, value in reply.getheaders()}, raw
    except TimeoutError as error:
        raise Unavailable(f"{host} did not answer within {timeout_seconds:g} s") from error
    except (OSError, http.client.HTTPException) as error:
        if over.is_set():
            raise Unavailable(f"{host} did not answer within {timeout_seconds:g} s") from TimeoutError()
        raise Unavailable(f"{host} cannot be reached ({type(error).__name__})") from error
    finally:
        alarm.cancel()
        line.close()


def seconds_of(told: str | None) -> float | None:
    """Return the waiting time in a Retry-After header, which holds seconds or a date."""
    if not told:
        return None
    try:
        return max(0.0, float(told))
    except ValueError:
        pass
    try:
        return max(0.0, (parsedate_to_datetime(told) - clock.now()).total_seconds())
    except (ValueError, TypeError):
        return None


def _close_socket(line: http.client.HTTPConnection, over: threading.Event) -> None:
    over.set()
    try:
        if line.sock is not None:
            line.sock.shutdown(socket.SHUT_RDWR)
    except OSError:
        return  # it has ended by itself meanwhile
