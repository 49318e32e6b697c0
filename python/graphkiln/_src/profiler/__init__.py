"""Profiles: what a program does and how long it takes."""
