"""Strategies, tool statistics, segments and sightings of patterns. Runs learn these records in addition to facts."""
