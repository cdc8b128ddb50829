"""Strategies, tool statistics, segments and sightings of patterns. Runs learn these in addition to facts."""
