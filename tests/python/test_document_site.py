"""What the site of documents is made of: tools/document_site."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SITE = Path(__file__).resolve().parents[2] / "tools" / "document_site"
sys.path.insert(0, str(SITE))

import check  # noqa: E402
import cpp_comments  # noqa: E402
import docstrings  # noqa: E402


def test_docstrings_become_markdown():
    lines = docstrings.markdown(
        "Adds a_b * c.\n\n"
        "Args:\n  x: a number,\n    `one` of <many>.\n\n"
        ">>> tf.add(1, 2)\n3\n\n"
        "Raises ValueError."
    )
    assert [line for line in lines if line] == [
        r"Adds a\_b \* c.",
        "**Args**",
        "- `x`: a number,",
        "  `one` of &lt;many>.",
        "```pycon",
        ">>> tf.add(1, 2)",
        "3",
        "```",
        "Raises ValueError.",
    ]


def test_tables_get_one_sentence():
    assert docstrings.first_sentence("x | y; joins\nstrings. More.") == r"x \| y"


HEADER = """\
// What it is:
//
//   gk::f(1);
#ifndef X_H_
namespace gk {
GK_API_NAMESPACE {
// Stands alone.

// Does `a` & more.
int f(int x);  // never 0
class A {
 public:
  // --- For the library itself.
  int* impl();
 private:
  int x_;
};
}  // GK_API_NAMESPACE
}
"""


def test_comments_of_headers_are_shown_to_doxygen():
    shown = cpp_comments.shown(HEADER, "x.h").splitlines()
    assert shown[:6] == [
        r"/// \file x.h",
        "/// What it is:",
        "///",
        r"/// \code{.cpp}",
        "///   gk::f(1);",
        r"/// \endcode",
    ]
    assert "// Stands alone." in shown
    assert r"/// Does `a` \& more." in shown
    assert "int f(int x);  ///< never 0" in shown
    hidden = shown[shown.index(r"/// \cond") : shown.index(r"/// \endcond")]
    assert "  int* impl();" in hidden
    assert not any("GK_API_NAMESPACE" in line for line in shown)


@pytest.mark.parametrize(
    "html, told",
    [
        ('<a href="b.html#here">', []),
        ('<a href="https://example.com">', []),
        ('<a href="c.html">', ["a.html: no c.html"]),
        ('<a href="b.html#there">', ["a.html: no place b.html#there"]),
        ('<a href="../b.html">', ["a.html: no ../b.html"]),
        (
            '<script src="https://example.com/x.js"></script>',
            ["a.html fetches https://example.com/x.js"],
        ),
        (
            '<link rel="stylesheet" href="//example.com/x.css">',
            ["a.html fetches //example.com/x.css"],
        ),
    ],
)
def test_links_of_pages_are_followed(html, told, tmp_path):
    (tmp_path / "a.html").write_text(html)
    (tmp_path / "b.html").write_text('<h1 id="here">')
    assert check.problems(tmp_path) == told


@pytest.mark.slow
def test_the_reference_has_every_name(tmp_path):
    program = (
        "import public_api\nfor n in public_api.public_names(): print('tf.' + n.name)"
    )
    paths = {"PYTHONPATH": ":".join([str(SITE.parent), *sys.path])}
    names = subprocess.run(
        [sys.executable, "-c", program],
        env=paths,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    subprocess.run(
        [sys.executable, str(SITE / "python_pages.py"), str(tmp_path)],
        env=paths,
        check=True,
    )
    pages = {path.stem: path.read_text() for path in tmp_path.glob("*.md")}
    text = "\n".join(pages.values())
    names = [name for name in names if "__internal__" not in name]
    assert len(names) > 1800
    assert [name for name in names if f"`{name}`" not in text] == []
    assert "## `tf.math.add` { #tf.math.add }" in pages["tf.math"]
    assert "tf.math.add(x, y, name=None)" in pages["tf.math"]
    assert "## `assign_add` { #tf.Variable.assign_add }" in pages["tf.Variable"]
