"""The beat process: a scheduler whose tick records due work and wakes workers."""
