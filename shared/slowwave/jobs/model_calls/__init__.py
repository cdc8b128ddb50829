"""Model calls: one run plans them, another process sends them without holding a lease, and a later run reads them."""
