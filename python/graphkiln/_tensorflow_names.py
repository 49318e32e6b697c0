"""Which public names are TensorFlow's: for messages about those that are missing
here. `_tensorflow_names.txt`, which tools/tensorflow_names writes, has them."""

_FILE = __file__.rpartition("/")[0] + "/_tensorflow_names.txt"


def _read() -> dict[str, set[str]]:
    """The names by what holds them: "tf", "tf.math", or "class tf.data.Dataset"."""
    found: dict[str, set[str]] = {}
    names: set[str] = set()
    with open(_FILE, encoding="utf-8") as file:
        for line in file:
            if line.startswith(" "):
                names.update(line.split())
            elif not line.startswith("#"):
                names = found.setdefault(line.strip(), set())
    return found


_HELD = _read()
# Those of namespaces: "math", or "" for those of the package.
NAMES = {
    holder.removeprefix("tf").removeprefix("."): names
    for holder, names in _HELD.items()
    if not holder.startswith("class ")
}


# What is left out for good, and why: names and what is below them.
_LEFT_OUT = {
    "of machines that work together, and graphkiln runs in one process": (
        "distribute compat.v1.distribute tpu compat.v1.tpu "
        "data.experimental.service data.experimental.distribute "
        "data.experimental.distributed_save "
        "compat.v1.data.experimental.service test.create_local_cluster "
        "config.experimental_connect_to_cluster "
        "config.experimental_connect_to_host experimental.dtensor"
    ),
    "of pictures whose library, libjxl, would add more to the package than those "
    "of all other kinds": "image.decode_jxl io.decode_jxl raw_ops.DecodeJxl",
    "what TensorFlow's own tuning of pipelines computes, and other costs are "
    "weighed here": (
        "data.experimental.get_model_proto raw_ops.IteratorGetModelProto"
    ),
    "another compiler's": (
        "lite compat.v1.lite mlir compat.v1.mlir experimental.tensorrt"
    ),
    "no longer developed there": (
        "feature_column compat.v1.feature_column compat.v1.estimator estimator "
        "compat.v1.distributions"
    ),
}
# What does the same here.
_INSTEAD = {
    "compat.v1.app": "the package absl",
    "compat.v1.flags": "the package absl",
    "compat.v1.placeholder_v2": "tf.compat.v1.placeholder",
    "compat.v1.test.StubOutForTesting": "unittest.mock",
    "compat.v1.test.mock": "unittest.mock",
    "debugging.experimental.enable_dump_debug_info": (
        "tf.debugging.enable_check_numerics"
    ),
}


def _left_out(public: str) -> str | None:
    for reason, names in _LEFT_OUT.items():
        for name in names.split():
            if public == name or public.startswith(f"{name}."):
                return reason
    return None


def word(public: str) -> str:
    """What is said of a name that is TensorFlow's; of others nothing."""
    space, _, name = public.removeprefix("compat.v2.").rpartition(".")
    held = NAMES.get(space) or _HELD.get(f"class tf.{space}", ())
    if name not in held:
        return ""
    plain = public.removeprefix("compat.v2.")
    if plain in _INSTEAD:
        return f"tf.{public} is TensorFlow's; use {_INSTEAD[plain]} instead"
    reason = _left_out(plain)
    if reason is not None:
        return f"tf.{public} is TensorFlow's and left out: it is {reason}"
    return (
        f"tf.{public} is TensorFlow's, graphkiln has none yet. Its "
        "roadmap (docs/internals/roadmap.md) says what comes next"
    )
