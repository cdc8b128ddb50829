"""`slowwave export`, `import`, `backup` and `restore`: memories as files, and copies of a whole installation."""
