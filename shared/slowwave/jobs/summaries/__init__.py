"""Jobs that sum up what was said: sessions, and the tree over them."""
