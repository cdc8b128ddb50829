"""The picture of the viewer in the README, taken by Chromium; it carries the words of the viewer's menu.

    slowwave demo
    SLOWWAVE_HOME=… slowwave serve                # the home that the last lines of the demo name
    python -m ops.viewer_picture 'http://127.0.0.1:8080/viewer/fact?id=…'    # the fact "Nora lives in Lisbon"

A test compares the words with the menu, so it fails while the picture shows an outdated menu.
"""

import html
import re
import struct
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from urllib.request import urlopen

PICTURE = Path(__file__).parent / "docs" / "images" / "viewer.png"
SIZE = (1000, 938)
SIGNATURE = b"\x89PNG\r\n\x1a\n"
KEYWORD = b"Menu"


def menu_of(picture: bytes) -> list[str]:
    """Return the words of the menu that a picture carries."""
    found = [content for kind, content in chunks(picture) if kind == b"tEXt" and content.startswith(KEYWORD + b"\0")]
    return [word for content in found for word in content[len(KEYWORD) + 1 :].decode("latin-1").split("\n")]


def with_menu(picture: bytes, menu: list[str]) -> bytes:
    """Return the picture with the words of the menu in a text chunk before its end."""
    words = KEYWORD + b"\0" + "\n".join(menu).encode("latin-1")
    others = [(kind, content) for kind, content in chunks(picture) if kind != b"tEXt"]
    return SIGNATURE + b"".join(
        _packed(kind, content) for kind, content in [*others[:-1], (b"tEXt", words), others[-1]]
    )


def chunks(picture: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Give the kind and the content of each chunk of a PNG file."""
    at = len(SIGNATURE)
    while at < len(picture):
        (length,) = struct.unpack(">I", picture[at : at + 4])
        yield picture[at + 4 : at + 8], picture[at + 8 : at + 8 + length]
        at += length + 12


def _packed(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def take(address: str) -> bytes:
    """Return a picture of the page at *address*, with the words of its menu."""
    with urlopen(address) as page:
        shown = page.read().decode()
    nav = re.findall(r'<nav aria-label="Pages">(.*?)</nav>', shown, re.DOTALL)[0]
    menu = [html.unescape(word) for word in re.findall(r"<a [^>]*>([^<]+)</a>", nav)]
    with tempfile.TemporaryDirectory() as folder:
        shot = Path(folder) / "shot.png"
        options = ["--headless", "--no-sandbox", "--hide-scrollbars", "--virtual-time-budget=4000"]
        size = f"--window-size={SIZE[0]},{SIZE[1]}"
        command = ["chromium", *options, f"--user-data-dir={folder}/profile", size, f"--screenshot={shot}", address]
        subprocess.run(command, check=True, capture_output=True)
        return with_menu(shot.read_bytes(), menu)


if __name__ == "__main__":
    PICTURE.write_bytes(take(sys.argv[1]))
