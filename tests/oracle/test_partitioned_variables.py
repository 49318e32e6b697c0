"""Variables that are made of parts, and their checkpoints, in both directions."""

import numpy as np
import pytest
import tensorflow as tf

import graphkiln as gk

pytestmark = pytest.mark.filterwarnings("ignore")

LIBRARIES = [gk, tf]
TABLE = np.arange(14, dtype=np.float32).reshape(7, 2)


def build(t, parts=3):
    v1 = t.compat.v1
    with v1.variable_scope("p", partitioner=v1.fixed_size_partitioner(parts)):
        w = v1.get_variable("w", initializer=t.constant(TABLE))
        b = v1.get_variable("b", [5], initializer=v1.ones_initializer())
        s = v1.get_variable("s", [], initializer=v1.zeros_initializer())
    c = v1.get_variable(
        "c",
        [2, 5],
        initializer=v1.constant_initializer([[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]]),
        partitioner=v1.fixed_size_partitioner(1, axis=1),
    )
    return w, b, s, c


def facts(t):
    v1 = t.compat.v1
    with t.Graph().as_default(), v1.Session() as session:
        w, b, s, c = build(t)
        looked = v1.nn.embedding_lookup(w, [0, 6, 3], partition_strategy="div")
        session.run(v1.global_variables_initializer())
        shown = [
            [(v.name, v.shape.as_list()) for v in v1.global_variables()],
            [(x.name, list(x.shape), x.dtype.name, len(x)) for x in (w, b, c)],
            s.name,
            [
                session.run(x).tolist()
                for x in (w.as_tensor(), t.add(b, 1.0), t.multiply(c, 2.0), looked)
            ],
            [v._get_save_slice_info().spec for v in w]
            if t is tf
            else [v._save_slice_info.spec for v in w],
        ]
        session.run(w.assign(TABLE * 2))
        session.run(b.assign_add(t.constant([1.0, 2.0, 3.0, 4.0, 5.0])))
        shown += [session.run(x.as_tensor()).tolist() for x in (w, b)]
        with v1.variable_scope("p", reuse=True):
            again = v1.get_variable(
                "w", [7, 2], partitioner=v1.fixed_size_partitioner(3)
            )
        shown.append(again is w)
        return shown


def test_both_make_the_same_parts():
    ours, theirs = facts(gk), facts(tf)
    for mine, other in zip(ours, theirs, strict=True):
        assert mine == other


@pytest.mark.parametrize("writer", LIBRARIES)
@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("sharded", [False, True])
def test_checkpoints_go_both_ways(tmp_path, writer, version, sharded):
    v1 = writer.compat.v1
    with writer.Graph().as_default(), v1.Session() as session:
        build(writer)
        session.run(v1.global_variables_initializer())
        saver = v1.train.Saver(write_version=version, sharded=sharded)
        path = saver.save(session, str(tmp_path / "m"))
    for t in LIBRARIES:
        assert t.train.list_variables(path) == [
            ("c", [2, 5]),
            ("p/b", [5]),
            ("p/s", []),
            ("p/w", [7, 2]),
        ]
        for parts in (2, 3, 1):  # read by others than were written
            with t.Graph().as_default(), t.compat.v1.Session() as session:
                w, b, s, c = build(t, parts)
                t.compat.v1.train.Saver().restore(session, path)
                assert session.run(w.as_tensor()).tolist() == TABLE.tolist()
                assert session.run(b.as_tensor()).tolist() == [1.0] * 5
        with t.Graph().as_default(), t.compat.v1.Session() as session:
            whole = t.Variable(t.zeros([7, 2]), name="p/w")
            t.compat.v1.train.Saver([whole]).restore(session, path)
            assert session.run(whole).tolist() == TABLE.tolist()
        with t.Graph().as_default(), t.compat.v1.Session() as session:
            meta = str(tmp_path / "m.meta")
            saver = t.compat.v1.train.import_meta_graph(meta, import_scope="in")
            saver.restore(session, path)
            found = t.compat.v1.global_variables()
            specs = (
                [
                    (info.full_name, info.spec)
                    for info in (v._save_slice_info for v in found)
                    if info is not None
                ]
                if t is tf
                else [
                    (v._save_slice_info.full_name, v._save_slice_info.spec)
                    for v in found
                    if hasattr(v, "_save_slice_info")
                ]
            )
            assert ("in/p/w", "7 2 3,2:0,2") in specs
            assert len(specs) == 7


def refusal(call):
    try:
        call()
    except Exception as error:  # noqa: BLE001 - which it is, is what is asked for
        return type(error).__name__
    return None


def test_both_refuse_the_same():
    shown = []
    for t in LIBRARIES:
        v1 = t.compat.v1
        get, parts = v1.get_variable, v1.fixed_size_partitioner(2)
        with t.Graph().as_default():
            build(t)
            get("plain", [3])
            calls = [
                lambda g=get, p=parts: g("plain", [3], partitioner=p),
                lambda g=get: g("c", [2, 5]),
                lambda g=get, p=parts: g("c", [2, 5], partitioner=p),
                lambda g=get: g("x", [4], partitioner=3),
                lambda g=get: g("x", [4], partitioner=lambda shape, dtype: 2),
                lambda g=get: g("x", [4], partitioner=lambda shape, dtype: [1, 2]),
                lambda g=get: g("x", [4], partitioner=lambda shape, dtype: [0]),
                lambda g=get: g("x", [4, 4], partitioner=lambda shape, dtype: [2, 2]),
                lambda g=get, p=parts: g("x", [None], partitioner=p),
                lambda v=v1: v.variable_axis_size_partitioner(0),
            ]
            shown.append([refusal(call) for call in calls])
    assert shown[0] == shown[1]
    assert None not in shown[0]


def test_partitioners_agree(both):
    both.agree(
        lambda t: [
            make(shape=t.TensorShape(shape), dtype=getattr(t, dtype))
            for make in (
                t.compat.v1.fixed_size_partitioner(3, axis=-1),
                t.compat.v1.variable_axis_size_partitioner(40, max_shards=4),
                t.compat.v1.variable_axis_size_partitioner(7),
                t.compat.v1.min_max_variable_partitioner(5, min_slice_size=30),
                t.compat.v1.min_max_variable_partitioner(),
            )
            for shape in ([9, 2], [1], [2, 3, 4])
            for dtype in ("float32", "int64", "string")
        ]
    )


def test_initializers_know_the_whole():
    """Draws follow the shape of the whole, identities are parts of one."""
    shown = []
    for t in LIBRARIES:
        v1 = t.compat.v1
        parts = v1.fixed_size_partitioner(4)
        with t.Graph().as_default(), v1.Session() as session:
            eye = v1.get_variable(
                "eye", [5, 5], initializer=v1.initializers.identity(), partitioner=parts
            )
            drawn = [
                v1.get_variable(name, [400, 3], initializer=make(), partitioner=parts)
                for name, make in (
                    ("uniform", v1.uniform_unit_scaling_initializer),
                    ("scaled", v1.variance_scaling_initializer),
                    ("glorot", v1.glorot_uniform_initializer),
                )
            ]
            own = v1.get_variable(
                "own",
                [4, 2],
                initializer=lambda shape, dtype, partition_info: t.fill(
                    shape, float(partition_info.var_offset[0])
                ),
                partitioner=parts,
            )
            session.run(v1.global_variables_initializer())
            shown.append(
                [session.run(x.as_tensor()).tolist() for x in (eye, own)]
                + [float(np.round(session.run(d.as_tensor()).std(), 2)) for d in drawn]
            )
    np.testing.assert_allclose(shown[0][2:], shown[1][2:], atol=0.021)
    assert shown[0][:2] == shown[1][:2]


def test_the_class_of_slices_is_a_member_of_variables(both):
    def program(t):
        info = t.Variable.SaveSliceInfo("whole", [2, 3], [0, 1], [1, 1])
        again = t.Variable.SaveSliceInfo(save_slice_info_def=info.to_proto())
        return [info.spec, again.spec, again.full_name, type(info).__name__]

    both.agree(program)
