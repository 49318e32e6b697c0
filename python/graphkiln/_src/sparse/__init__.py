"""Sparse tensors and indexed slices."""
