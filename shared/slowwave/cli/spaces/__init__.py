"""Commands about embedding spaces."""
