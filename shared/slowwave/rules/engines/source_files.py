"""A code file in a pack's folder, read with limits on its size and encoding."""

from pathlib import Path

from slowwave.errors import Incorrect

FILE_BYTES = 256 * 1024


def read_text(path: Path) -> str:
    """Return the text of *path*. Raises `Incorrect` with the problem."""
    try:
        with path.open("rb") as file:
            data = file.read(FILE_BYTES + 1)
        if len(data) > FILE_BYTES:
            raise Incorrect(path.name, problems=[f"{path.name}: is longer than {FILE_BYTES} bytes"])
        return data.decode("utf-8")
    except OSError as error:
        text = "is missing" if isinstance(error, FileNotFoundError) else f"cannot be read: {error.strerror}"
        raise Incorrect(path.name, problems=[f"{path.name}: {text}"]) from None
    except UnicodeDecodeError as error:
        raise Incorrect(path.name, problems=[f"{path.name}: is not UTF-8 at byte {error.start}"]) from None
