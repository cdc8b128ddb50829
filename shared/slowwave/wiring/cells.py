"""The cells of an installation: the file of SLOWWAVE_CELLS, which says which database holds which tenant."""

import copy
import fcntl
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated, Any, Generic, Protocol, Self, TypeVar

import yaml
from pydantic import BeforeValidator, Field, ValidationError, model_validator

from slowwave.domain.access import Caller
from slowwave.domain.scope import SYSTEM_TENANT
from slowwave.errors import Conflict, Crowded, Incorrect, NotFound, SlowwaveError, Unauthorized, Unavailable, Unprepared
from slowwave.rules.yaml_file import Part, lines_of, read_model, read_yaml
from slowwave.runtime.addresses import Postgres
from slowwave.store import cells as store
from slowwave.store.access.keys import hashed
from slowwave.store.access.rate_limit import MOST_CACHED, KeyAuthentication
from slowwave.store.database import Database

MOST_CELLS = 1024
"""The maximum number of cells of an installation. Each cell numbers its rows in steps of this size."""
FROM_ENVIRONMENT = "env:"
"""The prefix of an address that stands in an environment variable, whose name follows."""
ROOM_SECONDS = 60.0
_WRITABLE = "every process writes new tenants to this file: let it write there, or list the tenant in the file"
_HINT = "correct the file that SLOWWAVE_CELLS names; `slowwave cells list` shows it"


def _address(value: object) -> object:
    if isinstance(value, str) and value.startswith(FROM_ENVIRONMENT):
        if not (found := os.environ.get(name := value.removeprefix(FROM_ENVIRONMENT))):
            raise ValueError(f"the environment variable {name} is not set")
        return found
    return value


Address = Annotated[Postgres, BeforeValidator(_address)]


class Cell(Part):
    """A database with some of the tenants. New tenants go to it in proportion to *weight*; 0 takes no new tenants."""

    number: int = Field(ge=0, lt=MOST_CELLS)
    url: Address
    owner_url: Address | None = None
    read_url: Address | None = None
    weight: float = Field(1, ge=0)

    @classmethod
    def of(cls, raw: Mapping[str, object]) -> Self:
        """Return the cell of an entry of the file. Raises `Incorrect` with all problems, without addresses."""
        try:
            return cls.model_validate(raw)
        except ValidationError as error:
            raise Incorrect.listing("the cell", lines_of("cell", error, cls, raw), hint=_HINT) from None


class Layout(Part):
    """The content of the file: the cells by name, the cell of each tenant, and the cell of the installation's rows."""

    default: str
    cells: dict[str, Cell] = Field(min_length=1)
    tenants: dict[str, str] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        named = {"default": self.default, **{f"tenants.{tenant}": cell for tenant, cell in self.tenants.items()}}
        problems = [f"{place}: there is no cell {cell!r}" for place, cell in named.items() if cell not in self.cells]
        if len({cell.number for cell in self.cells.values()}) < len(self.cells):
            problems.append("cells: two cells have the same number")
        if problems:
            raise ValueError("; ".join(problems))
        return self


class Members(Protocol):
    """The parts of one cell."""

    @property
    def database(self) -> Database:
        """The cell's own connections."""

    @property
    def gate(self) -> KeyAuthentication:
        """The keys of the cell's tenants."""

    def close(self) -> None:
        """End the use of the cell."""


P = TypeVar("P", bound=Members)


class CellsFile:
    """The file of the cells. It is read again when it was changed. If a change is invalid, the last valid content stays
    in force.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._stamp: tuple[int, int] | None = None
        self._layout: Layout | None = None
        self._lock = threading.RLock()

    @property
    def layout(self) -> Layout:
        """The content of the file. Raises `Incorrect` with all problems if no version was ever valid."""
        try:
            stat = self.path.stat()
        except OSError as error:
            if self._layout is None:
                raise Incorrect(
                    f"{self.path} cannot be read: {error.strerror}", hint="`slowwave cells add` makes the file"
                ) from None
            return self._layout
        if (stamp := (stat.st_mtime_ns, stat.st_ino)) == self._stamp and self._layout is not None:
            return self._layout
        with self._lock:
            if stamp != self._stamp:
                found, problems = read_model(self.path, Layout)
                if found is None and self._layout is None:
                    raise Incorrect.listing(str(self.path), problems, hint=_HINT)
                self._layout = found or self._layout
                self._stamp = stamp if found or os.access(self.path, os.R_OK) else None  # after the layout
            assert self._layout is not None
            return self._layout

    @contextmanager
    def changing(self) -> Iterator[dict[str, Any]]:
        """Give the raw content, alone among all processes, and write it at the end of the block, which asks no cell.

        A reader sees the old or the new file, also after a crash. Comments in the file are lost. Raises `Incorrect` if
        the file is or would become invalid, for example too long, and `Unprepared` if it cannot be written.
        """
        try:
            with self._lock, open(f"{self.path}.lock", "w", encoding="utf-8") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                before, problems = read_yaml(self.path) if self.path.exists() else ({}, [])
                raw: dict[str, Any] = copy.deepcopy(before)
                if not problems:
                    yield raw
                if raw != before:
                    problems = self._written(raw)
                if problems:
                    raise Incorrect.listing(str(self.path), problems, hint=_HINT)
        except OSError as error:
            raise Unprepared(f"{self.path} cannot be changed: {error.strerror}", hint=_WRITABLE) from error

    def _written(self, raw: dict[str, Any]) -> list[str]:
        """Replace the file; return no problems, or the problems that keep it from being replaced."""
        beside = self.path.with_name(f"{self.path.name}.new")
        with open(beside, "w", encoding="utf-8", opener=_only_for_owner) as file:
            yaml.safe_dump(raw, file, sort_keys=False, allow_unicode=True)
            file.flush()
            os.fsync(file.fileno())
            self._let_the_same_read(file.fileno())
        found, problems = read_model(beside, Layout, name=self.path.name)
        if found is not None:
            os.replace(beside, self.path)
            self._stamp = None
        return problems

    def _let_the_same_read(self, new: int) -> None:
        """Give the new file the mode of the present one and, where that is permitted, its owner and group."""
        if self.path.exists():
            stat = self.path.stat()
            with suppress(PermissionError):
                os.fchown(new, -1, stat.st_gid)
                os.fchown(new, stat.st_uid, -1)
            os.fchmod(new, stat.st_mode & 0o777)

    def record(self, tenant: str, cell: str) -> None:
        """Write the cell of *tenant* to the file."""
        with self.changing() as raw:
            raw.setdefault("tenants", {})[tenant] = cell


class Cells(CellsFile, Generic[P]):
    """The cells of a process. *made* makes the parts of a cell, at their first use."""

    def __init__(self, path: Path, made: "Callable[[Cells[P], str, Cell], P]", most_bytes: int | None = None) -> None:
        super().__init__(path)
        self._made, self._most_bytes = made, most_bytes
        self._parts: dict[str, P] = {}
        self._moved: dict[str, tuple[str | None, str]] = {}
        self._opened_by: dict[bytes, str] = {}
        self._closed = False

    @property
    def home(self) -> P:
        """The parts of the default cell."""
        return self.parts(self.layout.default)

    def of(self, tenant: str) -> P:
        """Return the parts of the cell of *tenant*. A new tenant is placed where there is room."""
        return self.parts(self.cell_of(tenant))

    def parts(self, cell: str) -> P:
        """Return the parts of a cell. Raises `NotFound`."""
        if (found := self._parts.get(cell)) is None:
            with self._lock:
                if (found := self._parts.get(cell)) is None:
                    if self._closed:
                        raise Incorrect("this memory was closed", hint="connect again: `Memory.connect()`")
                    found = self._parts[cell] = self._made(self, cell, self.cell(cell))
        return found

    def cell(self, name: str) -> Cell:
        """Return a cell of the file. Raises `NotFound`."""
        cells = self.layout.cells
        if name not in cells:
            raise NotFound(f"there is no cell {name!r}", hint=f"the cells are {', '.join(cells)}")
        return cells[name]

    def each(self) -> Mapping[str, P]:
        """Return the parts of every cell, by the cell's name."""
        return {name: self.parts(name) for name in self.layout.cells}

    def database_of(self, tenant: str) -> Database:
        """Return the database of the cell of *tenant*."""
        return self.of(tenant).database

    def cell_of(self, tenant: str) -> str:
        """Return the cell of *tenant*, as the file or the last move says. A new tenant is placed first."""
        layout = self.layout
        if tenant == SYSTEM_TENANT:
            return layout.default
        said = layout.tenants.get(tenant)
        if tenant in self._moved and self._moved[tenant][0] == said:
            return self._moved[tenant][1]
        self._moved.pop(tenant, None)  # the file was changed since then
        return said or self._place(tenant)

    def elsewhere(self, cell: str, tenant: str, text: str) -> None:
        """Follow *tenant*, which is not in *cell*: the cell that it left says where it is, whatever the file says.

        *text* is the cell's mark. If the move ended between the switch and the arrival, the arrival is finished here.
        """
        if (mark := store.Mark.read(text)) is None:
            return
        if mark.state == "left":
            self._follow(tenant, mark.cell)
        elif mark.cell in self.layout.cells:
            left = store.mark_in(self.parts(mark.cell).database, tenant)
            if left == store.Mark("left", mark.move, cell):
                store.finish_arrival(self.parts(cell).database, tenant, mark.move)
                self._follow(tenant, cell)
            else:  # it only begins to move here
                self._moved.pop(tenant, None)

    def require_no_copy(self, tenant: str) -> None:
        """Raise `Conflict` if a cell may have hidden rows of *tenant*, which an unfinished move left there.

        Raises `Unavailable` if a cell cannot be reached.
        """
        if names := [name for name, one in self.each().items() if store.has_copy(one.database, tenant)]:
            raise Conflict(
                f"a move of {tenant} is unfinished, and {', '.join(names)} may have a copy of its rows",
                hint=f"finish it: `slowwave cells move {tenant} --to CELL`; then repeat this call",
            )

    def _follow(self, tenant: str, cell: str) -> None:
        self._moved[tenant] = self.layout.tenants.get(tenant), cell

    def admit(self, secret: str, verb: str) -> Caller:
        """Return the caller with the key *secret*, of the first cell that knows the key; see `KeyAuthentication.admit`.

        Raises `Unauthorized` if no cell knows the key, and `Unavailable` if a cell that may know it cannot be reached,
        or if its tenant may be arriving in a cell; a switch that happened is then finished.
        """
        digest = hashed(secret)
        trouble: SlowwaveError | None = None
        names = list(self.layout.cells)
        names.sort(key=lambda name: name != self._opened_by.get(digest))
        for name in names:
            try:
                caller = self.parts(name).gate.admit(secret, verb)
            except (Unauthorized, Unavailable) as error:
                if isinstance(error, Crowded):
                    raise
                trouble = error if trouble is None or isinstance(error, Unavailable) else trouble
            else:
                if len(self._opened_by) >= MOST_CACHED:
                    self._opened_by.clear()
                self._opened_by[digest] = name
                return caller
        assert trouble is not None
        if isinstance(trouble, Unauthorized):
            self._await_arrivals()
        raise trouble

    def _await_arrivals(self) -> None:
        """Raise `Unavailable` if a tenant, whose keys are hidden until then, is arriving in a cell."""
        arriving = False
        for name, one in self.each().items():
            for tenant, mark in store.marks_in(one.database):
                if mark.startswith("arriving "):
                    arriving = True
                    self.elsewhere(name, tenant, mark)
        if arriving:
            raise Unavailable("a tenant is moving to another cell, maybe the one of this key", hint="try again")

    def _place(self, tenant: str) -> str:
        room = self.roomiest(tenant)
        with self.changing() as raw:
            placed: str = raw.setdefault("tenants", {}).setdefault(tenant, room)  # another process may be first
        return placed

    def roomiest(self, tenant: str, *, without: str | None = None) -> str:
        """Return the cell for *tenant*: one that already has rows of it, or the one with most room for its weight.

        Raises `Crowded` if no cell has room, and `Unavailable` if a cell that may have the tenant cannot be reached.
        With *without*, which is the cell that has the tenant, only if no cell can be reached.
        """
        loads: dict[str, float] = {}
        trouble: SlowwaveError = Crowded(
            "no cell has room for a new tenant", retry_after_seconds=ROOM_SECONDS, hint="`slowwave cells add` adds one"
        )
        for name, cell in self.layout.cells.items():
            try:
                size, known = store.size_and_presence(self.parts(name).database, tenant)
            except Unavailable as error:
                trouble = error
                continue
            if known and without is None:
                return name
            if cell.weight and name != without and size < (self._most_bytes or size + 1):
                loads[name] = size / cell.weight
        if not loads or (without is None and not isinstance(trouble, Crowded)):
            raise trouble
        return min(loads, key=lambda name: loads[name])

    def close_others(self, parts: P) -> None:
        """Close the parts of all cells but *parts*, for good."""
        if not self._closed:
            self._closed = True
            for one in self._parts.values():
                if one is not parts:
                    one.close()


def _only_for_owner(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
