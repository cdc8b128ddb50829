"""Commands that undo a run, a delta, a pack, everything since a time, or one wrong fact."""
