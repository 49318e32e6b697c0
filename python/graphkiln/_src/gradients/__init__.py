"""Tapes, forward mode, gradients of graphs."""
