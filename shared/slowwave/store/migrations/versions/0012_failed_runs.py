"""Revision 0012: old runs that failed are dropped."""

from slowwave.store.revision import run_beside

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    """Run the statements of the folder beside this file."""
    run_beside(__file__)
