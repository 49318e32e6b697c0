"""Branches, loops, folds and maps; TensorArray."""
