"""Embedders that are asked over a line or brought by an extra, each behind the same port as the shipped one."""
