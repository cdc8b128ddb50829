"""Revision 0010: an index finds requested work that a wrong clock has delayed, and all old model calls are dropped."""

from slowwave.store.revision import run_beside

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Run the statements of the folder beside this file."""
    run_beside(__file__)
