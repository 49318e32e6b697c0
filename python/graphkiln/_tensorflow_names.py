"""Which public names are TensorFlow's: for messages about those that are missing
here. `_tensorflow_names.txt`, which tools/tensorflow_names writes, has them."""

_FILE = __file__.rpartition("/")[0] + "/_tensorflow_names.txt"


def _read() -> dict[str, set[str]]:
    """The names by namespace: "math", or "" for those of the package."""
    found: dict[str, set[str]] = {}
    names: set[str] = set()
    with open(_FILE, encoding="utf-8") as file:
        for line in file:
            if line.startswith(" "):
                names.update(line.split())
            elif line.startswith("tf"):
                space = line.strip().partition(".")[2]
                names = found.setdefault(space, set())
    return found


NAMES = _read()


def word(public: str) -> str:
    """What is said of a name that is TensorFlow's; of others nothing."""
    space, _, name = public.removeprefix("compat.v2.").rpartition(".")
    if name not in NAMES.get(space, ()):
        return ""
    return (
        f"tf.{public} is TensorFlow's, graphkiln has none yet. Its "
        "roadmap (docs/internals/roadmap.md) says what comes next"
    )
