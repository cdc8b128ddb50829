"""Revision 0001: the whole schema."""

from slowwave.store.revision import run_beside

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Run the statements of the folder beside this file."""
    run_beside(__file__)
