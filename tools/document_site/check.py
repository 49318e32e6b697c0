"""Checks a folder of HTML: each link to a file or a place in one leads somewhere, and
no page needs the network to be shown.

usage: check.py FOLDER
"""

import sys
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# What a browser fetches by itself; `a` is for people.
FETCHED = {
    ("script", "src"),
    ("img", "src"),
    ("link", "href"),
    ("iframe", "src"),
    ("source", "src"),
    ("object", "data"),
}
# Links that name things and fetch nothing.
NAMES = {"canonical", "prev", "next", "alternate"}


@dataclass
class Page(HTMLParser):
    path: Path
    places: set[str] = field(default_factory=set)
    links: list[tuple[str, bool]] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()
        self.feed(self.path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        values = {key: value or "" for key, value in attrs}
        self.places |= {values[key] for key in ("id", "name") if key in values}
        for key in ("href", "src", "data"):
            fetched = (tag, key) in FETCHED and values.get("rel") not in NAMES
            if key in values and (fetched or (tag, key) == ("a", "href")):
                self.links.append((values[key], fetched))


def problems(folder: Path) -> list[str]:
    pages = {path: Page(path) for path in sorted(folder.rglob("*.html"))}
    out = []
    for path, page in pages.items():
        where = path.relative_to(folder)
        if where.name == "404.html":
            continue  # a server shows it for any address
        # Doxygen 1.9 links to places of friends, which it leaves out.
        own = path.parent if path.with_name("doxygen.css").exists() else None
        for link, fetched in dict.fromkeys(page.links):
            parts = urlsplit(link)
            if parts.scheme in ("http", "https") or parts.netloc:
                if fetched:
                    out.append(f"{where} fetches {link}")
                continue
            if parts.scheme:  # mailto, data, javascript
                continue
            target = path
            if parts.path:
                target = (path.parent / unquote(parts.path)).resolve()
            if target.is_dir():
                target /= "index.html"
            if not target.is_file() or folder not in target.parents:
                out.append(f"{where}: no {link}")
            elif parts.fragment and target in pages and target.parent != own:
                place = unquote(parts.fragment)
                if place not in pages[target].places and not place.startswith("__"):
                    out.append(f"{where}: no place {link}")
    return out


def main() -> None:
    found = problems(Path(sys.argv[1]).resolve())
    for line in found[:50]:
        print(line)
    if found:
        sys.exit(f"{len(found)} links lead nowhere")


if __name__ == "__main__":
    main()
