"""Pages of the viewer, one per module: each gathers data with the memory's verbs, and renders a template."""
