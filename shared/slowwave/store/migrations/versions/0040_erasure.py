"""Erasure: requests to forget for good, and the role that removes content."""

from slowwave.store.revision import refuse, run_beside

revision = "0040"
down_revision = "0039"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Run the statements beside this file."""
    run_beside(__file__)


def downgrade() -> None:
    """Refuse."""
    refuse()
