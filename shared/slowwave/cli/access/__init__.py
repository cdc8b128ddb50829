"""The commands about access to a memory: API keys and quotas."""
