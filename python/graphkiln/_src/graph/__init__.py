"""Graphs, their scopes, files and pictures."""
