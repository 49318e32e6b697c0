"""From the import to the exit of a process: what threads, finalisers and
interpreters may do at any of these moments."""

import sys

import pytest
from child_program import check_child

FIRST_USES = {
    "autograph": "tf.function(body)(tf.constant(1.)).numpy() == 2.",
    "data": "len(list(tf.data.Dataset.range(3).batch(2))) == 2",
    "ragged": "tf.ragged.constant([[1], [2, 3]]).to_tensor().shape == (2, 2)",
    "gradients": "tf.gradients is not None and tf.nn.relu(-1.) == 0.",
    "modules": "tf.Module().name and tf.random.Generator.from_seed(1) is not "
    "None and tf.initializers.Ones()([1])[0] == 1.",
    "graphs": "tf.function(body).get_concrete_function(tf.constant(1.)).graph"
    ".as_graph_def() is not None",
}


@pytest.mark.parametrize("use", [*FIRST_USES, "all"])
def test_first_uses_from_several_threads_at_once(use, tmp_path):
    uses = list(FIRST_USES.values()) if use == "all" else [FIRST_USES[use]]
    program = tmp_path / "program.py"  # AutoGraph reads the source
    program.write_text(
        "import sys, threading\n"
        "import graphkiln as tf\n"
        "def body(x):\n"
        "    if x > 0.: x = x + 1.\n"
        "    return x\n"
        f"uses = [{', '.join('lambda: ' + u for u in uses)}]\n"
        "barrier, errors = threading.Barrier(8), []\n"
        "def run(i):\n"
        "    barrier.wait()\n"
        "    try: assert uses[i % len(uses)]()\n"
        "    except BaseException as e: errors.append(repr(e))\n"
        "threads = [threading.Thread(target=run, args=(i,)) for i in range(8)]\n"
        "for t in threads: t.start()\n"
        "for t in threads: t.join()\n"
        "print(errors)\n"
        "sys.exit(bool(errors))\n"
    )
    for _ in range(3):
        check_child(f"import runpy; runpy.run_path({str(program)!r})")


def test_the_collector_may_run_while_a_callback_is_made():
    check_child(
        """
        import faulthandler, gc
        import graphkiln as tf
        faulthandler.dump_traceback_later(60, exit=True)
        class Node: pass
        def gen():
            yield 1
            yield 2
        d = tf.data.Dataset.from_generator(
            gen, output_signature=tf.TensorSpec([], tf.int32))
        gc.set_threshold(1)
        for i in range(60):
            n = Node(); n.me = n; n.it = iter(d); next(n.it); del n
            for _ in range(20):
                tf.py_function(lambda y: y, [1.], tf.float32)
        """
    )


def test_no_lock_of_python_is_held_where_finalisers_may_run():
    """A finaliser that uses everything that had a lock of its own, run from
    inside of the same thing."""
    check_child(
        """
        import faulthandler, gc
        import graphkiln as tf
        faulthandler.dump_traceback_later(60, exit=True)
        tf.random.set_seed(1)
        busy = False
        def everything():
            tf.random.uniform([1])
            tf.py_function(lambda y: y, [1.], tf.float32)
            tf.function(lambda x: x + 1., autograph=False)(1.)
            tf.config.list_logical_devices()
        class Node:
            def __del__(self):
                global busy
                if busy: return
                busy = True
                everything()
                busy = False
        gc.set_threshold(1)
        for _ in range(200):
            n = Node(); n.me = n; del n
            everything()
        """
    )


BUSY = {
    "calls": "f(a)",
    "traces": "tf.function(lambda x: tf.tanh(x) + 1.)(a)",
    "eager": "tf.matmul(a, a)",
    "datasets": "list(d)",
    "callbacks": "g(a)",
}


@pytest.mark.parametrize("busy", BUSY)
def test_a_program_ends_while_its_threads_are_busy(busy):
    for wait in (0, 0.2):
        check_child(
            f"""
            import threading, time
            import graphkiln as tf
            a = tf.ones([200, 200])
            f = tf.function(lambda x: tf.matmul(x, x), autograph=False)
            g = tf.function(lambda x: tf.py_function(
                lambda y: y + 1., [x], tf.float32), autograph=False)
            d = tf.data.Dataset.range(100).map(
                lambda i: i + 1, num_parallel_calls=2).prefetch(2)
            def run():
                while True: {BUSY[busy]}
            for _ in range(4): threading.Thread(target=run, daemon=True).start()
            time.sleep({wait})
            """
        )


def test_the_package_is_imported_again():
    """One package a process: whoever took it out gets the same one again."""
    check_child(
        """
        import gc, sys
        import graphkiln as tf
        f = tf.function(lambda x: x + 1.)
        def remove():
            for m in [m for m in sys.modules if m.startswith("graphkiln")]:
                del sys.modules[m]
        remove()
        import graphkiln
        assert graphkiln is tf
        import graphkiln.math, graphkiln.data
        assert graphkiln.data.Dataset is tf.data.Dataset
        assert float(f(1.)) == 2. and float(tf.constant(1.) + 1.) == 2.
        remove()
        # Nobody imports it: what it imports late works all the same.
        assert float(tf.function(lambda x: tf.cond(x > 0., lambda: x, lambda: -x))(
            tf.constant(-3.))) == 3.
        try: tf.matmul([[1.]], [[1.], [2.]])
        except tf.errors.InvalidArgumentError: pass
        assert list(tf.data.Dataset.range(2).as_numpy_iterator()) == [0, 1]
        gc.collect()
        """
    )


def test_a_subinterpreter_is_refused():
    out = check_child(
        """
        import _xxsubinterpreters as interpreters
        import graphkiln as tf
        other = interpreters.create()
        for _ in range(2):
            interpreters.run_string(other, '''if True:
                try: import graphkiln
                except ImportError as e: print("refused:", e, flush=True)
                ''')
        assert float(tf.function(lambda x: x + 1.)(1.)) == 2.
        with tf.name_scope("a"):
            assert tf.DeviceSpec(job="b").job == "b"
        interpreters.destroy(other)
        assert float(tf.reduce_sum(tf.ones([1000, 1000]))) == 1e6
        assert list(tf.data.Dataset.range(4).map(
            lambda x: x, num_parallel_calls=2).as_numpy_iterator()) == [0, 1, 2, 3]
        """
    )
    # From 3.12 on Python refuses it before the extension can.
    words = (
        "module graphkiln._graphkiln does not support loading in subinterpreters"
        if sys.version_info >= (3, 12)
        else "graphkiln cannot be imported in a subinterp"
    )
    assert out.count(f"refused: {words}") == 2


def test_recursion_ends_with_an_error_on_any_stack():
    out = check_child(
        """
        import sys, threading
        import graphkiln as tf
        sys.setrecursionlimit(10**6)
        def trace(n):
            return tf.function(lambda x: trace(n + 1), autograph=False)(1.)
        g = tf.function(lambda x: tf.py_function(
            lambda y: g(y), [x], tf.float32), autograph=False)
        def run(f):
            try: f()
            except BaseException as e: print(type(e).__name__, len(str(e)) < 10**6)
        for size in (0, 512 << 10, 2 << 20):
            threading.stack_size(size)
            for f in (lambda: trace(0), lambda: g(1.)):
                t = threading.Thread(target=run, args=(f,)); t.start(); t.join()
        """
    )
    assert out.splitlines() == ["RecursionError True", "UnknownError True"] * 3


def test_functions_nested_thousands_deep():
    out = check_child(
        """
        import graphkiln as tf
        f = lambda x: x * 1.0001
        x = tf.constant(1.)
        for _ in range(5000):
            f = tf.function(lambda y, f=f: f(y) + 0., autograph=False)
            f.get_concrete_function(tf.TensorSpec([], tf.float32))
        for what in (lambda: f(x), lambda: tape()):
            def tape():
                with tf.GradientTape() as t:
                    t.watch(x); y = f(x)
                return t.gradient(y, x)
            try: print("%.4f" % float(what()))
            except (RecursionError, tf.errors.ResourceExhaustedError) as e:
                print(type(e).__name__)
        """,
        patience=300,
    )
    assert len(out.splitlines()) == 2


def test_memory_that_cannot_be_had_is_an_error():
    out = check_child(
        """
        import resource
        import numpy as np
        import graphkiln as tf
        resource.setrlimit(resource.RLIMIT_AS, (3 << 30,) * 2)
        big = tf.ones([40_000_000])
        f = tf.function(lambda x: tf.unique(x), autograph=False)
        def variants():
            d = tf.data.Dataset.range(10**9).map(lambda i: tf.ones([10**6]))
            return [list(d)]
        for work in (
            lambda: tf.fill([2**28], "x"),
            lambda: tf.fill(tf.constant([2**36], tf.int64), "x"),
            lambda: tf.tile(["x"], [2**28]),
            lambda: tf.where(tf.fill([2**29], True)),
            lambda: f(tf.range(10**8)),
            lambda: tf.random.shuffle(tf.range(5 * 10**8)),
            lambda: tf.strings.as_string(tf.range(10**8)),
            lambda: [tf.constant(np.ones(10**8)) for _ in range(10)],
            variants,
        ):
            try: work(); print("done")
            except (tf.errors.ResourceExhaustedError, MemoryError) as e: print("exhausted")
        print(float(tf.reduce_sum(tf.ones([100]))))
        """
    )
    lines = [line for line in out.splitlines() if "Graph" not in line]
    assert lines.count("exhausted") == 9 and lines[-1] == "100.0", out


def test_strings_that_no_machine_holds_are_refused_at_once():
    out = check_child(
        """
        import time
        import graphkiln as tf
        start = time.time()
        try: tf.fill(tf.constant([2**36], tf.int64), "x")
        except tf.errors.ResourceExhaustedError as e: print(e)
        assert time.time() - start < 5
        """
    )
    assert "shape[68719476736]" in out and "string" in out


def test_no_entry_of_the_binding_lets_exceptions_out():
    """Every function that Python calls stands in its table as Guarded."""
    import pathlib
    import re

    folder = pathlib.Path(__file__).parents[2] / "python" / "src"
    assert folder.is_dir()
    bare = []
    for path in folder.glob("*.cc"):
        text = path.read_text()
        tables = re.findall(
            r"Py(?:MethodDef|GetSetDef) \w+\[\] = \{.*?\n? *\{nullptr",
            text, flags=re.S,
        )
        for entry in re.findall(
            r'\{"\w+",\s+(\w[\w:]*)[<(,]', "".join(tables)
        ):
            if entry not in (
                "Guarded", "METHOD", "AsCFunction",
                # Guarded as well.
                "OnlyArgument", "NAMED", "ARGUMENT",
            ):
                bare.append((path.name, entry))
        for entry in re.findall(r"AsCFunction\((?!Guarded|F\b)(\w+)", text):
            bare.append((path.name, entry))
        for entry in re.findall(r"\{Py_\w+,\s+(?!Slot<|PlainSlot|Doc\()(\w+)", text):
            bare.append((path.name, entry))
    # The interpreter's own functions.
    own = {"PyObject_GenericGetDict"}
    tables_by_name = {"eager_tensor_methods", "symbolic_tensor_methods",
                      "tensor_getset", "tensor_methods", "getset", "methods",
                      "Table", "JoinedTables", "nullptr"}
    assert [b for b in bare if b[1] not in own | tables_by_name] == []


LET_GO_OF = {
    "by another thread": """
t = tf.GradientTape(persistent=True); t.__enter__(); t.watch(x); x * 2.
box = [t]; del t
in_a_thread(lambda: (box.pop(), gc.collect()))
""",
    "with its block, by another thread": """
def block():
    with tf.GradientTape() as t:
        t.watch(x); yield t
g = block(); next(g); box = [g]; del g
in_a_thread(lambda: (box.pop(), gc.collect()))
""",
    "within a trace": """
t = tf.GradientTape(); t.__enter__(); t.watch(x)
box = [t]; del t
@tf.function
def f(y):
    box.pop().__exit__(None, None, None)
    return y + 1.
f(x)
""",
    "when its thread has ended": """
box = []
def enter():
    box.append(tf.GradientTape()); box[0].__enter__(); box[0].watch(x); x * 2.
in_a_thread(enter)
box.pop()
""",
}


@pytest.mark.parametrize("how", LET_GO_OF)
def test_a_tape_that_records_is_let_go_of(how):
    check_child(
        """
import gc, threading
import graphkiln as tf
x = tf.ones([3])
def in_a_thread(do):
    thread = threading.Thread(target=do); thread.start(); thread.join()
"""
        + LET_GO_OF[how]
        + """
kept = [bytearray(64) for _ in range(1000)]
for _ in range(300): z = [tf.exp(x) * 2. for _ in range(10)]
with tf.GradientTape() as t:
    t.watch(x); y = tf.exp(x)
assert t.gradient(y, x).shape == [3]
with tf.GradientTape() as t:
    t.watch(x); y = tf.function(lambda a: a * 3.)(x)
assert t.gradient(y, x)[0] == 3.
"""
    )


def test_finalisers_run_while_modules_are_loaded():
    """The first trace, the first look at a dataset: whatever they load, a
    finaliser that traces meanwhile finds it whole."""
    out = check_child(
        """
        import gc
        import graphkiln as tf
        going, busy, ran = True, False, 0
        def body(x):
            if x > 0.: x = x + 1.
            return x
        class Node:
            def __init__(self): self.me = self
            def __del__(self):
                global busy, ran
                if going: Node()
                if busy: return
                busy, ran = True, ran + 1
                try:
                    with tf.init_scope(): assert float(tf.function(body)(1.)) == 2.
                except BaseException as e: print(type(e).__name__, e)
                busy = False
        f = tf.function(body)
        with tf.init_scope(): pass
        busy = True  # not yet
        Node()
        gc.set_threshold(20)
        def then():
            global busy
            busy = False
        import sys, importlib.abc
        class At(importlib.abc.MetaPathFinder):
            def find_spec(self, name, path, target=None):
                if name == "graphkiln.autograph.root": then()
        sys.meta_path.insert(0, At())
        assert float(f(1.)) == 2.
        gc.set_threshold(700)
        assert gc.isenabled()
        going = False
        print(ran > 0)
        """
    )
    assert out == "True\n"
