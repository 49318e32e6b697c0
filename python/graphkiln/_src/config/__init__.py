"""Devices, threads, versions."""
