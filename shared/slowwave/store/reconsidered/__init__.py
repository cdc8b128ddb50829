"""What was learned lately, beside the beliefs that share words with it."""
