"""The beat process: a scheduler whose tick records what is due and wakes workers."""
