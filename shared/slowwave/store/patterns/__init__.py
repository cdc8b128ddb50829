"""Strategies, tool statistics, segments, and sightings of patterns, which runs learn besides facts."""
