"""The packs that this installation runs, and their watermark in every scope."""
