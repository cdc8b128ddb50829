"""What an operator asks: status, statistics, and whether every promise holds."""
