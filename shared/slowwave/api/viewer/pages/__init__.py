"""Pages of the viewer, grouped by subject. Each page reads data with the memory's verbs, and renders a template."""
