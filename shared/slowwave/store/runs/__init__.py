"""The run protocol: one transaction per step, guarded by the fence of the lease."""
