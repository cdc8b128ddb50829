"""Settings in, parts out: the one composition root, and the only reader of settings."""

from slowwave.settings import Settings, secret
from slowwave.wiring.capture import Capture, capture
from slowwave.wiring.continuum import credit_entries, held_entries, retrieve_entries, store_entry
from slowwave.wiring.jobs import checks
from slowwave.wiring.opening import connect, join_embedded, migrate_database, open_parts
from slowwave.wiring.packs import load_packs
from slowwave.wiring.parts import Parts, owner_name
from slowwave.wiring.standing import refresh_strengths, run_standing
from slowwave.wiring.stream import recall_stream, summarise_stream
from slowwave.wiring.working import working_memory

__all__ = [
    "Capture",
    "Parts",
    "Settings",
    "capture",
    "checks",
    "connect",
    "credit_entries",
    "held_entries",
    "join_embedded",
    "load_packs",
    "migrate_database",
    "open_parts",
    "owner_name",
    "recall_stream",
    "refresh_strengths",
    "retrieve_entries",
    "run_standing",
    "secret",
    "store_entry",
    "summarise_stream",
    "working_memory",
]
