"""Revision 0002: old runs and model calls are dropped."""

from slowwave.store.revision import run_beside

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Run the statements of the folder beside this file."""
    run_beside(__file__)
