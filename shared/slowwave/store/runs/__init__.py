"""The run protocol: one transaction a step, behind the fence of the lease."""
