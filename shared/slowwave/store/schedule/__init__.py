"""The schedule: the packs of this installation, and due work."""
