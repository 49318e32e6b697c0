"""Iterators that are saved into a tf.train.Checkpoint and restored go on as if
they had never been saved: at every position of pipelines of every kind."""

import pathlib
import sys

import numpy as np
import pytest

import graphkiln as tf

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from saved_iterator_pipelines import pipelines  # noqa: E402

PIPELINES = pipelines()
END = "end"
# Its functions draw random numbers: only where it is said that they may be run
# again.
DRAWS = {"rejection_resample"}


def plain(element) -> str:
    """An element as text, to compare."""

    def leaf(x):
        if isinstance(x, tf.RaggedTensor):
            return x.to_list()
        if isinstance(x, tf.SparseTensor):
            return [x.indices.numpy().tolist(), x.values.numpy().tolist()]
        return np.asarray(x).tolist()

    return repr(tf.nest.map_structure(leaf, element))


def step(iterator) -> str:
    try:
        return plain(next(iterator))
    except StopIteration:
        return END
    except tf.errors.OpError as error:
        return type(error).__name__


def rest(iterator) -> list[str]:
    found: list[str] = []
    while not found or found[-1] != END:
        found.append(step(iterator))
        assert len(found) < 200
    return found


def options(symbolic: bool) -> tf.data.Options:
    made = tf.data.Options()
    made.experimental_symbolic_checkpoint = symbolic
    return made


@pytest.mark.parametrize("symbolic", [False, True])
@pytest.mark.parametrize("name", PIPELINES)
def test_every_position(name: str, symbolic: bool, tmp_path: pathlib.Path):
    if name in DRAWS and not symbolic:
        made = iter(PIPELINES[name](tf, tmp_path))
        with pytest.raises(tf.errors.FailedPreconditionError, match="RandomUniform"):
            tf.train.Checkpoint(it=made).save(tmp_path / "c")
        return

    def make(folder: str):
        home = tmp_path / folder
        home.mkdir(exist_ok=True)
        return PIPELINES[name](tf, home).with_options(options(symbolic))

    length = len(rest(iter(make("whole"))))
    for position in range(length + 1):
        folder = f"at{position}"
        iterator = iter(make(folder))
        for _ in range(position):
            step(iterator)
        path = tf.train.Checkpoint(it=iterator).save(tmp_path / folder / "c")
        wanted = rest(iterator)
        other = iter(make(folder))
        tf.train.Checkpoint(it=other).restore(path).assert_consumed()
        assert rest(other) == wanted, f"at {position}"
        # In the same iterator, wherever it has got to.
        tf.train.Checkpoint(it=iterator).restore(path)
        assert rest(iterator) == wanted, f"again at {position}"
