"""Linear operators, and what is solved with them."""
