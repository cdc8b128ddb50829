"""Spaces and signs of life are not the app's to write, and nobody may lock a table but who deletes from it."""

from slowwave.store.revision import refuse, run_beside

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Run the statements beside this file."""
    run_beside(__file__)


def downgrade() -> None:
    """Refuse."""
    refuse()
