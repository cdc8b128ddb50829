"""Types of settings: addresses of Postgres and Redis, and paths of files, with their validators."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, SecretStr


def _written_like(*examples: str, also: Sequence[str] = ()) -> AfterValidator:
    """Return a validator: an address must begin like one of *examples* or *also*.

    The error does not contain the address, which may include a password.
    """
    schemes = tuple(example.partition("://")[0] + "://" for example in (*examples, *also))

    def check(address: SecretStr) -> SecretStr:
        if not address.get_secret_value().startswith(schemes):
            raise ValueError(f"expected an address like {' or '.join(examples)}")
        return address

    return AfterValidator(check)


def _without_nul(path: Path) -> Path:
    if "\0" in str(path):
        raise ValueError("contains NUL")
    return path


def around_packs(folder: Path | None) -> Path | None:
    """Return a folder of rule packs. Raises `ValueError` if it is itself a pack."""
    if folder and (folder / "pack.yaml").is_file():
        parent = folder.absolute().parent
        raise ValueError(f"'{folder}' is a rule pack; name the folder that contains its folder, '{parent}'")
    return folder


FilePlace = Annotated[Path, AfterValidator(_without_nul)]
Postgres = Annotated[
    SecretStr, _written_like("postgresql://slowwave@host:5432/slowwave", also=["postgres://", "postgresql+psycopg://"])
]
Broker = Annotated[SecretStr, _written_like("redis://host:6379/0", "rediss://host:6379/0", "redis+socket:///path")]
Cache = Annotated[SecretStr, _written_like("redis://host:6379/1", "rediss://host:6379/1", "unix:///path")]
