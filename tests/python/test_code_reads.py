"""Names that code objects read, held against the standard disassembler."""

import argparse
import dis
import inspect
import pickle
import types

import pytest

from graphkiln._src.function import code_reads


def codes_of(code):
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from codes_of(constant)


def told(opname, argval):
    """What the disassembler's instruction is called here."""
    if opname in ("LOAD_GLOBAL", "LOAD_NAME"):
        return code_reads.GLOBAL
    if opname in ("LOAD_DEREF", "LOAD_CLASSDEREF"):
        return code_reads.CLOSURE
    if opname.startswith("LOAD_FAST") and opname != "LOAD_FAST_AND_CLEAR":
        return code_reads.ARGUMENT
    if opname in ("LOAD_ATTR", "LOAD_METHOD"):
        return "attribute"
    if opname.startswith("STORE_") and argval is not None:
        return "store"
    return "constant" if opname == "LOAD_CONST" else ""


@pytest.mark.parametrize("module", [argparse, inspect, pickle, dis])
def test_instructions_are_those_of_dis(module):
    source = inspect.getsource(module)
    compared = 0
    for code in codes_of(compile(source, module.__file__, "exec")):
        ours = list(code_reads._instructions(code))
        theirs = [i for i in dis.get_instructions(code) if i.opname != "EXTENDED_ARG"]
        assert [told(i.opname, i.argval) for i in theirs] == [o[0] for o in ours]
        for (what, named, line), i in zip(ours, theirs, strict=True):
            if what:
                assert named == i.argval
                assert line == (i.positions.lineno or line)
                compared += 1
    assert compared > 1500


def test_attributes_whose_names_have_large_numbers():
    names = "\n".join(f"    g.a{i}" for i in range(300))
    scope = {}
    exec(f"def f():\n{names}\n    return g.last.one", scope)
    reads = code_reads.reads_of(scope["f"].__code__)
    assert reads[-1].attributes == ("last", "one")
    assert len(reads) == 301


def test_arguments_cells_and_inner_functions():
    scale = object()

    def f(model, rate):
        rate = rate + 1
        held = model.config

        def inner():
            return scale.value, model.units, held, len(model.name)

        return inner, rate

    reads = {(r.kind, r.name, r.attributes) for r in code_reads.reads_of(f.__code__)}
    assert reads == {
        (code_reads.ARGUMENT, "model", ("config",)),
        (code_reads.CLOSURE, "scale", ("value",)),
        (code_reads.ARGUMENT, "model", ("units",)),
        (code_reads.ARGUMENT, "model", ("name",)),
        (code_reads.GLOBAL, "len", ()),
    }
