"""Blocks: what a question needs of 256 old episodes, packed, so that a large scope is asked without reading it all."""

from slowwave.store.revision import refuse, run_beside

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Run the statements beside this file."""
    run_beside(__file__)


def downgrade() -> None:
    """Refuse."""
    refuse()
