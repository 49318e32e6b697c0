"""Features of serialized examples."""
