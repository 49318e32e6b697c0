#!/usr/bin/env python3
"""Writes the first code block of a language in a Markdown page to a file.

Usage: code_block.py PAGE LANGUAGE OUTPUT
"""
import re
import sys
from pathlib import Path


def main() -> None:
    page, language, output = Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])
    block = re.search(rf"^```{language}\n(.*?)^```", page.read_text(), re.M | re.S)
    if not block:
        sys.exit(f"{page} has no {language} block")
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(block.group(1))


if __name__ == "__main__":
    main()
