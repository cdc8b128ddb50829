"""Models that this package calls: embedders, summarisers and model providers, each behind a port."""
