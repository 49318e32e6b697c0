"""Summaries: event files that TensorBoard shows."""
