"""Model packs: they extract claims with a language model; this makes requests, and checks claims against the text."""
