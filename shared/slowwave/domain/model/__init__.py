"""Questions to a language model, its answers, and what is read out of them."""
