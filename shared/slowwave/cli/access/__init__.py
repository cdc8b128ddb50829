"""The commands about who may use a memory, and how much: keys and quotas."""
