"""The format of an export: a first line, the scopes with their rows, and a last line (foot) with counts and a digest.

The foot proves that the file is complete. Its signature proves that nobody changed the file.
"""

import hashlib
import hmac
import json
import uuid
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from slowwave.domain.scope import Scope
from slowwave.errors import Incorrect
from slowwave.memory.import_export.signing import KeyOf, SignatureState, Signer, changed_lines
from slowwave.store.import_export.exported_rows import COLUMNS
from slowwave.validation_messages import kind, nearest

FORMAT = 1
MOST_REPORTED = 20
"""The maximum number of problems of a file that an error lists."""
RENAMED = {"holds": "legal_holds", "tellings": "model_summaries", "topics": "running_segments"}
"""The former names of exported tables, with the present names."""
MALFORMED = (AssertionError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""The errors that an invalid value in a line raises."""
SCOPE = ("user_id", "agent", "channel", "head", "touched", "fence", "last_recorded", "key", "delta", "digest")
"""The fields of a scope's own line. Newer exports also have its id."""


@dataclass(slots=True)
class RunningDigest:
    """The foot of a file: the counts of scopes and rows, and the digest of all lines before the foot.

    With a *signer*, the foot also has a tag of each line, and a signature.
    """

    signer: Signer | None = None
    scopes: int = 0
    rows: Counter[str] = field(default_factory=Counter)
    digest: Any = field(default_factory=hashlib.sha256)
    tags: bytearray = field(default_factory=bytearray)

    def take(self, line: bytes, what: str) -> None:
        """Add a *line* to the digest and to the count of *what*."""
        self.digest.update(line)
        if self.signer is not None:
            self.tags += self.signer.tag(line)
        if what == "scope":
            self.scopes += 1
        elif what in COLUMNS:
            self.rows[what] += 1

    @property
    def foot(self) -> dict[str, Any]:
        """The foot as a JSON object."""
        foot = {"scopes": self.scopes, "rows": dict(sorted(self.rows.items())), "sha256": self.digest.hexdigest()}
        if self.signer is None:
            return foot
        foot["lines"] = self.tags.hex()
        return {**foot, "signature": self.signer.signature(foot)}


def written(value: Any) -> bytes:
    """Return *value* as a line of JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str).encode() + b"\n"


def lines(file: Path) -> Iterator[tuple[int, bytes]]:
    """Yield each line of *file* with the line number. Raises `Incorrect` if the file cannot be read."""
    try:
        with file.open("rb") as opened:
            yield from enumerate(opened, 1)
    except OSError as error:
        raise Incorrect(f"{file} cannot be read: {error.strerror}") from None


@dataclass(slots=True)
class Checked:
    """The contents of a checked file: tenant, scopes, counts, and whether the signature matches.

    *changed* has a sentence for each line that does not match the signature.
    """

    tenant: str
    scopes: list[tuple[Scope, dict[str, Any]]]
    sum: RunningDigest
    signature: SignatureState = "missing"
    changed: list[str] = field(default_factory=list)


def checked(file: Path, key_of: KeyOf | None = None) -> Checked:
    """Read the whole *file*; return its contents. Raises `Incorrect` with every problem and the number of its line.

    If the file has a signature, and *key_of* returns its key, the signature is checked too.
    """
    problems: list[str] = []
    found = Checked("", [], RunningDigest())
    columns: dict[str, list[str]] = {}
    ended, number = False, 0
    for number, line in lines(file):
        if ended:
            problems.append(f"line {number}: comes after the foot")
            break
        try:
            what, value = _read(line)
            if number == 1:
                found.tenant, columns = _head(what, value)
                found.signature, found.sum.signer = _signer(value, found.tenant, key_of)
            elif what == "end":
                ended = True
                _foot(line, value, found)
            elif what == "scope":
                found.scopes.append(_scope(found.tenant, value, found.scopes[-1:]))
            else:
                _row(what, value, columns, inside=bool(found.scopes))
        except Incorrect as error:
            problems += [f"line {number}: {one}" for one in error.problems or [error.message]]
            if number == 1:
                break
            what = ""
        except MALFORMED:
            problems.append(f"line {number}: cannot be read")
            break
        if what != "end":
            found.sum.take(line, what)
    if number == 0:
        problems.append("is empty")
    elif not ended and not (number == 1 and problems):
        problems.append(f"is cut off: it has no foot after line {number}")
    problems += found.changed
    if problems:
        raise Incorrect.listing(
            f"the file {file.name}", problems[:MOST_REPORTED], more=max(0, len(problems) - MOST_REPORTED),
            hint="write it again with `slowwave export`; for files of other projects, name the format with --from; "
            "for a file of episodes, use `slowwave push`",
        )  # fmt: skip
    return found


def value_of(line: bytes) -> tuple[str, dict[str, Any]]:
    """Return the type and the content of a *line* of a checked file."""
    ((what, value),) = json.loads(line).items()
    return _name_of_today(what), value


def exported_id(scope: Scope, head: dict[str, Any]) -> uuid.UUID:
    """Return the id of *scope* in an export. *head* is its line; in older exports, the line has no id."""
    return uuid.UUID(head["id"]) if "id" in head else scope.plain_id


def head(tenant: str, version: str, signer: Signer | None = None) -> dict[str, Any]:
    """Return the first line of an export, with the name of the key of *signer*."""
    key = {} if signer is None else {"key": signer.name}
    return {"slowwave": {"format": FORMAT, "version": version, "tenant": tenant, **key, "columns": COLUMNS}}


def _read(line: bytes) -> tuple[str, dict[str, Any]]:
    try:
        item = json.loads(line)
    except (ValueError, RecursionError):
        raise Incorrect("is not JSON") from None
    if not isinstance(item, dict) or len(item) != 1:
        raise Incorrect(f"expected an object with one name, got {kind(item)}")
    ((what, value),) = item.items()
    if not isinstance(value, dict):
        raise Incorrect(f"{what}: expected an object, got {kind(value)}")
    return _name_of_today(what), value


def _head(what: str, value: dict[str, Any]) -> tuple[str, dict[str, list[str]]]:
    if what != "slowwave" or "format" not in value:
        raise Incorrect("is not the head of an export of Slowwave")
    if value["format"] != FORMAT:
        raise Incorrect(f"format {value['format']!r}: this version of Slowwave reads format {FORMAT}")
    tenant, columns = value.get("tenant"), value.get("columns")
    if not isinstance(tenant, str) or not isinstance(columns, dict):
        raise Incorrect("names no tenant or no columns")
    columns = _renamed(columns)
    problems = [f"{name}: there is no such table in this version" for name in columns if name not in COLUMNS]
    problems += [
        f"{name}.{column}: there is no such column in this version"
        for name, its in columns.items()
        for column in (its if name in COLUMNS else [])
        if column not in COLUMNS[name]
    ]
    if problems:
        raise Incorrect.listing("head", problems)
    return tenant, columns


def _signer(head: dict[str, Any], tenant: str, key_of: KeyOf | None) -> tuple[SignatureState, Signer | None]:
    if "key" not in head:
        return "missing", None
    signer = None if key_of is None else key_of(tenant)
    if signer is None:
        return "unchecked", None
    return ("valid", signer) if signer.name == head["key"] else ("foreign", None)


def _foot(line: bytes, value: dict[str, Any], found: Checked) -> None:
    computed, signer = found.sum.foot, found.sum.signer
    stated = {"scopes": value.get("scopes"), "rows": _renamed(value.get("rows"))}
    problems = [
        f"{name}: the file has {computed[name]}, but its foot says {its}"
        for name, its in stated.items()
        if its != computed[name]
    ]
    if value.get("sha256") != computed["sha256"]:
        problems.append("sha256: the file was changed after it was written")
    if ("signature" in value) != (found.signature != "missing"):
        problems.append("signature: is missing here, or its key is missing in line 1")
    elif signer is not None and not _is_signed(line, value, signer):
        problems.append("signature: the file was changed by somebody without the key")
    if signer is not None and problems:
        found.changed = list(islice(changed_lines(_hex(value.get("lines")), found.sum.tags), MOST_REPORTED))
    if problems:
        raise Incorrect.listing("end", problems)


def _is_signed(line: bytes, value: dict[str, Any], signer: Signer) -> bool:
    """Return whether the foot *value* has the signature of *signer*, and *line* is its only spelling."""
    return line == written({"end": value}) and hmac.compare_digest(signer.signature(value), value["signature"])


def _hex(value: Any) -> bytes:
    try:
        return bytes.fromhex(value)
    except (TypeError, ValueError):
        return b""


def _name_of_today(what: str) -> str:
    return RENAMED.get(what, what)


def _renamed(by_table: Any) -> Any:
    """Return the values *by_table* under the present names of the tables.

    A value that is not an object is returned unchanged.
    """
    if not isinstance(by_table, dict):
        return by_table
    return {_name_of_today(name): value for name, value in by_table.items()}


def _scope(
    tenant: str, value: dict[str, Any], before: list[tuple[Scope, dict[str, Any]]]
) -> tuple[Scope, dict[str, Any]]:
    if missing := [f"{name}: is missing" for name in SCOPE if name not in value]:
        raise Incorrect.listing("scope", missing)
    scope = Scope(tenant, value["user_id"], value["agent"], value["channel"])
    exported_id(scope, value)  # raises one of `MALFORMED` for an invalid id
    if before and scope == before[0][0]:
        raise Incorrect("the scope occurs twice")
    return scope, value


def _row(what: str, value: dict[str, Any], columns: dict[str, list[str]], *, inside: bool) -> None:
    if what not in columns:
        raise Incorrect(f"{what}: no such rows here{nearest(what, list(columns))}")
    if not inside:
        raise Incorrect("comes before any scope")
    wanted = set(columns[what])
    problems = [f"{what}.{name}: is missing" for name in sorted(wanted - value.keys())]
    problems += [f"{what}.{name}: is not known" for name in sorted(value.keys() - wanted)]
    if problems:
        raise Incorrect.listing("row", problems)
