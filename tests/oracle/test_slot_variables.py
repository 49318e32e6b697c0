"""Slots of optimizers in checkpoints, in both directions: TensorFlow's own first
optimizers write and read what an object with their interface has here."""

import numpy as np
import pytest
import tensorflow as tf

import graphkiln as gk

pytestmark = pytest.mark.filterwarnings("ignore")

LIBRARIES = [gk, tf]


def optimizer_of(t):
    """An optimizer with one slot for each variable, over the tracking of `t`."""

    class Momentum(t.__internal__.tracking.AutoTrackable):
        def __init__(self, eager_slots=True):
            self.rate = t.Variable(0.5, name="rate")
            object.__setattr__(self, "_of", {})
            object.__setattr__(self, "_later", {})
            object.__setattr__(self, "_eager_slots", eager_slots)

        def get_slot_names(self):
            return ["a/momentum"]

        def get_slot(self, variable, name):
            return self._of.get((variable.ref(), name))

        def make_slot(self, variable, name, value=None):
            if value is None:
                value = t.zeros(variable.shape, variable.dtype)
            slot = t.Variable(value, name="slot", trainable=False)
            self._of[variable.ref(), name] = slot
            for position in self._later.pop((variable.ref(), name), []):
                position.restore(slot)
            return slot

        def _create_or_restore_slot_variable(
            self, slot_variable_position, slot_name, variable
        ):
            slot = self.get_slot(variable, slot_name)
            if slot is None and self._eager_slots:
                assert slot_variable_position.is_simple_variable()
                value = t.__internal__.tracking.CheckpointInitialValueCallable(
                    slot_variable_position
                )
                assert value.restore_uid == slot_variable_position.restore_uid
                slot = self.make_slot(variable, slot_name)
            if slot is not None:
                slot_variable_position.restore(slot)
            else:
                self._later.setdefault((variable.ref(), slot_name), []).append(
                    slot_variable_position
                )
            return slot

    return Momentum


def model(t, value=0.0, **how):
    root = t.Module()
    root.layers = [
        t.Variable([value, value + 1], name="w"),
        t.Variable([[value]], name="b"),
    ]
    root.optimizer = optimizer_of(t)(**how)
    return root


NAME = "a/momentum"


def trained(t, folder):
    root = model(t, 1.0)
    for i, v in enumerate(root.layers):
        root.optimizer.make_slot(v, NAME, v + 10.0 * (i + 1))
    return t.train.Checkpoint(root=root).write(str(folder / t.__name__))


def slots(root):
    found = [root.optimizer.get_slot(v, NAME) for v in root.layers]
    return [None if s is None else s.numpy().tolist() for s in found]


WANT = [[11.0, 12.0], [[21.0]]]


@pytest.fixture(params=LIBRARIES, ids=lambda t: t.__name__)
def path(request, tmp_path):
    return trained(request.param, tmp_path)


def test_keys_are_the_same(tmp_path):
    listed = [gk.train.list_variables(trained(t, tmp_path)) for t in LIBRARIES]
    assert listed[0] == listed[1]
    assert (
        "layers/0/.OPTIMIZER_SLOT/optimizer/a.Smomentum/.ATTRIBUTES/VARIABLE_VALUE",
        [2],
    ) in listed[0]


@pytest.mark.parametrize("t", LIBRARIES)
def test_slots_that_are_there(path, t):
    root = model(t)
    for v in root.layers:
        root.optimizer.make_slot(v, NAME)
    t.train.Checkpoint(root=root).read(path).assert_consumed()
    assert slots(root) == WANT


@pytest.mark.parametrize("t", LIBRARIES)
def test_slots_that_are_made(path, t):
    root = model(t)
    t.train.Checkpoint(root=root).read(path).assert_consumed()
    assert slots(root) == WANT


@pytest.mark.parametrize("t", LIBRARIES)
def test_slots_that_come_later(path, t):
    root = model(t, eager_slots=False)
    status = t.train.Checkpoint(root=root).read(path)
    assert slots(root) == [None, None]
    with pytest.raises(AssertionError, match="state 'a/momentum' for"):
        status.assert_consumed()
    status.assert_existing_objects_matched()
    for v in root.layers:
        root.optimizer.make_slot(v, NAME)
    assert slots(root) == WANT
    status.assert_consumed()


@pytest.mark.parametrize("t", LIBRARIES)
@pytest.mark.parametrize("first", ["layers", "optimizer"])
def test_objects_that_come_later(path, t, first):
    full, root = model(t), t.Module()
    checkpoint = t.train.Checkpoint(root)
    if t is tf:  # a Module of TensorFlow waits for nothing
        root = checkpoint = t.train.Checkpoint()
    status = checkpoint.read(path)
    second = "optimizer" if first == "layers" else "layers"
    setattr(root, first, getattr(full, first))
    setattr(root, second, getattr(full, second))
    assert slots(full) == WANT
    status.assert_existing_objects_matched()


@pytest.mark.parametrize("t", LIBRARIES)
def test_what_is_no_optimizer_has_no_slots(path, t):
    root = model(t)
    root.optimizer = t.Module()
    root.optimizer.rate = t.Variable(0.0)
    status = t.train.Checkpoint(root=root).read(path)
    assert root.optimizer.rate.numpy() == 0.5
    with pytest.raises(AssertionError, match="optimizer's state 'a/momentum' for"):
        status.assert_consumed()
    status.expect_partial()


@pytest.mark.parametrize("t", LIBRARIES)
def test_a_slot_is_in_one_place(tmp_path, t):
    root = model(t)
    root.again = root.optimizer.make_slot(root.layers[0], NAME)
    kind = t.errors.UnimplementedError if t is gk else NotImplementedError
    with pytest.raises(kind, match="slot variable was re-used"):
        t.train.Checkpoint(root=root).write(str(tmp_path / "c"))


def test_a_damaged_slot_is_told(tmp_path):
    path = trained(gk, tmp_path)
    data = tmp_path / "graphkiln.data-00000-of-00001"
    content = bytearray(data.read_bytes())
    at = content.index(np.array(WANT[1], "f4").tobytes())
    content[at] ^= 1
    data.write_bytes(content)
    root = model(gk)
    with pytest.raises(gk.errors.DataLossError, match="OPTIMIZER_SLOT.*data-00000"):
        gk.train.Checkpoint(root=root).read(path)


def test_tensorflows_own_optimizers(tmp_path):
    """What TensorFlow's first optimizers wrote is restored into one of ours that
    has slots of their names, and the other way."""
    v1 = tf.compat.v1
    v = tf.Variable([1.0, 2.0])
    optimizer = v1.train.MomentumOptimizer(0.1, 0.9)
    optimizer.apply_gradients([(tf.constant([1.0, 3.0]), v)])
    path = tf.train.Checkpoint(v=v, optimizer=optimizer).save(str(tmp_path / "m"))

    class Optimizer(optimizer_of(gk)):
        def get_slot_names(self):
            return ["momentum"]

    mine, w = Optimizer(), gk.Variable([0.0, 0.0])
    checkpoint = gk.train.Checkpoint(v=w, optimizer=mine)
    checkpoint.restore(path).expect_partial()
    slot = mine.get_slot(w, "momentum")
    assert slot.numpy().tolist() == [1.0, 3.0]
    slot.assign([5.0, 6.0])
    path = checkpoint.save(str(tmp_path / "ours"))
    again = tf.train.Checkpoint(v=v, optimizer=optimizer)
    again.restore(path).expect_partial()
    assert optimizer.get_slot(v, "momentum").numpy().tolist() == [5.0, 6.0]


@pytest.mark.parametrize("t", LIBRARIES)
def test_saved_models_have_slots(tmp_path, t):
    """Where checkpoints have them: TensorFlow itself cannot load its models with
    slots of what is no optimizer of Keras, and loads ours."""
    root = model(t, 1.0)
    for i, v in enumerate(root.layers):
        root.optimizer.make_slot(v, NAME, v + 10.0 * (i + 1))
    folder, again = str(tmp_path / "model"), str(tmp_path / "again")
    t.saved_model.save(root, folder)
    loaded = gk.saved_model.load(folder)
    assert slots(loaded) == WANT
    assert loaded.optimizer.get_slot_names() == [NAME]
    gk.saved_model.save(loaded, again)
    assert slots(gk.saved_model.load(again)) == WANT
    for path in [folder, again]:
        prefix = path + "/variables/variables"
        for reader in LIBRARIES:
            other = model(reader)
            reader.train.Checkpoint(root=other).read(prefix).expect_partial()
            assert slots(other) == WANT
        # Into what was loaded.
        for v in loaded.layers:
            loaded.optimizer.get_slot(v, NAME).assign(0.0 * v)
        gk.train.Checkpoint(root=loaded).read(prefix).expect_partial()
        assert slots(loaded) == WANT
    theirs = tf.saved_model.load(again)
    assert [v.numpy().tolist() for v in theirs.layers] == [[1.0, 2.0], [[1.0]]]


@pytest.mark.parametrize("t", LIBRARIES)
@pytest.mark.parametrize("skip", [False, True])
def test_slots_may_be_skipped(path, t, skip):
    root = model(t)
    slot = root.optimizer.make_slot(root.layers[0], NAME)
    options = t.train.CheckpointOptions(experimental_skip_slot_variables=skip)
    status = t.train.Checkpoint(root=root).read(path, options)
    status.assert_consumed().assert_existing_objects_matched()
    assert root.layers[0].numpy().tolist() == [1.0, 2.0]
    assert slot.numpy().tolist() == ([0.0, 0.0] if skip else WANT[0])
    assert slots(root)[1] == (None if skip else WANT[1])
