"""Files: file systems that are written in Python, and old names."""
