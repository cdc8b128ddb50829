"""The user that runs the servers: the current user, or an unprivileged user for root, because Postgres refuses root."""

import os
import stat
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from slowwave.errors import Incorrect
from slowwave.runtime.extras import needed

with needed():
    import pwd

ENVIRONMENT = {"PATH": "/usr/bin:/bin", "TZ": "UTC", "LC_ALL": "C", "HOME": "/"}
UNPRIVILEGED = ("postgres", "nobody")


@dataclass(frozen=True, slots=True)
class Account:
    """A user that runs the servers. *switched* is True if this user is not the current user."""

    name: str
    uid: int
    gid: int
    switched: bool

    @classmethod
    def choose(cls, folder: Path) -> Self:
        """Return the account that runs (or will run) the servers of *folder*."""
        if os.geteuid() != 0:
            entry = _entry(os.geteuid())
            return cls(entry.pw_name, entry.pw_uid, os.getegid(), switched=False)
        nearest = next(each for each in (folder, *folder.parents) if each.exists())
        entry = _unprivileged(owner=nearest.stat().st_uid)
        return cls(entry.pw_name, entry.pw_uid, entry.pw_gid, switched=True)

    def run(self, command: Sequence[str], **streams: Any) -> "subprocess.CompletedProcess[bytes]":
        """Run a program as this account, in the root folder and with the environment of servers."""
        identity: dict[str, Any] = {"user": self.uid, "group": self.gid, "extra_groups": []} if self.switched else {}
        return subprocess.run(command, check=False, env=ENVIRONMENT, cwd="/", **identity, **streams)

    def adopt(self, folder: Path) -> None:
        """Make *folder* private to this account (mode 0700).

        *folder* must not exist yet, or must be empty and owned by the current user, or must be owned by this account.
        """
        try:
            self._take(folder)
        except OSError as problem:
            raise Incorrect(
                f"The folder {folder} cannot be used by the user {self.name}: {problem.strerror}.",
                hint="choose a home that this user may write to, such as /var/tmp/slowwave",
            ) from problem
        self.require_way_to(folder)

    def settle_in(self, home: Path) -> None:
        """Prepare *home* for this account's folders.

        A new or empty folder is adopted; any other folder is left unchanged.
        """
        if home.is_dir() and os.access(home, os.R_OK | os.W_OK | os.X_OK) and any(home.iterdir()):
            self.require_way_to(home / "any")
        else:
            self.adopt(home)

    def require_way_to(self, path: Path) -> None:
        """Raise `Incorrect` if this account may not enter a folder above *path*."""
        if not self.switched:
            return  # the current user can reach the path already
        closed = next((folder for folder in reversed(path.parents) if not self._may(folder, 0o1)), None)
        if closed is not None:
            raise Incorrect(
                f"The user {self.name}, which runs the servers, may not enter {closed}, a parent folder of {path}.",
                hint="choose a home whose parent folders every user may enter, such as /var/tmp/slowwave",
            )

    def may_read(self, paths: Iterable[Path]) -> bool:
        """Return whether this account can open all of *paths*, according to their permission bits."""
        return not self.switched or all(
            self._may(path, 0o4) and all(self._may(folder, 0o1) for folder in {*path.parents, *path.resolve().parents})
            for path in paths
        )

    def give(self, handle: int) -> None:
        """Give an open file to this account."""
        if self.switched:
            os.fchown(handle, self.uid, self.gid)

    def _take(self, folder: Path) -> None:
        if not folder.exists() and not folder.is_symlink():
            folder.parent.mkdir(parents=True, exist_ok=True)
            folder.mkdir(mode=0o700, exist_ok=True)  # another process may have done this first
        found = folder.lstat()
        if found.st_uid == os.geteuid() and stat.S_ISDIR(found.st_mode) and not any(folder.iterdir()):
            self._give_folder(folder)
        found = folder.lstat()  # check again, because the owner may have changed
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != self.uid:
            raise Incorrect(
                f"{folder} does not belong to the user {self.name}, which runs the servers.",
                hint="choose a folder that does not exist yet, or start as its owner",
            )
        if stat.S_IMODE(found.st_mode) & 0o077:
            folder.chmod(0o700)

    def _give_folder(self, folder: Path) -> None:
        if self.switched:
            os.chown(folder, self.uid, self.gid, follow_symlinks=False)  # another user may put a link there in /var/tmp

    def _may(self, path: Path, wanted: int) -> bool:
        found = path.stat()
        if found.st_uid == self.uid:
            return bool(found.st_mode >> 6 & wanted)
        if found.st_gid == self.gid:
            return bool(found.st_mode >> 3 & wanted)
        return bool(found.st_mode & wanted)


def _entry(uid: int) -> pwd.struct_passwd:
    try:
        return pwd.getpwuid(uid)
    except KeyError:
        raise Incorrect(
            f"The user number {uid} has no name on this machine, and Postgres refuses to run without one.",
            hint="add the user to /etc/passwd, or set SLOWWAVE_URL to a database you already run",
        ) from None


def _unprivileged(owner: int) -> pwd.struct_passwd:
    """Return the unprivileged user for servers that root starts.

    This is the user *owner* (the owner of the folder) if `UNPRIVILEGED` has this user, else the first user in
    `UNPRIVILEGED` that exists.
    """
    known = [entry for entry in pwd.getpwall() if entry.pw_name in UNPRIVILEGED]
    known.sort(key=lambda entry: (entry.pw_uid != owner, UNPRIVILEGED.index(entry.pw_name)))
    if not known:
        raise Incorrect(
            f"Postgres refuses to run as root, and this machine has none of the users {', '.join(UNPRIVILEGED)}.",
            hint="start as an ordinary user, or add a user named postgres",
        )
    return known[0]
