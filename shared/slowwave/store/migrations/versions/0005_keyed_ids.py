"""Revision 0005: ids can be made with a key that the database does not have."""

from slowwave.store.revision import run_beside

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Run the statements of the folder beside this file."""
    run_beside(__file__)
