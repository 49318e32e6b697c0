#!/usr/bin/env python3
"""What tools/opgen.py reads of a record's text, and what it refuses."""

import tempfile
import unittest
from pathlib import Path

import opgen
import opgen_public
from op_records import Op

RECORD = """\
#define NUMBERS "T: type in [float, " MORE "]"
#define MORE "double"
const OpRecord kRecords[] = {
    {.name = "Cube",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = %s,
     .gradient = [](GradContext& g) { g.Set(0, g.x(0)); },
     .doc = "Returns x * x * x,\\n  "
            "element-wise."},
};
GK_REGISTER_OPS(cube)
"""


class OpgenTest(unittest.TestCase):
    def read(self, text: str) -> tuple[list[str], list[Op]]:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "cube.cc"
            path.write_text(text)
            return opgen.read_ops(path)

    def refuses(self, text: str, line: int, what: str) -> None:
        with self.assertRaises(opgen.Unreadable) as caught:
            self.read(text)
        self.assertIn(f"cube.cc:{line}: ", str(caught.exception))
        self.assertIn(what, str(caught.exception))

    def test_literals_and_macros(self):
        files, (op,) = self.read(RECORD % "NUMBERS")
        self.assertEqual(files, ["cube"])
        self.assertEqual((op.name, op.inputs, op.outputs),
                         ("Cube", [("x", "T")], [("y", "T")]))
        self.assertEqual([(a.name, a.type) for a in op.attrs], [("T", "type")])
        self.assertEqual(op.doc, "Returns x * x * x,\n  element-wise.")

    def test_what_is_not_text_is_refused_with_its_place(self):
        self.refuses(RECORD % 'Numbers("T")', 7, ".attrs")
        self.refuses(RECORD % 'R"(T: type)"', 7, ".attrs")
        self.refuses(RECORD % '"T: type; "  // more\n "N: int"', 7, ".attrs")
        self.refuses(RECORD % "OTHERS", 7, "OTHERS")
        self.refuses(RECORD % '"T"', 7, "says no type")
        unnamed = RECORD.replace('"Cube"', "NameOf(3)") % '"T: type"'
        self.refuses(unnamed, 4, ".name")

    def test_fields_that_the_compiler_reads_otherwise(self):
        read = Op("Cube", [("x", "T")], [("y", "T")], doc="One.  Two.", where="a.cc:3")
        opgen_public.check_fields(
            [Op("Cube", [("x", "T")], [("y", "T")], doc="One. Two.")], [read])
        for compiled in (
            Op("Cube", [("x", "U")], [("y", "T")], doc="One. Two."),
            Op("Cube", [("x", "T")], [("y", "T")], doc="One."),
        ):
            with self.assertRaisesRegex(SystemExit, "^a.cc:3: .*Cube"):
                opgen_public.check_fields([compiled], [read])
        with self.assertRaisesRegex(SystemExit, "no record of the op Sphere"):
            opgen_public.check_fields([Op("Sphere")], [read])


if __name__ == "__main__":
    unittest.main()
