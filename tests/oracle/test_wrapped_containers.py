"""What lists, dictionaries and tuples become as attributes: the same that TensorFlow
makes of them, to the text of errors."""

from __future__ import annotations

import collections
import copy
import pickle
import re
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import tensorflow as original
from tensorflow.python.trackable import data_structures as original_wrappers

import graphkiln as own
from graphkiln._src.checkpoint import data_structures as own_wrappers
from graphkiln._src.checkpoint import tracked_containers as own_containers

Pair = collections.namedtuple("Pair", "x weights")


class Closed(collections.namedtuple("Closed", "x")):
    def __new__(cls) -> Closed:
        return super().__new__(cls, [])


class Bag(list):
    """A class of the user's."""


def wrappers(tf: Any) -> Any:
    if tf is original:
        return original_wrappers
    return SimpleNamespace(**{**vars(own_containers), **vars(own_wrappers)})


def names_of(tf: Any) -> dict[str, Any]:
    module = tf.Module()
    v, w = tf.Variable([1.0]), tf.Variable([2.0], trainable=False)
    module.l = [1, [2], {"a": v}]
    module.d = {"b": 1, "a": [v]}
    module.o = collections.OrderedDict(z=1, a=v)
    module.t = (1, v)
    module.n = Pair(v, [w])
    module.plain = (1, 2)
    module.deep = ((1, (2, v)),)
    module.bag = Bag([v])
    return {
        "tf": tf,
        "m": module,
        "v": v,
        "w": w,
        "ds": wrappers(tf),
        "copy": copy,
        "pickle": pickle,
        "nest": tf.nest,
        "Pair": Pair,
        "Closed": Closed,
        "OrderedDict": collections.OrderedDict,
    }


def said(tf: Any, program: str) -> str:
    """What the last line of a program gives, or what it raises."""
    names = names_of(tf)
    *before, last = program.split("; ")
    try:
        for line in before:
            exec(line, names)
        text = repr(eval(last, names))
    except Exception as error:
        text = f"{type(error).__name__}: {error}"
    text = re.sub(r"<class '[a-z_.A-Z]*\.(\w+)'>", r"<class \1>", text)
    text = re.sub(r"<tf\.Variable [^>]*>", "<variable>", text)
    return re.sub(r"0x[0-9a-f]+", "0x", text)


KINDS = [
    "type(m.l), type(m.l[1]), type(m.l[2])",
    "type(m.d), m.d.__class__, isinstance(m.d, dict)",
    "type(m.o), m.o.__class__, isinstance(m.o, OrderedDict)",
    "type(m.t), m.t.__class__, type(m.plain), type(m.bag)",
    "type(m.n), m.n.__class__, isinstance(m.n, Pair), m.n._fields, m.n.weights",
    "m.l, m.d, m.o, m.t, m.n, m.deep, m.bag",
    "str(m.l), str(m.d), str(m.t), str(m.n)",
    "f'{m.d} {m.t} {m.l}'",
    "ds.wrap_or_unwrap((1, 2)), ds.wrap_or_unwrap(ds.NoDependency([1]))",
    "m.x = ds.NoDependency([v]); type(m.x), sorted(m._trackable_children())",
    "m.x = m._no_dependency({}); type(m.x), 'x' in m._trackable_children()",
    "m.x = [ds.NoDependency(v), v]; m.x._trackable_children()",
    "m.x = {'a': ds.NoDependency(v)}; m.x, m.x._trackable_children()",
    "m.x = (ds.NoDependency(v), 1); m.x, m.x._trackable_children()",
    "tf.__internal__.tracking.wrap([(), {}])",
    "l = []; m.x = l; m.x.append(1); l",
    "l = []; m.x = l; l.append(1); m.x, len(m.x), list(m.x), bool(m.x)",
    "d = {}; m.x = d; m.x['a'] = [1]; d",
    "d = {}; m.x = d; d['a'] = 1; m.x, len(m.x), list(m.x.items())",
]
COPIES = [
    "type(copy.copy(m.d)), type(m.d.copy()), copy.copy(m.o).__class__",
    "type(copy.copy(m.t)), type(copy.copy(m.n)), type(copy.copy(m.l))",
    "c = copy.copy(m.l); c == m.l, c is m.l, c[1] is m.l[1]",
    "c = copy.deepcopy(m.l); type(c), c[1] is m.l[1], len(c)",
    "c = copy.deepcopy(m.d); type(c), c['a'] is m.d['a'], list(c)",
    "c = copy.deepcopy(m.n); type(c), c.weights is m.n.weights",
    "del m.l[0]; copy.copy(m.l)._trackable_children()",
    "d = {1: v}; m.x = d; copy.copy(m.x)._trackable_children()",
    "type(pickle.loads(pickle.dumps(ds.ListWrapper([1, 2]))))",
    "pickle.loads(pickle.dumps(ds._DictWrapper({'a': 1})))",
    "pickle.loads(pickle.dumps(ds._TupleWrapper((1, 2))))",
    "pickle.loads(pickle.dumps(ds._TupleWrapper(Pair(1, 2))))",
]
OPERATORS = [
    "type(m.l + [1]), type([1] + m.l), type(m.l * 2), type(m.l[0:1])",
    "m.l == [1, [2], {'a': v}], m.l != [1], m.l[1] < [3], m.l[1] >= [2]",
    "m.d == {'b': 1, 'a': [v]}, {} != m.d, m.t == (1, v), (1, v) == m.t",
    "type(m.t + (1,)), type(m.t * 2), m.t[1:], m.t.count(1), m.t.index(1)",
    "x = m.t; x *= 2; x, m.t",
    "x = m.t; x += (1,); type(x), m.t",
    "hash(m.l)",
    "hash(m.d)",
    "hash(ds._TupleWrapper((1, 2))) == hash((1, 2))",
    "m.l.index(1), m.l.count(1), 1 in m.l, list(reversed(m.l))[-1]",
    "dict(m.d), {**m.d}, m.d | {'q': 1}, {'q': 1} | m.d",
    "m.d.get('b'), list(m.d), len(m.d), 'a' in m.d, list(reversed(m.d))",
    "m.n._asdict(), m.n._replace(x=1)",
    "m.l.nothing",
    "m.d.nothing",
    "m.t.nothing",
    "m.l.sort(key=str)",
    "m.o.move_to_end('z'); list(m.o)",
    "tf.stack(ds.ListWrapper([1.0, 2.0])).numpy().tolist()",
    "l = [1]; m.x = l; l.append(2); tf.zeros(m.x).shape",
    "l = [1]; m.x = l; l.append(2); tf.constant(m.x).numpy().tolist()",
]
NESTS = [
    "type(nest.map_structure(str, m.l)), type(nest.map_structure(str, m.d))",
    "type(nest.map_structure(str, m.t)), type(nest.map_structure(str, m.n))",
    "nest.flatten(m.d), nest.flatten(m.n), nest.flatten(m.l), nest.flatten(m.deep)",
    "l = [1]; m.x = l; l.append(2); nest.flatten(m.x)",
    "d = {}; m.x = d; d['a'] = 2; nest.flatten(m.x)",
    "nest.assert_same_structure(m.d, dict(m.d))",
    "nest.assert_same_structure({'b': 1, 'a': [v]}, m.d)",
    "nest.assert_same_structure([1], m.l[1])",
    "nest.assert_same_structure(m.t, (1, 2))",
    "nest.pack_sequence_as(m.d, [1, 2]), nest.pack_sequence_as(m.n, [1, 2])",
    "m.variables, m.trainable_variables, m.non_trainable_variables",
    "m.x = [tf.Module()]; m.y = {'a': (m.x[0], tf.Module())}; len(m.submodules)",
]
MEMBERS = [
    "m.l.variables, m.d.variables, m.t.variables, m.n.trainable_variables",
    "m.l.layers, m.d.layers, m.l.losses, m.d.updates",
    "x = ds.ListWrapper([v, w]); x.trainable = False; x.weights, x.trainable_weights",
    "x = ds.ListWrapper([w, v]); x.weights, x.non_trainable_weights",
    "ds.List([v]), ds.Mapping(a=v), ds.List([v]) + [1]",
    "ds.List([1])",
    "ds.Mapping(a=1)",
    "ds.Mapping()[1] = v",
    "x = ds.Mapping(a=v); x['a'] = w",
    "x = ds.List([v]); x *= 0",
    "x = ds.List([v]); x *= 2; list(x), x.weights",
    "ds.List().pop()",
    "len({ds.List(), ds.List()}), ds.List() == ds.List()",
]
CHILDREN = [
    "list(m._trackable_children())",
    "m.l._trackable_children(), list(m.n._trackable_children())",
    "m.t._trackable_children(), m.d._trackable_children()",
    "m.v = v; m.v = 3; list(m._trackable_children())",
    "m.v = v; del m.v; 'v' in m._trackable_children()",
    "m.v = v; m._lookup_dependency('v') is v, m._lookup_dependency('x')",
    "m.f = tf.function(lambda: 1); list(m._trackable_children('savedmodel'))",
    "m.f = [tf.function(lambda: 1)]; list(m.f._trackable_children('savedmodel'))",
    "m.f = {'a': tf.function(lambda: 1)}; list(m.f._trackable_children('savedmodel'))",
    "m.x = (m,); list(m.x._trackable_children()), m.trainable_variables",
    "m._unconditional_checkpoint_dependencies[0].name",
    "m.x = Closed(); m.x._trackable_children()",
]
MUTATIONS = [
    *(
        f"m.x = [1, 2, {{}}]; {change}; m.x, m.x._trackable_children()"
        for change in (
            "m.x.append(v)",
            "m.x.append([v])",
            "m.x.extend([v, 1])",
            "m.x += [v]",
            "m.x.insert(0, 1)",
            "m.x.pop()",
            "m.x.pop(0)",
            "m.x.remove(1)",
            "m.x.clear()",
            "m.x.reverse()",
            "m.x[0] = v",
            "m.x[0] = 5",
            "m.x[2] = 5",
            "m.x[:] = [1]",
            "m.x[0:1] = [7]",
            "del m.x[0]",
            "del m.x[0:1]",
            "m.x *= 2",
            "m.x *= 0",
        )
    ),
    *(
        f"m.x = [3, 1, 2]; {change}; m.x, m.x._trackable_children()"
        for change in (
            "m.x.sort()",
            "m.x.insert(0, v)",
            "m.x.insert(0, 0)",
            "m.x.pop()",
            "m.x[1] = v",
            "m.x[:] = 2, 8, 9, 0",
            "del m.x[0]",
            "m.x *= -1",
        )
    ),
    *(
        f"m.x = {{'a': v, 'b': 1}}; {change}; m.x, m.x._trackable_children()"
        for change in (
            "m.x['c'] = w",
            "m.x['a'] = w",
            "m.x['a'] = 3",
            "m.x[1] = 2",
            "m.x[1] = v",
            "m.x[1] = ds.NoDependency(v)",
            "m.x.update(c=[v])",
            "del m.x['b']",
            "del m.x['a']",
            "m.x.pop('b')",
            "m.x.pop('zz', 0)",
            "m.x.pop('b'); m.x['c'] = 1",
            "m.x.popitem()",
            "m.x.clear()",
            "m.x.setdefault('b', 2)",
            "m.x.setdefault('c', 2)",
            "m.x.setdefault('c', 2); m.x.pop('c')",
            "m.x |= {'c': 1}",
        )
    ),
    "l = [1]; m.x = l; l.append(2); m.x._trackable_children()",
    "l = [1]; m.x = l; l[0] = 2; m.x.append(3); m.x._trackable_children()",
    "l = [1]; m.x = l; l.append(2); m.x.append(3); m.x._trackable_children()",
    "l = [1]; m.x = l; l.append(2); l.pop(); m.x._trackable_children()",
    "d = {}; m.x = d; d['a'] = 2; m.x._trackable_children()",
    "d = {'a': 1}; m.x = d; d['a'] = 2; m.x['a'] = 3; m.x._trackable_children()",
    "d = {'a': 1}; m.x = d; d['a'] = 2; m.x['b'] = 3; m.x._trackable_children()",
    "d = {}; m.x = d; d['a'] = 2; del m.x['a']; m.x._trackable_children()",
    "m.x = {1: 2, 2: None, 3: (4, 5)}; m.x._trackable_children()",
    "m.x = {1: []}; m.x._trackable_children()",
]
CHECKPOINTS = [
    "tf.train.Checkpoint(l=[v]).l",
    "tf.train.Checkpoint(root=[v])",
    "tf.train.Checkpoint(l=3)",
    "tf.train.Checkpoint(l=(1, 2))",
    "tf.train.Checkpoint(m, x={'a': v}).x",
    "c = tf.train.Checkpoint(m, l=m.l); c.l is m.l",
    "del m.l[0]; tf.train.Checkpoint(m).write('/never/written')",
    "m.x = Closed(); tf.train.Checkpoint(m).write('/never/written')",
]


@pytest.mark.parametrize(
    "program",
    KINDS + COPIES + OPERATORS + NESTS + MEMBERS + CHILDREN + MUTATIONS + CHECKPOINTS,
)
def test_programs(program: str) -> None:
    assert said(own, program) == said(original, program)


def traced(tf: Any, seen: list) -> Any:
    @tf.function
    def more(x: Any) -> Any:
        seen.append(type(x))
        return tf.nest.map_structure(lambda y: y + 1.0, x)

    return more


MAKERS = [list, tuple, lambda x: {"a": x[0]}, lambda x: Pair(*x)]


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("tf", [original, own])
def test_traces_are_those_of_plain_containers(make: Any, tf: Any) -> None:
    seen: list = []
    more = traced(tf, seen)
    plain = make([tf.constant(1.0), tf.constant(2.0)])
    kinds = {list: wrappers(tf).ListWrapper, dict: wrappers(tf)._DictWrapper}
    wrapped = kinds.get(type(plain), wrappers(tf)._TupleWrapper)(plain)
    assert type(more(plain)) is type(more(wrapped)) is type(plain)
    assert seen == [type(plain)]
    assert more.get_concrete_function(plain) is more.get_concrete_function(wrapped)


@pytest.mark.parametrize("tf", [original, own])
def test_parts_that_come_later_are_restored(tf: Any, tmp_path: Any) -> None:
    def tree(value: float, full: bool) -> Any:
        root = tf.Module()
        root.items = [tf.Variable(value), {}] if full else []
        root.named = {}
        if full:
            root.items[1]["a"] = tf.Variable(value + 1.0)
            root.named["b"] = [tf.Variable(value + 2.0)]
        return root

    path = tf.train.Checkpoint(tree(5.0, True)).write(str(tmp_path / "c"))
    root = tree(0.0, False)
    status = tf.train.Checkpoint(root).read(path)
    root.items.append(tf.Variable(0.0))
    assert root.items[0].numpy() == 5.0
    root.items.extend([{"a": tf.Variable(0.0)}])
    assert root.items[1]["a"].numpy() == 6.0
    root.named["b"] = []
    root.named["b"].append(tf.Variable(0.0))
    assert root.named["b"][0].numpy() == 7.0
    status.assert_consumed()


@pytest.mark.parametrize("writer", [original, own])
@pytest.mark.parametrize("reader", [original, own])
def test_loaded_models_have_them(writer: Any, reader: Any, tmp_path: Any) -> None:
    root = writer.Module()
    root.l = [writer.Variable(1.0), [writer.Variable(2.0)]]
    root.d = {"a": writer.Variable(3.0)}
    root.t = (writer.Variable(4.0), {"b": writer.Variable(5.0)})
    writer.saved_model.save(root, str(tmp_path / "m"))
    loaded = reader.saved_model.load(str(tmp_path / "m"))
    assert [type(loaded.l).__name__, type(loaded.d).__name__] == [
        "ListWrapper",
        "_DictWrapper",
    ]
    assert loaded.l[1][0].numpy() == 2.0
    assert loaded.d["a"].numpy() == 3.0
    assert loaded.t[1]["b"].numpy() == 5.0
    reader.saved_model.save(loaded, str(tmp_path / "again"))
    again = writer.saved_model.load(str(tmp_path / "again"))
    assert again.t[0].numpy() == 4.0


@pytest.mark.parametrize("writer", [original, own])
@pytest.mark.parametrize("reader", [original, own])
def test_models_of_graphs_of_the_first_version(
    writer: Any, reader: Any, tmp_path: Any
) -> None:
    v1 = writer.compat.v1
    with writer.Graph().as_default(), v1.Session() as session:
        root = writer.Module()
        root.v = writer.Variable(3.0, name="weight")
        session.run(root.v.initializer)
        session.run(root.v.assign(4.0))
        root.f = writer.function(
            lambda x: root.v * x, input_signature=[writer.TensorSpec([])]
        )
        writer.saved_model.save(root, str(tmp_path / "m"))
    loaded = reader.saved_model.load(str(tmp_path / "m"))
    assert loaded.f(2.0).numpy() == 8.0
    assert loaded.v.name == "weight:0"


def test_metaclasses_of_modules() -> None:
    class Counted(type):
        made = 0

        def __call__(cls, *args: Any) -> Any:
            Counted.made += 1
            return super().__call__(*args)

    for tf in (original, own):
        cls = Counted("Cls", (tf.Module,), {})
        assert isinstance(cls(), tf.__internal__.tracking.AutoTrackable)
    assert Counted.made == 2


def gaps(tf: Any) -> Any:
    root = tf.Module()
    root.items = [tf.Variable(1.0), 2.0, tf.Variable(3.0), "x"]
    root.pair = (0, tf.Variable(5.0))
    return root


def functions_of_objects(tf: Any) -> Any:
    root, inner = tf.Module(), tf.Module()
    inner.__call__ = tf.function(lambda x: x * 3.0, input_signature=[tf.TensorSpec([])])
    root.__call__ = inner
    return root


def defaults(tf: Any) -> Any:
    class Adder(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([]), tf.TensorSpec([2])])
        def add(self, x: Any = np.array(5.0), y: Any = ONES[tf]) -> Any:
            return x + y

    return Adder()


ONES = {tf: tf.constant([1.0, 2.0]) for tf in (original, own)}
ASKED = [
    (
        gaps,
        lambda m: [m.items[0].numpy(), m.items[1], m.items[2].numpy(), len(m.items)],
    ),
    (gaps, lambda m: [m.pair[0], m.pair[1].numpy()]),
    (functions_of_objects, lambda m: [callable(m), m(2.0).numpy()]),
    (defaults, lambda m: m.add().numpy().tolist()),
    (defaults, lambda m: m.add(1.0).numpy().tolist()),
]


@pytest.mark.parametrize("number", range(len(ASKED)))
@pytest.mark.parametrize("writer", [original, own])
@pytest.mark.parametrize("reader", [original, own])
def test_what_loaded_models_answer(
    number: int, writer: Any, reader: Any, tmp_path: Any
) -> None:
    make, ask = ASKED[number]
    answers = []
    for save, load in ((writer, reader), (original, original)):
        folder = str(tmp_path / f"{save.__name__}{load.__name__}")
        save.saved_model.save(make(save), folder)
        answers.append(ask(load.saved_model.load(folder)))
    assert answers[0] == answers[1]


def number_of(tf: Any) -> Any:
    """One that says its tensors by itself."""

    class Number(tf.__internal__.tracking.Trackable):
        def __init__(self) -> None:
            self.v = tf.Variable(1)

        def _serialize_to_tensors(self) -> Any:
            return {"n": self.v.read_value()}

        def _restore_from_tensors(self, restored: Any) -> Any:
            return self.v.assign(restored["n"])

    return Number()


@pytest.mark.parametrize("tf", [original, own])
def test_a_graph_restores_what_a_class_says(tf: Any, tmp_path: Any) -> None:
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        root = tf.Module()
        root.number = number_of(tf)
        session.run(root.number.v.initializer)
        session.run(root.number.v.assign(7))
        checkpoint = v1.train.Checkpoint(root=root)
        path = checkpoint.save(str(tmp_path / "new" / "c"), session=session)
        session.run(root.number.v.assign(0))
        checkpoint.restore(path).assert_consumed().run_restore_ops(session)
        assert session.run(root.number.v) == 7


def filled_later(tf: Any, path: str) -> list[Any]:
    """Elements that come after a checkpoint was restored: one fits, one does not."""
    owner = tf.Module()
    owner.row, owner.table = [], {}
    status = tf.train.Checkpoint(owner=owner).restore(path)
    for shape in ([2], [1]):
        owner.row.append(tf.Variable(tf.zeros(shape)))
    for key, shape in {"fits": [2], "other": [1]}.items():
        owner.table[key] = tf.Variable(tf.zeros(shape))
    values = [*owner.row, *owner.table.values()]
    return [type(status).__name__, *(value.numpy().tolist() for value in values)]


def test_elements_whose_saved_values_do_not_fit_keep_theirs(tmp_path: Any) -> None:
    owner = original.Module()
    owner.row = [original.Variable([1.0, 2.0]), original.Variable([3.0, 4.0, 5.0])]
    owner.table = {
        "fits": original.Variable([6.0, 7.0]),
        "other": original.Variable([8.0, 9.0]),
    }
    path = original.train.Checkpoint(owner=owner).save(str(tmp_path / "c"))
    expected = ["CheckpointLoadStatus", [1.0, 2.0], [0.0], [6.0, 7.0], [0.0]]
    assert filled_later(original, path) == expected
    assert filled_later(own, path) == expected
