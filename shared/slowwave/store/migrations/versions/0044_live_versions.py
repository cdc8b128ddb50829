"""The check that a belief has one live version, made faster to keep."""

from slowwave.store.revision import refuse, run_beside

revision = "0044"
down_revision = "0043"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Run the statements beside this file."""
    run_beside(__file__)


def downgrade() -> None:
    """Refuse."""
    refuse()
