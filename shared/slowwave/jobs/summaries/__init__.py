"""Jobs that summarise sessions, and build the tree over the summaries."""
