"""Revision 0011: old closed dead letters and unused quota rows are dropped."""

from slowwave.store.revision import run_beside

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """Run the statements of the folder beside this file."""
    run_beside(__file__)
