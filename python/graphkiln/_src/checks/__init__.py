"""Assertions and checks."""
