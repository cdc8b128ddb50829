"""Seals of ledgers, by which a later change of history is noticed."""

from slowwave.store.revision import refuse, run_beside

revision = "0041"
down_revision = "0040"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Run the statements beside this file."""
    run_beside(__file__)


def downgrade() -> None:
    """Refuse."""
    refuse()
