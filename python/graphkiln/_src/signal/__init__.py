"""Short-time transforms of signals."""
