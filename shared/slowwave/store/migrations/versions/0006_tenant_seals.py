"""Revision 0006: each night, a seal covers the seals of all ledgers of a tenant."""

from slowwave.store.revision import run_beside

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Run the statements of the folder beside this file."""
    run_beside(__file__)
