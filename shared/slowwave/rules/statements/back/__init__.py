"""Looking back: what a statement points at in the turns and sentences before it."""
