"""Revision 0007: weeks of routines that no longer count are dropped."""

from slowwave.store.revision import run_beside

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Run the statements of the folder beside this file."""
    run_beside(__file__)
