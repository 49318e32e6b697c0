"""Type specs, composite values, extension types, dispatch."""
