import sys
from pathlib import Path

# The table is imported by its name, here and in the oracle's tests.
sys.path.insert(0, str(Path(__file__).parent))
