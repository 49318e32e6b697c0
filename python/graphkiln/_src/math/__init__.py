"""Functions of several ops."""
