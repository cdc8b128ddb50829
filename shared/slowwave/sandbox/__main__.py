"""The program of a sandbox process. The first input line configures the process; each further line is a window."""

import os
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from typing import BinaryIO

from slowwave.domain.claim import Claim
from slowwave.errors import Incorrect
from slowwave.sandbox.process import OPENING, REPLY, WINDOW, Opening, Reply, Window

Read = Callable[[Window], Iterable[Claim]]


def main() -> None:
    """Answer each input line with an output line until the input ends."""
    asked, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)  # the output of the pack must not mix with the answers
    opening = OPENING.validate_json(asked.readline())
    _limit_resources(opening)
    read = _opened(opening, answers)
    if read is None:
        return
    for line in asked:
        _limit_resources(opening)
        _answer(answers, _reply(read, WINDOW.validate_json(line)))


def _opened(opening: Opening, answers: BinaryIO) -> Read | None:
    try:
        read = _works()[opening.work](opening.given)
    except Incorrect as error:
        _answer(answers, Reply(problems=list(error.problems)))
        return None
    _answer(answers, Reply())
    return read


def _reply(read: Read, window: Window) -> Reply:
    try:
        return Reply(claims=list(read(window)))
    except Exception as error:  # noqa: BLE001  # a pack may raise anything; the message may quote users
        return Reply(broke=f"{type(error).__name__}{_line_of_pack(error)}")


def _line_of_pack(error: BaseException) -> str:
    """Return the pack's own line in the traceback of an error."""
    place, trace = "", error.__traceback__
    while trace is not None:
        name = trace.tb_frame.f_code.co_filename
        if "/" not in name and not name.startswith("<"):
            place = f" at {name}:{trace.tb_lineno}"
        trace = trace.tb_next
    return place


def _answer(answers: BinaryIO, reply: Reply) -> None:
    answers.write(REPLY.dump_json(reply) + b"\n")
    answers.flush()


def _limit_resources(opening: Opening) -> None:
    """Make the system end this process if it exceeds the limits of memory or of processor time."""
    if sys.platform == "win32":
        return
    import resource

    most = opening.megabytes * 1024 * 1024
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))  # the largest size of a file is 0: no file can be written
    _, hardest = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time()) + opening.seconds + 1, hardest))


def _works() -> Mapping[str, Callable[[Mapping[str, str]], Read]]:
    from slowwave.sandbox import clips_runner, python_runner

    return {"clips": clips_runner.opened, "python": python_runner.opened}


if __name__ == "__main__":
    main()
