"""Firings, signs of life, tallies and steps on ladders go with their time; a letter counts its item."""

from slowwave.store.revision import refuse, run_beside

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Run the statements beside this file."""
    run_beside(__file__)


def downgrade() -> None:
    """Refuse."""
    refuse()
