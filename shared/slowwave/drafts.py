"""A draft of a file, which takes its place once it is whole."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from slowwave.errors import Incorrect


@contextmanager
def draft_of(file: Path) -> Iterator[IO[bytes]]:
    """Give what becomes *file*, its owner's alone, when the block ends well; a draft beside it meanwhile, `….part`.

    Each draft has a name of its own: what still writes for a process that was killed spoils no later one. Raises
    `Incorrect` where nothing can be written.
    """
    try:
        number, name = tempfile.mkstemp(prefix=f"{file.name}.", suffix=".part", dir=file.parent)
        draft = Path(name)
        try:
            with os.fdopen(number, "wb") as out:
                yield out
                out.flush()
                os.fsync(out.fileno())
            draft.replace(file)
        finally:
            with suppress(OSError):
                draft.unlink(missing_ok=True)
    except OSError as error:
        raise Incorrect(f"{file} cannot be written: {error.strerror}") from None
