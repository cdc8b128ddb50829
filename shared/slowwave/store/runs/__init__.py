"""The run protocol, with one transaction per step. The fence of the lease guards each transaction."""
