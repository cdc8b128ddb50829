"""The composition root: the only package that reads the settings; it makes the parts of a process from them."""

from typing import TYPE_CHECKING

from slowwave.runtime.host import owner_name
from slowwave.runtime.lazy_names import lazy_names
from slowwave.settings import Options, Settings, secret
from slowwave.wiring.backup import backup, restore
from slowwave.wiring.connections import (
    connect,
    is_registered,
    join_embedded,
    migrate_database,
    open_existing,
    open_parts,
    register_if_new,
)
from slowwave.wiring.parts import Parts, Push

if TYPE_CHECKING:
    from slowwave.wiring.jobs import checks
    from slowwave.wiring.packs import load_packs
    from slowwave.wiring.registration import pack_problems, register, register_watched

__all__ = [
    "Options",
    "Parts",
    "Push",
    "Settings",
    "backup",
    "checks",
    "connect",
    "is_registered",
    "join_embedded",
    "load_packs",
    "migrate_database",
    "open_existing",
    "open_parts",
    "owner_name",
    "pack_problems",
    "register",
    "register_if_new",
    "register_watched",
    "restore",
    "secret",
]
__getattr__ = lazy_names(
    __name__, {"jobs": "checks", "packs": "load_packs", "registration": "pack_problems register register_watched"}
)
