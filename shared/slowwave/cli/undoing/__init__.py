"""Commands that undo: a run, a delta, a pack or all since some time; or one wrong fact."""
