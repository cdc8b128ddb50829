"""The beat process: a scheduler whose tick writes what is due and wakes workers."""
