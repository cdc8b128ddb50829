"""Models we call: embedders and extractors, each behind a port."""
