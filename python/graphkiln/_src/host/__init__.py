"""Calls back into Python, printing, logging."""
