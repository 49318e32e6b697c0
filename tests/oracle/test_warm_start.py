"""Variables that begin with values of a checkpoint: what becomes of them, here and in
TensorFlow, from one's checkpoint and the other's."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as original

import graphkiln as own

PACKAGES = {"own": own, "original": original}
OLD = {
    "old/a": [1, 2],
    "old/b": [[3, 4], [5, 6]],
    "old/in/c": 7,
    "emb": [[1, 2], [3, 4], [5, 6]],
    "ker": [[10, 11, 12], [13, 14, 15]],
    "four": [[1, 2], [3, 4], [5, 6], [7, 8]],
    "w": [5, 6],
}


@pytest.fixture(scope="module", name="place", params=PACKAGES)
def checkpoint(request, tmp_path_factory):
    """A folder with a checkpoint and vocabularies."""
    tf = PACKAGES[request.param]
    v1, place = tf.compat.v1, tmp_path_factory.mktemp(request.param)
    (place / "old.txt").write_text("a\nb\nc\n")
    (place / "new.txt").write_text("b\nx\na\n")
    with tf.Graph().as_default(), v1.Session() as session:
        for name, value in OLD.items():
            v1.get_variable(name, initializer=np.array(value, np.float32))
        v1.get_variable("fixed", initializer=[7.0, 8.0], trainable=False)
        session.run(v1.global_variables_initializer())
        v1.train.Saver().save(session, str(place / "ckpt"))
    return place


def outcomes(program, place):
    """What a program's variables are, or what it raises, in both packages."""
    found = []
    for tf in (own, original):
        v1 = tf.compat.v1
        with tf.Graph().as_default(), v1.Session() as session:
            try:
                variables = program(tf, place)
                session.run(v1.global_variables_initializer())
                found.append(
                    [
                        [session.run(part).tolist() for part in v]
                        if hasattr(v, "_get_variable_list")
                        else session.run(v).tolist()
                        for v in variables
                    ]
                )
            except Exception as error:  # noqa: BLE001
                found.append(type(error).__name__)
    return found


def get(tf, name, shape, **how):
    v1 = tf.compat.v1
    how.setdefault("initializer", v1.constant_initializer(-1.0))
    return v1.get_variable(name, shape, **how)


def new(tf):
    with tf.compat.v1.variable_scope("new"):
        a, b = get(tf, "a", [2]), get(tf, "b", [2, 2])
        with tf.compat.v1.variable_scope("in"):
            return [a, b, get(tf, "c", [])]


def mapped(make_map):
    def program(tf, place):
        variables = new(tf)
        map_ = make_map(variables)
        assert (
            tf.compat.v1.train.init_from_checkpoint(str(place / "ckpt"), map_) is None
        )
        return variables

    return program


MAPS = {
    "scope": lambda v: {"old/": "new/"},
    "no slashes": lambda v: {"old": "new"},
    "names": lambda v: {"old/a": "new/a", "old/in/c": "new/in/c"},
    "variables": lambda v: {"old/a": v[0], "old/in/c": v[2]},
    "pairs": lambda v: [("old/b", v[1])],
    "not in the checkpoint": lambda v: {"old/z": v[0]},
    "not in the graph": lambda v: {"old/a": "new/z"},
    "no such scope there": lambda v: {"none/": "new/"},
    "no such scope here": lambda v: {"old/": "none/"},
    "another shape": lambda v: {"old/b": v[0]},
    "a number": lambda v: {3: v[0]},
    "nothing": lambda v: {},
    "none": lambda v: None,
}


@pytest.mark.parametrize("name", MAPS)
def test_assignment_maps(name, place):
    mine, theirs = outcomes(mapped(MAPS[name]), place)
    assert mine == theirs


def parts(tf, name, count=2):
    return get(
        tf,
        name,
        [4, 2],
        partitioner=tf.compat.v1.fixed_size_partitioner(count),
    )


def parts_by_name(tf, place):
    made = parts(tf, "q")
    tf.compat.v1.train.init_from_checkpoint(str(place / "ckpt"), {"four": "q"})
    return [made]


def list_of_parts(tf, place):
    made = parts(tf, "q", 4)
    tf.compat.v1.train.init_from_checkpoint(str(place / "ckpt"), {"four": list(made)})
    return [made]


def parts_of_a_scope(tf, place):
    with tf.compat.v1.variable_scope("n"):
        made = [parts(tf, "four"), get(tf, "w", [2])]
    tf.compat.v1.train.init_from_checkpoint(str(place), {"/": "n/"})
    return made


@pytest.mark.parametrize("program", [parts_by_name, list_of_parts, parts_of_a_scope])
def test_parts(program, place):
    mine, theirs = outcomes(program, place)
    assert mine == theirs
    assert mine[0][0][0] == [1, 2]


def started(variables, vocabularies=None, **given):
    """A program that warm-starts variables, {name: (shape, how)}."""

    def program(tf, place):
        v1 = tf.compat.v1
        made = []
        for name, (shape, count) in variables.items():
            how = {"trainable": name != "fixed"}
            if count:
                how["partitioner"] = v1.fixed_size_partitioner(count)
            made.append(get(tf, name, shape, **how))
        options = {k: v(made) if callable(v) else v for k, v in given.items()}
        if vocabularies:
            options["var_name_to_vocab_info"] = {
                name: v1.train.VocabInfo(
                    str(place / "new.txt"),
                    size,
                    oov,
                    str(place / "old.txt"),
                    backup_initializer=v1.ones_initializer() if backup else None,
                    axis=axis,
                )
                for name, (size, oov, backup, axis) in vocabularies.items()
            }
        assert v1.train.warm_start(str(place / "ckpt"), **options) is None
        return made

    return program


W, FIXED = {"w": ([2], 0)}, {"fixed": ([2], 0)}
STARTS = {
    "trainable ones": started(W | FIXED),
    "by expression": started(W | {"four": ([4, 2], 0)}, vars_to_warm_start="w"),
    "by names": started(W | FIXED, vars_to_warm_start=["fixed"]),
    "by variables": started(W | FIXED, vars_to_warm_start=lambda v: [v[1]]),
    "one variable": started(W, vars_to_warm_start=lambda v: v[0]),
    "mixed": started(W, vars_to_warm_start=lambda v: [v[0], "x"]),
    "none": started(W, vars_to_warm_start=None),
    "renamed": started(
        {"weights": ([2], 0)}, var_name_to_prev_var_name={"weights": "w"}
    ),
    "renamed and unused": started(W, var_name_to_prev_var_name={"z": "w"}),
    "vocabulary unused": started(W, {"z": (3, 0, False, 0)}),
    "not in the checkpoint": started(W | {"other": ([2], 0)}),
    "another shape": started({"w": ([3], 0)}),
    "vocabulary": started({"emb": ([3, 2], 0)}, {"emb": (3, 0, False, 0)}),
    "vocabulary alone": started(
        W | {"emb": ([3, 2], 0)}, {"emb": (3, 0, True, 0)}, vars_to_warm_start=None
    ),
    "part of it": started({"emb": ([2, 2], 0)}, {"emb": (2, 0, False, 0)}),
    "unknown ones": started({"emb": ([5, 2], 0)}, {"emb": (3, 2, True, 0)}),
    "fewer rows": started({"emb": ([4, 2], 0)}, {"emb": (3, 2, True, 0)}),
    "columns": started({"ker": ([2, 3], 0)}, {"ker": (3, 0, True, 1)}),
    "unknown columns": started({"ker": ([2, 4], 0)}, {"ker": (3, 1, True, 1)}),
    "columns of a row": started({"ker": ([1, 3], 0)}, {"ker": (3, 0, True, 1)}),
    "parts": started({"four": ([4, 2], 2)}),
    "vocabulary in parts": started({"emb": ([4, 2], 2)}, {"emb": (3, 1, True, 0)}),
    "too few entries": started({"emb": ([4, 2], 0)}, {"emb": (4, 0, True, 0)}),
}


@pytest.mark.parametrize("name", STARTS)
def test_warm_starts(name, place):
    mine, theirs = outcomes(STARTS[name], place)
    assert mine == theirs


def test_checkpoints_of_objects_have_names_of_variables(tmp_path):
    for tf in (own, original):
        folder = str(tmp_path / tf.__name__)
        variable = tf.Variable([3.0, 4.0], name="w")
        path = tf.train.Checkpoint(v=variable).save(f"{folder}/ckpt")

        def program(tf, place, path=path):
            made = [get(tf, "w", [2])]
            tf.compat.v1.train.warm_start(path)
            return made

        assert outcomes(program, None) == [[[3, 4]], [[3, 4]]]


def test_eagerly_values_are_assigned(place):
    for tf in (own, original):
        variable = tf.Variable([0.0, 0.0], name="w")
        tf.compat.v1.train.init_from_checkpoint(
            str(place / "ckpt"), {"old/a": variable}
        )
        assert variable.numpy().tolist() == [1, 2]
        tf.compat.v1.train.warm_start(str(place / "ckpt"), [variable])
        assert variable.numpy().tolist() == [5, 6]


def remapped(tf, place, new, old, **how):
    (place / "new").write_text(new)
    (place / "old").write_text(old)
    return tf.raw_ops.GenerateVocabRemapping(
        new_vocab_file=str(place / "new"), old_vocab_file=str(place / "old"), **how
    )


@pytest.mark.parametrize("new", ["b\nx\na\nq\nc", "a\na\nb\n", ""])
@pytest.mark.parametrize("old", ["a\nb\nc\n", "a\na\nb\n", ""])
@pytest.mark.parametrize("size", [-1, 0, 2, 9])
@pytest.mark.parametrize(("offset", "count"), [(0, 3), (2, 1), (0, 0), (1, 7)])
def test_vocabularies(tmp_path, new, old, size, offset, count):
    found = []
    for tf in (own, original):
        try:
            places, present = remapped(
                tf,
                tmp_path,
                new,
                old,
                old_vocab_size=size,
                new_vocab_offset=offset,
                num_new_vocab=count,
            )
            found.append((places.numpy().tolist(), int(present)))
        except Exception as error:  # noqa: BLE001
            found.append(type(error).__name__)
    assert found[0] == found[1]


MATRICES = {
    "rows": ([2, 0], [], [], 2, 2),
    "a new row": ([2, -1, 0], [], [9, 8], 3, 2),
    "columns": ([0, 1], [1, -1], [5, 6], 2, 2),
    "both": ([-1, 1], [1, -1], [1, 2, 3], 2, 2),
    "too few values": ([-1, 1], [1, -1], [1, 2], 2, 2),
    "too many values": ([-1, 1], [1, -1], [1, 2, 3, 4], 2, 2),
    "a row twice": ([1, 1], [], [], 2, 2),
    "a column twice": ([1, 0], [1, 1], [], 2, 2),
    "another number of rows": ([0], [], [], 2, 2),
    "another number of columns": ([0], [], [], 1, 3),
    "other columns": ([0], [1], [], 1, 2),
    "nothing": ([], [], [], 0, 2),
    "new ones alone": ([-1, -1], [], [1, 2, 3, 4], 2, 2),
}


@pytest.mark.parametrize("name", MATRICES)
@pytest.mark.parametrize("tensor", ["emb", "w", "none"])
def test_matrices(name, tensor, place):
    rows, columns, values, num_rows, num_columns = MATRICES[name]
    found = []
    for tf in (own, original):
        try:
            matrix = tf.raw_ops.LoadAndRemapMatrix(
                ckpt_path=str(place / "ckpt"),
                old_tensor_name=tensor,
                row_remapping=tf.constant(rows, tf.int64),
                col_remapping=tf.constant(columns, tf.int64),
                initializing_values=tf.constant(values, tf.float32),
                num_rows=num_rows,
                num_cols=num_columns,
            )
            found.append(matrix.numpy().tolist())
        except Exception as error:  # noqa: BLE001
            found.append(type(error).__name__)
    assert found[0] == found[1]


def test_rows_and_columns_that_are_not_there_are_refused(place):
    for rows, columns in (([3], []), ([0], [2, 0])):
        with pytest.raises(own.errors.InvalidArgumentError, match="has [23] there"):
            own.raw_ops.LoadAndRemapMatrix(
                ckpt_path=str(place / "ckpt"),
                old_tensor_name="emb",
                row_remapping=own.constant(rows, own.int64),
                col_remapping=own.constant(columns, own.int64),
                initializing_values=own.constant([], own.float32),
                num_rows=1,
                num_cols=2,
            )
