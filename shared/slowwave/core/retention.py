"""How long what is kept: when conversations are archived, entities laid to rest, audit rows dropped."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta


@dataclass(frozen=True, slots=True)
class Retention:
    """What an installation or a tenant keeps, and for how long.

    Conversations idle for *archive_conversations_after* are archived, which can be undone. Entities weaker than
    *entity_floor* and idle for *entity_idle* are laid to rest unless a fact needs them. Audit rows are dropped after
    *audit_kept*; memories of a kind after *drop_after*, and those of the kinds it does not name never. While
    *legal_hold* is set nothing goes.
    """

    archive_conversations_after: timedelta | None = timedelta(days=90)
    entity_floor: float = 0.1
    entity_idle: timedelta = timedelta(days=30)
    audit_kept: timedelta = timedelta(days=400)
    drop_after: Mapping[str, timedelta] = field(default_factory=dict)
    legal_hold: bool = False
