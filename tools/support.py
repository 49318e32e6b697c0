"""What is supported, for tools/api_dump: docs/reference/support.md.

Ops, their dtypes and gradients come of the compiled registry, public names of the
package's own tables, what is missing of TensorFlow's names and ops. Since when
a name is there, the page itself remembers: new names get the version that
CMakeLists.txt states.
"""

import importlib
import re
import sys
from collections.abc import Iterable
from fnmatch import fnmatchcase
from functools import cache

import document_counts as counts
import public_api

sys.path.insert(0, str(public_api.ROOT / "tests" / "python" / "ops"))

from gradient_orders import FIRST_ORDER_ONLY  # noqa: E402

PAGE = public_api.ROOT / "docs" / "reference" / "support.md"
# Words for dtypes that go together.
GROUPS = {
    "any number": "float16 bfloat16 float32 float64 int8 int16 int32 int64 uint8 "
    "uint16 uint32 uint64 complex64 complex128",
    "any real": "float16 bfloat16 float32 float64 int8 int16 int32 int64 uint8 uint16 "
    "uint32 uint64",
    "any integer": "int8 int16 int32 int64 uint8 uint16 uint32 uint64",
    "any float": "float16 bfloat16 float32 float64",
    "any complex": "complex64 complex128",
    "any quantized": "qint8 quint8 qint16 quint16 qint32",
}
# What brings what is missing: names and what is below them; patterns of ops. The
# first that matches counts.
PLANNED = {
    "step 6, files, checkpoints, SavedModel": (
        "io train graph_util gfile python_io user_ops",
        "*File* Read* Write* Save* Restore* Merge*Checkpoint* Decode* Encode* Parse* "
        "*Reader* LookupTable* Serialize* Deserialize* *LoadAndRemap* "
        "GenerateVocabRemapping MutexLock TextLine*",
    ),
    "step 7, datasets whole, summaries, profiles": (
        "data summary profiler",
        "*Dataset* *Iterator* *Summary* *SeedGenerator* *MemoryCache* *Stats* "
        "*ThreadPool* CompressElement UncompressElement GetElementAtIndex "
        "ComputeBatchSize *IterationCounter",
    ),
    "step 8, Keras and its optimisers": (
        "keras initializers losses metrics optimizers layers nn.rnn_cell "
        "nn.RNNCellDeviceWrapper nn.RNNCellDropoutWrapper nn.RNNCellResidualWrapper",
        "ResourceApply* ResourceSparseApply*",
    ),
    "the optimising tier": ("xla", "Xla*"),
}
REFUSED_OPS = {
    "Of machines that work together.":
        "*Collective* *TPU* *Tpu* DataService* Nccl* AllToAll CrossReplicaSum "
        "*SparseCore* *Minibatch* Send Recv _* DistributedSave *Shard* *Replica* "
        "*CooTensor* GlobalIterId Rpc* TryRpc *Accumulator*",
    "Of devices that are not here.": "*DeviceIndex* Copy CopyHost",
    "No longer developed there.":
        "BoostedTrees* TensorForest* Experimental* *Skipgram Sdca* Fact NegTrain",
    "Kernels of integer inference, which TensorFlow makes of graphs by itself.":
        "Quantized* Requantiz* Uniform* *Uniform* Fused*Conv2D *_QuantizedInput",
    "Variables that are references, of TensorFlow's first version: those of "
    "resources do what they did.":
        "Assign AssignAdd AssignSub Apply* SparseApply* Scatter* Variable VariableV2 "
        "TemporaryVariable DestroyTemporaryVariable CountUpTo Ref* "
        "IsVariableInitialized AccumulateNV2",
    "Of servers, which gather calls.": "Batch BatchFunction Unbatch UnbatchGrad",
    "Older forms of ops that are here.":
        "Batch* TensorArray* Stack StackClose StackPop StackPush *Queue HashTable "
        "MutableHashTable MutableDenseHashTable MutableHashTableOfTensors Enter Exit "
        "Merge NextIteration Switch LoopCond ControlTrigger AdjustContrast "
        "Conv3DBackprop* For",
    "Debugging of TensorFlow's own runtime.":
        "Debug* Abort *SessionHandle* *SessionTensor*",
}


@cache
def since() -> dict[str, str]:
    """The version of each name that the page knows."""
    if not PAGE.exists():
        return {}
    text = PAGE.read_text(encoding="utf-8")
    return dict(re.findall(r"^\| `([^|]*)` \|.*\| ([\d.]+) \|$", text, re.M))


@cache
def version() -> str:
    text = (public_api.ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    found = re.search(r"project\(graphkiln VERSION ([\d.]+)", text)
    assert found is not None
    return found[1]


def first_version(name: str) -> str:
    return since().get(name, version())


def dtypes_text(names: Iterable[str]) -> str:
    """Names of dtypes, those of a group by its word."""
    left = list(names)
    words = []
    for word, members in GROUPS.items():
        if set(members.split()) <= set(left):
            words.append(word)
            left = [n for n in left if n not in members.split()]
    return ", ".join([*words, *left])


def dtypes(record: dict) -> str:
    """What each type attribute of the inputs may be."""
    texts = []
    kinds = [a["type_attr"] for a in (*record["inputs"], *record["outputs"])]
    kernels = [t.name for t in record["kernel_types"]]
    for place, kind in enumerate(dict.fromkeys(filter(None, kinds))):
        attr = next(a for a in record["attrs"] if a["name"] == kind)
        allowed = [t.name for t in attr["allowed_types"]]
        if place == 0 and kernels:
            allowed = [n for n in allowed or kernels if n in kernels]
        texts.append(f"{kind}: {dtypes_text(allowed) or 'any'}")
    fixed = {a["type"].name for a in record["inputs"] if a["type"] is not None}
    return "; ".join(texts) or dtypes_text(sorted(fixed))


def orders(record: dict) -> str:
    if "no_gradient" in record["traits"]:
        return "none to have"
    if not record["has_gradient"]:
        return "no"
    return "first" if record["name"] in FIRST_ORDER_ONLY else "any"


def op_rows() -> list[str]:
    public: dict[str, list[str]] = {}
    for name in public_api.public_names():
        if name.kind == "op":
            public.setdefault(name.source, []).append(name.name)
    extension = public_api.extension()
    lines = [
        "| op | names | dtypes | gradient, orders | since |",
        "|---|---|---|---|---|",
    ]
    for op in sorted(extension.op_names()):  # type: ignore[attr-defined]
        record = extension.op_record(op)  # type: ignore[attr-defined]
        names = ", ".join(f"`tf.{n}`" for n in public.get(op, []))
        lines.append(
            f"| `{op}` | {names} | {dtypes(record)} | {orders(record)} | "
            f"{first_version(op)} |")
    return lines


def function_rows(kind: str) -> list[str]:
    """The public names of that kind; those of one thing in one row."""
    groups: dict[str, list[str]] = {}
    for name in public_api.public_names():
        if name.kind != kind:
            continue
        source = name.source
        if kind == "composition":
            source = public_api.compositions()[name.name].names[0]
        groups.setdefault(source, []).append(name.name)
    if kind == "python":
        for name in public_api.top_level_names():
            groups.setdefault(f"graphkiln._graphkiln:{name}", []).insert(0, name)
    lines = ["| name | also | since |", "|---|---|---|"]
    for names in sorted(groups.values(), key=lambda n: sorted(n)[0]):
        names = sorted(set(names), key=lambda n: (n.count("."), n))
        others = ", ".join(f"`tf.{n}`" for n in names[1:])
        first = f"tf.{names[0]}"
        lines.append(f"| `{first}` | {others} | {first_version(first)} |")
    return lines


def below(name: str, spaces: str) -> bool:
    return any(name == s or name.startswith(f"{s}.") for s in spaces.split())


def matches(op: str, patterns: str) -> bool:
    return any(fnmatchcase(op, p) for p in patterns.split())


@cache
def missing_names() -> list[str]:
    """TensorFlow's names that are missing here, but for ops."""
    spaces = counts.tensorflow_names()
    names = (
        f"{space}.{last}".removeprefix(".")
        for space, lasts in spaces.items() for last in lasts)
    return sorted(
        n for n in names
        if n not in set(spaces) - {"keras"} and "raw_ops." not in n
        and not counts.is_here(n))


def missing_ops() -> list[str]:
    there = set(public_api.extension().op_names())  # type: ignore[attr-defined]
    return sorted(counts.tensorflow_names()["raw_ops"] - there)


def grouped(names: list[str]) -> dict[str, list[str]]:
    """Missing names by why, or until when."""
    words = importlib.import_module("graphkiln._tensorflow_names")
    found: dict[str, list[str]] = {}
    for name in names:
        if why := words._left_out(name):
            found.setdefault(f"Left out: {why}.", []).append(name)
        elif instead := words._INSTEAD.get(name):
            found.setdefault(f"Instead: {instead}.", []).append(name)
        else:
            plain = name.removeprefix("compat.v1.")
            step = next((s for s, (n, _) in PLANNED.items() if below(plain, n)), "")
            if not step and plain != name:
                step = "names of TensorFlow's first version, as programs ask for them"
            found.setdefault(f"Later: {step or 'no step yet'}.", []).append(name)
    return found


def grouped_ops(ops: list[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for op in ops:
        why = next(
            (f"Left out: {w}" for w, p in REFUSED_OPS.items() if matches(op, p)), "")
        step = next((s for s, (_, p) in PLANNED.items() if matches(op, p)), "")
        planned = f"Later: {step}." if step else ""
        found.setdefault(why or planned or "Later: no step yet.", []).append(op)
    return found


def missing_table(groups: dict[str, list[str]], prefix: str) -> list[str]:
    lines = ["| why, or until when | names |", "|---|---|"]
    for why in sorted(groups):
        names = ", ".join(f"`{prefix}{n}`" for n in groups[why])
        lines.append(f"| {why} | {names} |")
    return lines


def page() -> str:
    ops = op_rows()
    missing, missing_of_ops = missing_names(), missing_ops()
    words = "; ".join(f"*{w}*: {m.replace(' ', ', ')}" for w, m in GROUPS.items())
    lines = [
        "# What is supported", "",
        f"{len(ops) - 2} ops of `tf.raw_ops` and the public functions over them, with "
        "dtypes, gradients and the version that first had them. "
        "[conformance.md](conformance.md) says how they compare with TensorFlow, "
        "[parity.md](parity.md) which names C++ has.", "",
        f"Words for dtypes: {words}. A gradient of *any* order is made of ops that "
        "have gradients themselves; *none to have*: the op is not differentiable.", "",
        "## Ops", "", *ops, "",
        "## Functions made of several ops", "",
        "They take the dtypes that their ops take, and have their gradients.", "",
        *function_rows("composition"), "",
        "## Classes, and functions of Python values", "",
        *function_rows("python"), "",
        f"## Missing names ({len(missing)})", "",
        *missing_table(grouped(missing), "tf."), "",
        f"## Missing ops ({len(missing_of_ops)})", "",
        *missing_table(grouped_ops(missing_of_ops), ""), "",
    ]
    return "\n".join(lines)
