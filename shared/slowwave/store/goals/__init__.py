"""Goals and consensus: small records with a lifecycle of their own."""
