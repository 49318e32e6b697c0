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


def word(public: str) -> str:
    """What is said of a name that is TensorFlow's; of others nothing."""
    space, _, name = public.removeprefix("compat.v2.").rpartition(".")
    held = NAMES.get(space) or _HELD.get(f"class tf.{space}", ())
    if name not in held:
        return ""
    return (
        f"tf.{public} is TensorFlow's, graphkiln has none yet. Its "
        "roadmap (docs/internals/roadmap.md) says what comes next"
    )
