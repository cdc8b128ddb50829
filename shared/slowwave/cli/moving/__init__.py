"""`slowwave export`, `import`, `backup`, `restore`: memories leave and arrive, an installation is kept and put back."""
