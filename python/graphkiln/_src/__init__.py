"""What is behind the public names, by subject."""
