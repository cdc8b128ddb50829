"""Hosts of their own on one machine: network namespaces on a bridge, whose links can be cut in one direction or both.

Only root may make them. Nothing of them reaches a network: the bridge joins them to this machine alone.
"""

import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Literal

Cut = Literal["down", "deaf", "mute"]
"""The cuts of a link: *down* loses both directions, *deaf* the incoming one, *mute* the outgoing one."""
CUTS: tuple[Cut, ...] = ("down", "deaf", "mute")
_INSIDE = "eth0"


@dataclass(frozen=True)
class Host:
    """A network namespace, and the end of its link that is at the bridge."""

    name: str
    link: str

    def command(self, command: Sequence[str]) -> list[str]:
        """Return the command that runs *command* on this host."""
        return ["ip", "netns", "exec", self.name, *command]

    def cut(self, how: Cut) -> None:
        """Cut its link in this way until it is mended."""
        if how == "down":
            _run("ip", "link", "set", self.link, "down")
        elif how == "deaf":
            _run("tc", "qdisc", "replace", "dev", self.link, "root", "blackhole")
        else:
            _run(*self.command(["tc", "qdisc", "replace", "dev", _INSIDE, "root", "blackhole"]))

    def mend(self) -> None:
        """Restore the link after any cut."""
        for sound in (["tc", "qdisc", "replace", "dev", self.link, "root", "pfifo"],
                      self.command(["tc", "qdisc", "replace", "dev", _INSIDE, "root", "pfifo"]),
                      ["ip", "link", "set", self.link, "up"]):  # fmt: skip
            _run(*sound)


@contextmanager
def joined(count: int) -> Iterator[tuple[str, list[Host]]]:
    """Give the address of this machine on a bridge, and *count* hosts that reach nothing else."""
    tag = f"slow{os.getpid() % 1_000_000}"
    network = f"198.18.{os.getpid() % 250}"  # addresses reserved for documentation and tests of networks
    with ExitStack() as undo:
        bridge = f"{tag}b"
        _run("ip", "link", "add", bridge, "type", "bridge")
        undo.callback(_run, "ip", "link", "del", bridge)
        _run("ip", "address", "add", f"{network}.1/24", "dev", bridge)
        _run("ip", "link", "set", bridge, "up")
        hosts = []
        for number in range(count):
            host = Host(f"{tag}n{number}", f"{tag}v{number}")
            _run("ip", "netns", "add", host.name)
            undo.callback(_run, "ip", "netns", "del", host.name)
            _run("ip", "link", "add", host.link, "type", "veth", "peer", "name", _INSIDE, "netns", host.name)
            undo.callback(_run, "ip", "link", "del", host.link)
            _run("ip", "link", "set", host.link, "master", bridge, "up")
            _run(*host.command(["ip", "address", "add", f"{network}.{number + 2}/24", "dev", _INSIDE]))
            for inside in ("lo", _INSIDE):
                _run(*host.command(["ip", "link", "set", inside, "up"]))
            hosts.append(host)
        yield f"{network}.1", hosts


def lacking() -> str:
    """Return the missing requirements for network namespaces on this machine, or nothing."""
    try:
        with joined(1) as (_, (host,)):
            for how in CUTS:
                host.cut(how)
            host.mend()
    except (FileNotFoundError, OSError, AssertionError) as error:
        return str(error)
    return ""


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(command)}: {done.stderr.strip()}"
