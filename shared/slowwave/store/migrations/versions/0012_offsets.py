"""An episode keeps how far the speaker's clock was ahead of UTC, so that "tomorrow" is the speaker's own."""

from slowwave.store.revision import refuse, run_beside

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Run the statements beside this file."""
    run_beside(__file__)


def downgrade() -> None:
    """Refuse."""
    refuse()
