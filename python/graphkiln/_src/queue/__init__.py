"""Queues and critical sections."""
