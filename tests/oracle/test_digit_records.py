"""The demo's way from files: TensorFlow reads what it writes, and it learns."""

import sys
from pathlib import Path

import pytest

import graphkiln as tf

pytest.importorskip("sklearn")
real = pytest.importorskip("tensorflow")

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture(scope="module")
def example():
    sys.path.insert(0, str(EXAMPLES))
    try:
        import digit_records
    finally:
        sys.path.remove(str(EXAMPLES))
    return digit_records


def labels(module, files):
    spec = {"label": module.io.FixedLenFeature([], module.int64)}
    return [
        int(module.io.parse_single_example(record, spec)["label"])
        for record in module.data.TFRecordDataset(files)
    ]


def test_it_learns_and_tells_tensorboard(example, tmp_path):
    tf.random.set_seed(1)
    records, logs = tmp_path / "digits", tmp_path / "logs"
    assert example.train(tf, records, logs, epochs=5) > 0.9

    files = sorted(map(str, records.iterdir()))
    assert len(files) == example.SHARDS
    assert labels(tf, files) == labels(real, files)
    # Written once.
    before = [Path(f).stat().st_mtime_ns for f in files]
    example.write_records(tf, records)
    assert [Path(f).stat().st_mtime_ns for f in files] == before

    [events] = logs.glob("*/*")
    steps: dict[str, list[int]] = {}
    graphs = 0
    for event in real.compat.v1.train.summary_iterator(str(events)):
        graphs += bool(event.graph_def)
        for value in event.summary.value:
            steps.setdefault(value.tag, []).append(event.step)
    assert graphs == 1
    a_pass = 1437 // example.BATCH
    assert steps == {
        "loss": list(range(5 * a_pass)),
        "accuracy on held-out digits": [a_pass * (i + 1) for i in range(5)],
        "digits as they are trained on": [0],
        "weights of the first layer": [5 * a_pass],
    }


def test_batches_are_those_of_tensorflow(example, tmp_path):
    example.write_records(real, tmp_path / "digits")
    ours, theirs = (
        example.read_records(m, tmp_path / "digits") for m in (tf, real)
    )
    for (image, label), (image_2, label_2) in zip(ours, theirs, strict=True):
        # The shifts are drawn by threads, in no order.
        assert image.shape == image_2.shape == (64, 8, 8, 1)
        assert label.numpy().tolist() == label_2.numpy().tolist()
