"""What graphkiln does, shown on real work.

Traces a Python function into a graph and times it against eager execution,
trains a classifier of handwritten digits, from memory and from files, and
draws the traced graph. Where TensorFlow is installed (in this environment, or
in .venv-oracle beside the checkout, which `scripts/test --oracle` makes) the
same programs run there.

usage: demo.py [--no-peer] [--picture FILE]
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import digit_records  # noqa: E402
import digits  # noqa: E402
import power  # noqa: E402


def measure(module_name: str) -> dict:
    """Times the demo's programs on one module."""
    tf = importlib.import_module(module_name)
    eager, traced = power.seconds_of_1000(tf)
    _, step = digits.make_training(tf)
    return {
        "power_eager": eager,
        "power_graph": traced,
        "step_eager": digits.seconds_per_step(tf, step, rounds=10),
        "step_graph": digits.seconds_per_step(tf, tf.function(step)),
        "epoch_graph": digits.seconds_per_loop(
            tf, tf.function(digits.make_loop(tf, step))
        ),
    }


def peer_python() -> str | None:
    if importlib.util.find_spec("tensorflow"):
        return sys.executable
    other = HERE.parent / ".venv-oracle" / "bin" / "python"
    return str(other) if other.exists() else None


def measure_peer() -> dict | None:
    python = peer_python()
    if python is None:
        return None
    print("  timing TensorFlow on the same programs ...", flush=True)
    done = subprocess.run(
        [python, __file__, "--measure", "tensorflow"],
        capture_output=True, text=True,
        env=os.environ | {"TF_CPP_MIN_LOG_LEVEL": "3"},
    )
    if done.returncode != 0:
        print("  TensorFlow failed:", done.stderr.strip().splitlines()[-1:])
        return None
    return json.loads(done.stdout.splitlines()[-1])


def table(ours: dict, peer: dict | None) -> None:
    rows = [
        ("power(x, 100), 1,000 calls, eager", "power_eager", 1.0, "s"),
        ("power(x, 100), 1,000 calls, graph", "power_graph", 1.0, "s"),
        ("training step, eager", "step_eager", 1e3, "ms"),
        ("training step, graph", "step_graph", 1e3, "ms"),
        ("22 steps as a loop in one graph", "epoch_graph", 1e3, "ms"),
    ]
    print(f"  {'':36}{'graphkiln':>12}" + (f"{'TensorFlow':>14}{'ratio':>9}" if peer else ""))
    for text, key, scale, unit in rows:
        line = f"  {text:36}{ours[key] * scale:9.3f} {unit:2}"
        if peer:
            line += f"{peer[key] * scale:11.3f} {unit:2}{peer[key] / ours[key]:8.1f}x"
        print(line)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--no-peer", action="store_true", help="leave TensorFlow out")
    parser.add_argument("--picture", default="build/demo_graph.svg", help="where the graph is drawn")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure(options.measure)))
        return 0

    import graphkiln as tf

    print("1. A Python function becomes a graph")
    function, x = power.make_power(tf)
    graph = tf.function(function)
    graph(x, 100)
    print("   power(x, 100) was traced", graph.experimental_get_tracing_count(), "time;")
    print("   its type:", graph.get_concrete_function(x, 100).pretty_printed_signature(verbose=False))

    print("2. A classifier of handwritten digits; the training loop is one graph")
    model, step = digits.make_training(tf)
    train_steps = tf.function(digits.make_loop(tf, step))
    reached = digits.train(tf, train_steps, model)
    print("   traced", train_steps.experimental_get_tracing_count(), "time")
    print(f"   accuracy on 360 digits that it never saw: {reached:.1%}")

    print("3. The same from files: records, parsed, shuffled, shifted and batched meanwhile")
    from_files = digit_records.train(
        tf, Path("build/digits"), Path("build/demo_logs"), epochs=12
    )
    print(f"   accuracy: {from_files:.1%}")
    print("   losses, pictures, the graph: tensorboard --logdir build/demo_logs")

    print("4. Time (medians)")
    ours = measure("graphkiln")
    peer = None if options.no_peer else measure_peer()
    table(ours, peer)
    if peer is None and not options.no_peer:
        print("  (TensorFlow is not installed; scripts/test --oracle installs it)")

    print("5. The graph of a small function")

    @tf.function
    def dense(x, w, b):
        return tf.nn.relu(tf.matmul(x, w) + b)

    spec = tf.TensorSpec
    concrete = dense.get_concrete_function(
        spec([None, 4], tf.float32), spec([4, 3], tf.float32), spec([3], tf.float32)
    )
    print(concrete.pretty_printed_signature())
    picture = Path(options.picture)
    picture.parent.mkdir(parents=True, exist_ok=True)
    svg = concrete._repr_svg_()
    if svg is None:
        print("   (install Graphviz to have it drawn)")
    else:
        picture.write_text(svg)
        print(f"   drawn in {picture}")

    if reached <= 0.97 or from_files <= 0.95:
        print("The classifiers should reach more than 97 and 95 %.", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
