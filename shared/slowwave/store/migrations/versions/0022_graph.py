"""Facts are edges between entities, which have aliases, vectors and a frequency; a scope's graph has versions."""

from slowwave.store.revision import refuse, run_beside

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Run the statements beside this file."""
    run_beside(__file__)


def downgrade() -> None:
    """Refuse."""
    refuse()
