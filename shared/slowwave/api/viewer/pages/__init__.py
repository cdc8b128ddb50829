"""Pages of the viewer, grouped by subject. Each page reads data with the memory's methods, and renders a template."""
