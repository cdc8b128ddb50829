"""Watermarks know when the latest episode that was read occurred: older ones that are read later come late."""

from slowwave.store.revision import refuse, run_beside

revision = "0038"
down_revision = "0037"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Run the statements beside this file."""
    run_beside(__file__)


def downgrade() -> None:
    """Refuse."""
    refuse()
