"""Work that needs a model: planned in one run, asked with no lease at all, read in another run."""
