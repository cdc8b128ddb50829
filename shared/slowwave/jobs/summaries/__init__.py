"""Jobs that summarise what was said: sessions, and the tree over them."""
