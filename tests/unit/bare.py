"""Code that runs in an interpreter without some packages, or without modules that Windows lacks."""

import os
import subprocess
import sys
from collections.abc import Sequence

_BLOCK = """
import sys
for name in {absent!r}:
    for each in [each for each in sys.modules if each.startswith(name + ".")]:
        del sys.modules[each]
    sys.modules[name] = None
"""
_WINDOWS = """
import os
for name in ("geteuid", "getuid", "getegid", "getgid", "register_at_fork", "fork", "fchmod", "fchown", "chown",
             "O_NOFOLLOW", "getppid"):
    if hasattr(os, name):
        delattr(os, name)
"""
POSIX = ("fcntl", "pwd", "grp", "resource", "termios")


def run(code: str, *, absent: Sequence[str] = (), windows: bool = False) -> str:
    """Return the output of *code* in an interpreter without the packages *absent*."""
    block = _BLOCK.format(absent=sorted({*absent, *(POSIX if windows else ())}))
    here = {name: value for name, value in os.environ.items() if not name.startswith("SLOWWAVE_")}
    here["PYTHONPATH"] = os.pathsep.join(sys.path)
    done = subprocess.run(
        [sys.executable, "-c", block + (_WINDOWS if windows else "") + code], env=here, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def refused(code: str, *, absent: Sequence[str] = (), windows: bool = False) -> str:
    """Return the message of the `Incorrect` that *code* ends with."""
    indented = "\n".join(f"    {line}" for line in code.splitlines())
    asked = f"from slowwave import Incorrect\ntry:\n{indented}\nexcept Incorrect as error:\n    print(error)"
    return run(asked, absent=absent, windows=windows)
