"""Reading back what was told: episodes, conversations and where memories stand."""
