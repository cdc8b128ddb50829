"""Commands that undo: a run, a delta, a pack or everything since a time; or one wrong fact."""
