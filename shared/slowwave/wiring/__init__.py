"""The composition root: the only package that reads the settings; it makes the parts of a process from them."""

from slowwave.runtime.host import owner_name
from slowwave.settings import Options, Settings, secret
from slowwave.wiring.backup import backup, restore
from slowwave.wiring.connections import (
    connect,
    join_embedded,
    migrate_database,
    open_parts,
    pack_problems,
    register,
    register_watched,
)
from slowwave.wiring.jobs import checks
from slowwave.wiring.packs import load_packs
from slowwave.wiring.parts import Parts, Push

__all__ = [
    "Options",
    "Parts",
    "Push",
    "Settings",
    "backup",
    "checks",
    "connect",
    "join_embedded",
    "load_packs",
    "migrate_database",
    "open_parts",
    "owner_name",
    "pack_problems",
    "register",
    "register_watched",
    "restore",
    "secret",
]
