"""Pages of the viewer, a module each: it gathers by the verbs of the memory, and hands over to a template."""
