"""Structures with fields, many at once."""
