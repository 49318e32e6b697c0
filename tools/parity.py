"""Which public Python names have a C++ name.

Nothing here pairs names by hand: the C++ names are read from the public headers
(include/graphkiln, and functions.h, which is made of the records), and
`tf.math.add` is found there as `gk::math::add`. A word that C++ reserves ends with
an underscore there (`gk::case_`), and a class of Python's that only makes a function
is that function (`tf.initializers.HeNormal`, `gk::initializers::he_normal`). A name
of `tf.data.experimental` whose documentation calls it a dataset's member is that
member. Names of one thing (`tf.add`, `tf.math.add`) count together.

What is written otherwise in C++ is in WRITTEN. What cannot have a C++ name is in ONLY_PYTHON, by groups, each with its reason.
"""

import functools
import importlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase

import opgen
import opgen_public
import public_api

HEADERS = public_api.ROOT / "include" / "graphkiln"
# What C++ calls otherwise, wherever it stands: its own words for types.
OTHER_WORDS = {
    "DType": "DataType", "TensorShape": "Shape", "Options": "DataOptions"}
# What C++ writes as a constructor or another class, which is checked to be there.
WRITTEN = {
    "constant": "gk::Tensor::Tensor",
    "convert_to_tensor": "gk::Tensor::Tensor",
    "errors.OpError": "gk::Error",
    "random_normal_initializer": "gk::initializers::random_normal",
    "random_uniform_initializer": "gk::initializers::random_uniform",
    "compat.v1.assign": "gk::Variable::assign",
    "compat.v1.assign_add": "gk::Variable::assign_add",
    "compat.v1.assign_sub": "gk::Variable::assign_sub",
    "profiler.experimental.Profile": "gk::profiler::Profile",
    "profiler.experimental.ProfilerOptions": "gk::profiler::ProfilerOptions",
    "profiler.experimental.Trace": "gk::profiler::Trace",
    "profiler.experimental.start": "gk::profiler::start",
    "profiler.experimental.stop": "gk::profiler::stop",
    "train.Checkpoint": "gk::Checkpoint",
    "train.CheckpointManager": "gk::CheckpointManager",
    "train.CheckpointOptions": "gk::CheckpointOptions",
    "train.latest_checkpoint": "gk::latest_checkpoint",
    "train.load_checkpoint": "gk::CheckpointReader::CheckpointReader",
    "train.experimental.MaxShardSizePolicy": "gk::MaxShardSizePolicy",
    "train.experimental.ShardByTaskPolicy": "gk::ShardByTaskPolicy",
    "train.experimental.ShardableTensor": "gk::ShardableTensor",
    "train.experimental.ShardingCallback": "gk::ShardingCallback",
}
# Why there is no C++ name: names or patterns. The first that matches counts.
ONLY_PYTHON = {
    "AutoGraph rewrites Python's statements; C++ has `gk::carry` and `gk::if_`.":
        "autograph.*",
    "Names of TensorFlow's first version, for programs that were written then.":
        "compat.* data.experimental.make_saveable_from_iterator",
    "Python's modules: logging, tracebacks, where the package keeps its headers.":
        "as_tensorflow *ipython_extension get_logger debugging.*traceback_filtering* sysconfig.*",
    "gRPC, which programs in C++ bring: `gk::profiler::answer` makes what servers say.":
        "profiler.experimental.client.* profiler.experimental.server.*",
    "Values on several devices, which there are none of: there to be asked for.":
        "distribute.Distributed* distribute.*MultiWorkerMirroredStrategy "
        "distribute.*ParameterServerStrategy distribute.*coordinator.* "
        "distribute.*TPUStrategy distribute.experimental.CentralStorageStrategy "
        "distribute.experimental.PreemptionCheckpointHandler experimental.dtensor.*",
    "Python's protocols: capsules, iterators, arrays.":
        "experimental.dlpack.* data.NumpyIterator",
    "Which function serves which types of values: C++ overloads, and converts by "
    "constructors.":
        "experimental.*dispatch_for* register_tensor_conversion_function __internal__.* "
        "__operators__.*",
    "What a value is: C++'s types tell when the program is compiled.":
        "is_tensor debugging.is_numeric_tensor "
        "debugging.assert_proper_iterable",
    "Classes that Python's annotations make: in C++ `GK_EXTENSION_TYPE` names the "
    "fields of a struct, `gk::BatchEncoder` what is stacked (`extension_type.h`).":
        "experimental.ExtensionType* experimental.BatchableExtensionType "
        "experimental.extension_type.*",
    "NumPy's names and its rules of types, for programs that are written in them.":
        "experimental.numpy.*",
    "Python's annotations of types.":
        "types.experimental.*",
    "Kept for programs that set or ask them, and of no effect here: GPUs, several "
    "machines, TensorFlow's own runtime.":
        "config.experimental.get_device_details config.experimental.*device_policy "
        "config.experimental.get_memory_growth config.experimental.set_memory_growth "
        "config.experimental.*synchronous_execution "
        "config.experimental.*tensor_float_32* config.optimizer.*jit "
        "config.experimental.*mlir_bridge config.experimental.*memory_* "
        "config.experimental.ClusterDeviceFilters experimental.async_* "
        "experimental.function_executor_type experimental.enable_strict_mode "
        "debugging.experimental.* load_library load_op_library "
        "experimental.register_filesystem_plugin check_pinned "
        "nondifferentiable_batch_function "
        "VariableSynchronization VariableAggregation AggregationMethod "
        "data.experimental.copy_to_device data.experimental.prefetch_to_device",
    "Functions in C++ are compiled, and run under a debugger as what they are.":
        "data.experimental.enable_debug_mode",
    "Messages of the protobuf package, as which C++ has strings.":
        "make_tensor_proto make_ndarray",
    "The spec of None, which C++ has not.": "NoneTensorSpec",
    "A class for each code of an error: C++ has `gk::Error` and its `code()`.":
        "errors.*",
    "Helps Python's tests.":
        "test.*",
    "Python's threads, and what messages say of clusters, which there are none of.":
        "train.Coordinator train.ClusterSpec",
}


@dataclass
class Entry:
    names: list[str]  # of one thing, the shortest first
    cpp: str = ""  # "" if there is none
    reason: str = ""  # why there cannot be one


TOKEN = re.compile(
    r"//[^\n]*|/\*.*?\*/|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*"
    r'|R"(\w*)\(.*?\)\1"|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)+\''
    r"|[A-Za-z_]\w*|\d[\w.']*|\[\[|\]\]|\S", re.M | re.S)
NO_NAMES = {"requires", "decltype", "noexcept", "alignas", "static_assert", "operator"}


def tokens(text: str) -> list[str]:
    found = (m[0] for m in TOKEN.finditer(text))
    return [t for t in found if not t.lstrip().startswith(("//", "/*", "#"))]


def without_template(words: list[str]) -> list[str]:
    """A declaration without `template <...>` before it."""
    while words[:1] == ["template"]:
        depth = 0
        for i, word in enumerate(words):
            depth += {"<": 1, ">": -1}.get(word, 0)
            if word == ">" and depth == 0:
                break
        words = words[i + 1:]
    return words


def declared(words: list[str]) -> str | None:
    """The name of a class or function that a declaration declares."""
    words = without_template(words)
    if words[:1] in (["class"], ["struct"]) or words[:2] == ["enum", "class"]:
        depth = 0
        for word in words[1 + (words[0] == "enum"):]:
            depth += {"[[": 1, "]]": -1}.get(word, 0)
            if depth == 0 and word not in ("]]", "GK_EXPORT"):
                return word
        return None
    if words[:1] == ["using"] and "=" in words:
        return words[1]
    if words[:1] in (["using"], ["enum"], ["extern"], ["friend"]):
        return None
    depth = 0
    for before, word in zip(words, words[1:]):
        if word == "(":
            if depth == 0 and re.match(r"[A-Za-z_]", before) and before not in NO_NAMES:
                return before
            depth += 1
        elif word == ")":
            depth -= 1
    return None


def names_in(text: str) -> Iterator[str]:
    """The classes and functions of a header, with what they are in."""
    scopes: list[str | None] = []  # namespaces and classes; None: others
    words: list[str] = []
    depth = 0  # of parentheses
    for token in tokens(text):
        depth += {"(": 1, ")": -1}.get(token, 0)
        if depth or token not in "{};":
            words.append(token)
            continue
        if words and None not in scopes and "namespace" not in words:
            name = declared(words)
            if name and "detail" not in scopes:
                yield "::".join([*filter(None, scopes), name])
        if token == "{":
            if words[:1] == ["namespace"]:
                scopes.append("".join(words[1:]))
            elif without_template(words)[:1] in (["class"], ["struct"]):
                scopes.append(declared(words))
            else:
                scopes.append("" if words == ["GK_API_NAMESPACE"] else None)
        elif token == "}":
            scopes.pop()
        words = []


@functools.cache
def package() -> object:
    return importlib.import_module("graphkiln")


@functools.cache
def cpp_names() -> frozenset[str]:
    records = public_api.records()
    made = [opgen_public.composition(c) for c in records.compositions]
    made += [f for op in records.ops if (f := opgen_public.op_function(op))]
    texts = [opgen_public.functions_header(made)]
    texts += [h.read_text(encoding="utf-8") for h in sorted(HEADERS.glob("*.h"))]
    return frozenset(name for text in texts for name in names_in(text))


@functools.cache
def cpp_enums() -> frozenset[str]:
    texts = (h.read_text(encoding="utf-8") for h in HEADERS.glob("*.h"))
    return frozenset(n for t in texts for n in re.findall(r"enum class (\w+)", t))


def cpp_name(name: str) -> str:
    """The C++ name of a public name; "" if there is none."""
    if name in WRITTEN:
        return WRITTEN[name]
    *scope, last = name.split(".")
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", last).lower()
    scopes = [scope]
    if scope[:1] == ["data"]:
        # Classes stand in gk itself, functions of datasets are their members.
        scopes += [[]] if last[0].isupper() else [["Dataset"]]
    for where in scopes:
        for word in (opgen.safe(last), last + "_", OTHER_WORDS.get(last), snake):
            full = "::".join(["gk", *where, word or ""])
            if full in cpp_names():
                return full
    return older_name(name)


def older_name(name: str) -> str:
    """The member that an older name of data stands for, as its documentation says."""
    if not name.startswith("data.experimental."):
        return ""
    first = str(functools.reduce(getattr, name.split("."), package()).__doc__)
    members = re.findall(r"`(dataset|iterator)\.(\w+)", first.partition("\n")[0], re.I)
    found = [f"gk::{c.capitalize()}::{m}" for c, m in members]
    return ", ".join(found) if found and cpp_names().issuperset(found) else ""


def reason(name: str) -> str:
    for why, patterns in ONLY_PYTHON.items():
        if any(fnmatchcase(name, p) for p in patterns.split()):
            return why
    return ""


@functools.cache
def entries() -> list[Entry]:
    """Each public function and class."""
    groups: dict[str, list[str]] = {
        f"graphkiln._graphkiln:{n}": [n] for n in public_api.top_level_names()}
    for public in public_api.public_names():
        if public.kind == "python" and not callable_name(public):
            continue
        source = public.source
        if public.kind == "composition":
            source = "composition:" + public_api.compositions()[public.name].names[0]
        groups.setdefault(source, []).append(public.name)
    out = []
    for names in groups.values():
        names.sort(key=lambda n: (n.count("."), n))
        entry = Entry(names)
        entry.cpp = next(filter(None, map(cpp_name, names)), "")
        if not entry.cpp:
            reasons = [reason(n) for n in names]
            entry.reason = reasons[0] if all(reasons) else ""
        out.append(entry)
    return sorted(out, key=lambda e: e.names[0])


def callable_name(public: public_api.PublicName) -> bool:
    module, _, attribute = public.source.partition(":")
    if module == "graphkiln._graphkiln":
        return callable(getattr(public_api.extension(), attribute))
    return bool(public.text)


def totals(found: list[Entry]) -> tuple[int, int]:
    """How many have a C++ name, of how many that can."""
    return sum(bool(e.cpp) for e in found), sum(not e.reason for e in found)


def page() -> str:
    found = entries()
    have, can = totals(found)
    lines = [
        "# Python's names in C++", "",
        f"Of {len(found)} public functions and classes {can} can have a C++ name and "
        f"{have} do: {100 * have / can:.1f} %. `tf.math.add` is `gk::math::add`, and so "
        "on; the names are read from the public headers.", "",
        "## Missing", "",
        ", ".join(f"`tf.{e.names[0]}`" for e in found if not e.cpp and not e.reason)
        or "None.", "",
        "## Python's alone", "", "| names | why |", "|---|---|",
    ]
    for why in ONLY_PYTHON:
        names = ", ".join(f"`tf.{e.names[0]}`" for e in found if e.reason == why)
        lines.append(f"| {names} | {why} |")
    lines += ["", "## In both", "", "| Python | C++ |", "|---|---|"]
    lines += [
        f"| {', '.join(f'`tf.{n}`' for n in e.names)} | `{e.cpp}` |"
        for e in found if e.cpp
    ]
    return "\n".join(lines) + "\n"
