"""Revision 0008: promotion, patterns and mentions count the same confirmations of a fact."""

from slowwave.store.revision import run_beside

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Run the statements of the folder beside this file."""
    run_beside(__file__)
