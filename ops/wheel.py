"""Packs what takes the most room in the wheel: its statements into one file, the embedder's weights tighter."""

import json
import tempfile
import zlib
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

STORE = "shared/slowwave/store"
EMBEDDER = "shared/slowwave/inference/static_minilm"
WEIGHTS = ("model.safetensors", "tokenizer.json")


class Packed(BuildHookInterface):
    """Puts `statements.json.gz` beside `statements.py`, and the embedder's files beside its NOTICE, compressed."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the files to a wheel; an editable installation has them as they are."""
        if version == "editable":
            return
        self._folder = tempfile.TemporaryDirectory()
        self._add(build_data, "slowwave/store/statements.json.gz", _compressed(self._statements()))
        for name in WEIGHTS:
            packed = _compressed((Path(self.root) / EMBEDDER / name).read_bytes())
            self._add(build_data, f"slowwave/inference/static_minilm/{name}.gz", packed)

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        """Remove the files once they are in the wheel."""
        if version != "editable":
            self._folder.cleanup()

    def _add(self, build_data: dict[str, Any], path: str, content: bytes) -> None:
        made = Path(self._folder.name) / Path(path).name
        made.write_bytes(content)
        build_data["force_include"][str(made)] = path

    def _statements(self) -> bytes:
        """The statements by name: as files of their own they take four times their size on a disk."""
        store = Path(self.root) / STORE
        texts = {
            str(path.relative_to(store).with_suffix("").as_posix()): path.read_text(encoding="utf-8")
            for path in sorted(store.rglob("*.sql"))
            if "migrations" not in path.parts
        }
        return json.dumps(texts, ensure_ascii=False).encode()


def _compressed(content: bytes) -> bytes:
    """A gzip member of *content*: the smaller of what repeats and of what is only unevenly drawn, as weights are."""
    made = []
    for strategy in (zlib.Z_DEFAULT_STRATEGY, zlib.Z_HUFFMAN_ONLY):
        packer = zlib.compressobj(9, zlib.DEFLATED, 16 + zlib.MAX_WBITS, 9, strategy)
        made.append(packer.compress(content) + packer.flush())
    return min(made, key=len)
