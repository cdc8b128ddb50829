"""Windows that wait for model replies: planned again, applied, and woken."""
