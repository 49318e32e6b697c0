"""Values of graphs as messages."""
