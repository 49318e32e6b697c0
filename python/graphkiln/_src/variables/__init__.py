"""Variables and modules."""
