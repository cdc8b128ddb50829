"""Episodes and beliefs for trials, in read-only transactions."""
