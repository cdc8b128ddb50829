"""One HTTP request within a time limit, and a guard for addresses that users chose."""

import http.client
import ipaddress
import socket
import ssl
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Literal
from urllib.parse import SplitResult, urlsplit

from slowwave.domain.webhook import Answered
from slowwave.errors import Incorrect, Unavailable
from slowwave.runtime import clock

AllowedAddresses = Literal["public", "loopback", "private"]
Address = ipaddress.IPv4Address | ipaddress.IPv6Address
MOST_CHARACTERS = 2_000
ANSWER_BYTES = 4_096
_SETTING = "SLOWWAVE_WEBHOOKS"


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
    """Send *sent* as the body of a POST; return status, headers and body of the response, which is cut at *most_bytes*.

    The connection *line* is closed at the end. If no response comes in time, the function raises `Unavailable`, with
    the name *host* in the message.
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


def seconds_of(retry_after: str | None) -> float | None:
    """Return the seconds to wait from *retry_after*, the value of a Retry-After header: a number or a date."""
    if not retry_after:
        return None
    try:
        return max(0.0, float(retry_after))
    except ValueError:
        pass
    try:
        return max(0.0, (parsedate_to_datetime(retry_after) - clock.now()).total_seconds())
    except (ValueError, TypeError):
        return None


def _close_socket(line: http.client.HTTPConnection, over: threading.Event) -> None:
    over.set()
    try:
        if line.sock is not None:
            line.sock.shutdown(socket.SHUT_RDWR)
    except OSError:
        return  # the connection was closed meanwhile


@dataclass(frozen=True, slots=True)
class SsrfGuard:
    """Sends requests to addresses that users chose. *reach* are the allowed networks. Each request has a time limit.

    The guard resolves a name once, and requires that all its addresses are allowed. The request goes to the checked
    address, and a later DNS change has no effect. The guard follows no redirect.
    """

    reach: AllowedAddresses
    timeout_seconds: float

    def checked(self, url: str) -> str:
        """Return a valid *url*. Raises `Incorrect` with all problems of the URL.

        The host name is resolved at the request, not here.
        """
        problems = _problems(url)
        if not problems:
            address = urlsplit(url)
            here = address.hostname == "localhost" or _local(_literal(address.hostname or ""))
            if here and self.reach == "public":
                problems.append(f"url: leads to this host or a private network, which {_SETTING} does not allow")
            elif address.scheme == "http" and not (here or self.reach == "private"):
                problems.append("url: begins with http://, which only this host is told by; write https://")
        if problems:
            raise Incorrect.listing(
                "the webhook",
                problems,
                hint=f"write it like https://example.org/hook; {_SETTING} says which networks are allowed",
            )
        return url

    def post(self, url: str, sent: bytes, headers: Mapping[str, str]) -> Answered:
        """Return the response of *url* to the request *sent*, or the reason why there is no response."""
        parts = urlsplit(url)
        try:
            line = self._line(parts)
            path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
            status, response_headers, _ = send_request(
                line, path, sent, {"Host": parts.netloc.rpartition("@")[2], **headers}, host=parts.netloc,
                timeout_seconds=self.timeout_seconds, most_bytes=ANSWER_BYTES,
            )  # fmt: skip
        except Unavailable as error:
            return Answered(None, error.message)
        return Answered(status, f"the receiver answered {status}", seconds_of(response_headers.get("retry-after")))

    def _line(self, parts: SplitResult) -> http.client.HTTPConnection:
        host, secure = parts.hostname or "", parts.scheme == "https"
        port = parts.port or (443 if secure else 80)
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):
            raise Unavailable(f"{host} is not found") from None
        addresses = [ipaddress.ip_address(str(one[4][0]).partition("%")[0]) for one in found]
        if not addresses or not all(self._within(each, secure) for each in addresses):
            raise Unavailable(f"{host} leads to where {_SETTING} allows no webhook, or not without https")
        return _GuardedConnection(host, str(addresses[0]), port, self.timeout_seconds, secure)

    def _within(self, address: Address, secure: bool) -> bool:
        if address.is_loopback or (isinstance(address, ipaddress.IPv6Address) and _mapped(address).is_loopback):
            return self.reach != "public"
        if _local(address):
            return self.reach == "private"
        return secure or self.reach == "private"

    def __repr__(self) -> str:
        return f"<Guarded: {self.reach}>"


class _GuardedConnection(http.client.HTTPConnection):
    """A connection to one address, with the host name that resolved to it."""

    def __init__(self, host: str, address: str, port: int, timeout_seconds: float, secure: bool) -> None:
        super().__init__(host, port, timeout=timeout_seconds)
        self._address, self._secure = address, secure

    def connect(self) -> None:
        self.sock = socket.create_connection((self._address, self.port), self.timeout)
        if self._secure:
            self.sock = ssl.create_default_context().wrap_socket(self.sock, server_hostname=self.host)


def _problems(url: str) -> list[str]:
    if len(url) > MOST_CHARACTERS:
        return [f"url: has {len(url)} characters, at most {MOST_CHARACTERS} are allowed"]
    if not url.isascii() or any(ord(each) <= 32 for each in url):
        return ["url: holds blanks or characters that must be percent-encoded"]
    try:
        address = urlsplit(url)
        _ = address.port
    except ValueError:
        return ["url: not an address"]
    problems = [] if address.scheme in ("http", "https") and address.hostname else ["url: not an https address"]
    if address.username is not None or address.password is not None:
        problems.append("url: holds a name or a password; deliveries are signed instead")
    if address.fragment:
        problems.append("url: holds a #fragment, which is never sent")
    return problems


def _literal(host: str) -> Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def _mapped(address: ipaddress.IPv6Address) -> Address:
    return address.ipv4_mapped or address.sixtofour or address


def _local(address: Address | None) -> bool:
    """Return whether an address is not public: private, loopback, link-local or reserved."""
    if address is None:
        return False
    known = _mapped(address) if isinstance(address, ipaddress.IPv6Address) else address
    return not known.is_global or known.is_multicast
