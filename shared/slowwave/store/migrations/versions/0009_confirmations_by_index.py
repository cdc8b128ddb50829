"""Revision 0009: the functions that find the confirmations of a fact use indexes."""

from slowwave.store.revision import run_beside

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Run the statements of the folder beside this file."""
    run_beside(__file__)
