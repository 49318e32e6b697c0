"""Which members of Python's public classes the C++ classes of their names have.

Members are read from the public headers as parity.py reads names: functions, fields
and enumerators, those of bases included; of an enum class the functions that take
one of it first. They are the same where their letters are: `from_row_splits`, `Stop`
for `stop`, `kAutoSelect` for `AUTO_SELECT`. WHY says why others are missing.
"""

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase

import parity

# Why C++ has no such member: patterns of class and member. The first that
# matches counts.
WHY = {
    "Describes Python's classes to traces; C++ reads structs by `TraceStructure`.":
        "*.cast *.from_tensors *.to_tensors *.placeholder_value *.value_type "
        "DType.flatten DType.is_subtype_of DType.most_specific_common_supertype "
        "TensorShape.flatten TensorSpec.flatten experimental.DynamicRaggedShape.Spec",
    "An older or second name: `==`, `shape`, `rank`, `dims`, `device`, `outputs`, "
    "`most_specific_common_supertype`, `get_operations`, `get_all_collection_keys`, "
    "`from_string`, `value`, `get_next`, `readline`, `gk::name_scope`, the options of "
    "these names.":
        "*.most_specific_compatible_type *.get_shape *.experimental_ref "
        "DType.is_compatible_with TensorShape.ndims TensorShape.as_list "
        "Tensor.backing_device Operation.values Graph.operations Graph.collections "
        "DeviceSpec.parse_from_string Graph.name_scope Variable.initialized_value "
        "Variable.read_value_no_copy data.Iterator.next data.Options.experimental_* "
        "io.gfile.GFile.next "
        "lookup.experimental.*.erase lookup.experimental.*.insert_or_assign "
        "linalg.LinearOperator.H linalg.LinearOperator.tensor_rank_tensor",
    "Operators of C++ are no modules: `variables()` names what they read, `part()` and "
    "`operators()` what they are made of.":
        "linalg.LinearOperator.*trainable_variables linalg.LinearOperator.submodules "
        "linalg.LinearOperator.*name_scope linalg.LinearOperator.parameters "
        "linalg.LinearOperator.graph_parents",
    "Initializers of C++ are plain values, which a table reads when it is made.":
        "lookup.*Initializer.*",
    "NumPy's arrays, lists and their methods; C++ has `to_vector` and functions.":
        "*.numpy *.to_list *.as_numpy_iterator DType.as_numpy_dtype "
        "DType.is_numpy_compatible Tensor.T Tensor.astype Tensor.clip Tensor.ndim "
        "Tensor.ravel Tensor.reshape Tensor.size Tensor.tolist Tensor.transpose",
    "Sessions of TensorFlow's first version; where Python has it, it raises.":
        "*.eval Operation.run Variable.load",
    "Messages of Python's `protobuf`; C++ reads and writes whole graphs as bytes, and "
    "`create_op` adds one operation.":
        "*.as_proto *.from_proto *.to_proto Operation.from_node_def "
        "Graph.graph_def_versions",
    "Python's syntax: keys of dictionaries, decorators, operators by name, strings or "
    "objects for one argument, frames.":
        "*.ref Module.with_name_scope Tensor.OVERLOADABLE_OPERATORS "
        "Graph.as_graph_element Operation.traceback "
        "io.TFRecordOptions.get_compression_type_string",
    "Asked of the parts, which are tensors: `values().op()`.":
        "IndexedSlices.* SparseTensor.consumers SparseTensor.graph SparseTensor.op "
        "RaggedTensor.consumers",
    "What C++ has no second kind of: quantized types and references, packed tensors, "
    "graphs of other threads, flat values that are no tensors, handles of arrays.":
        "DType.is_quantized DType.base_dtype Tensor.is_packed "
        "Graph.switch_to_thread_local RaggedTensorSpec.flat_values_spec "
        "TensorArray.handle",
    "Kept for programs that ask, and of no effect.":
        "Variable.aggregation Variable.synchronization Variable.constraint",
    "Of variables that are made of parts, which `get_variable` of TensorFlow 1 makes in "
    "Python alone.": "Variable.SaveSliceInfo",
    "Told when the value is made: the shape of a variable, of a sparse tensor.":
        "Variable.set_shape SparseTensor.set_shape SparseTensor.from_value",
    "A struct: fields are read, set and copied, enumerators are numbers.":
        "DeviceSpec.replace TensorSpec.from_spec TensorArraySpec.* "
        "DType.as_datatype_enum",
    "Messages of the protobuf package.": "*.experimental_*_proto",
    "The graph itself.": "Graph.get",
    "Opens a web browser or writes to a notebook; `graphkiln show --format html` writes "
    "the page.":
        "Graph.show",
    "Named otherwise, as `export` is a word of C++: `export_values`.":
        "lookup.*.export",
    "Names of resources in graphs; C++ shows handles. Tuples by name and a queue chosen "
    "by a number are Python's dictionaries and lists: in C++ positions, "
    "`gk::switch_case`.":
        "lookup.*.name queue.*.name queue.*.names queue.*.from_list "
        "CriticalSection.name",
    "Open from the start; what is written goes there as long as what `as_default` gives "
    "lives.":
        "summary.SummaryWriter.init summary.SummaryWriter.set_as_default",
    "An exception of C++: `what()` and `code()`.":
        "errors.OpError.*",
}


@dataclass
class Class:
    name: str  # Python's
    cpp: str
    have: list[str]
    lack: list[str]

    @property
    def missing(self) -> list[str]:
        """What C++ lacks for no reason."""
        return [m for m in self.lack if not why(self.name, m)]


def why(cls: str, member: str) -> str:
    for reason, patterns in WHY.items():
        if any(fnmatchcase(f"{cls}.{member}", p) for p in patterns.split()):
            return reason
    return ""


def letters(name: str) -> str:
    """What of a name counts."""
    return name.replace("_", "").lower()


def split(words: list[str]) -> Iterator[list[str]]:
    """What stands between commas, but for those in brackets."""
    part: list[str] = []
    depth = 0
    for word in words:
        depth += (word in "<({") - (word in ">)}")
        if word == "," and depth == 0:
            yield part
            part = []
        else:
            part.append(word)
    if part:
        yield part


def fields(words: list[str]) -> Iterator[str]:
    """The names that a declaration of fields or enumerators gives."""
    for part in split(words):
        names = [w for w in part[: (part + ["="]).index("=")] if re.match(r"[A-Za-z_]", w)]
        if names:
            yield names[-1]


def of_fields(words: list[str]) -> bool:
    """Does the declaration begin with fields that have values?"""
    before = words[: (words + ["="]).index("=")]
    return before != words and not {"(", "using", "operator"} & set(before)


def first_parameter(words: list[str]) -> str:
    """The type of a function's first parameter, if that is one word."""
    inside = words[(words + ["("]).index("(") + 1:]
    return inside[0] if inside[2:3] and inside[2] in ",)" else ""


def facts_in(text: str) -> Iterator[tuple[str, str, str]]:
    """(class, "has", member), (class, "is", other), (type, "goes to", function)."""
    scopes: list[tuple[str, str]] = []  # kind, name
    words: list[str] = []
    depth = 0
    for token in parity.tokens(text):
        depth += {"(": 1, ")": -1}.get(token, 0)
        if depth or token not in "{};":
            words.append(token)
            continue
        words = parity.without_template(words)
        kind, inside = scopes[-1] if scopes else ("namespace", "gk")
        if kind == "class" and words and token != "}":
            while words[1:2] == [":"]:
                words = words[2:]
            name = "" if of_fields(words) else parity.declared(words)
            for member in [name] if name else fields(words):
                yield inside, "has", member
        elif kind == "enum" and token == "}":
            for member in fields(words):
                yield inside, "has", member.removeprefix("k")
        elif kind == "namespace" and words[:1] == ["using"] and "=" in words:
            other = [w for w in words[3:] if re.match(r"[A-Z]", w)]
            if other:
                yield words[1], "is", other[-1]
        elif kind == "namespace" and token == ";" and first_parameter(words):
            yield first_parameter(words), "goes to", parity.declared(words) or ""
        if token == "{":
            name = parity.declared(words) or ""
            if words[:1] in (["class"], ["struct"]) and name:
                scopes.append(("class", name))
                for base in split(words[words.index(":") + 1:] if ":" in words else []):
                    yield name, "is", base[: (base + ["<"]).index("<")][-1]
            elif words[:2] == ["enum", "class"]:
                scopes.append(("enum", name))
            else:
                space = words[:1] in (["namespace"], ["GK_API_NAMESPACE"])
                scopes.append(("namespace" if space else "", ""))
        elif token == "}":
            scopes.pop()
        words = []


@functools.cache
def cpp_members() -> dict[str, set[str]]:
    """The letters of the members of each class, by its last name."""
    has: dict[str, set[str]] = {}
    same: dict[str, set[str]] = {}
    enums = parity.cpp_enums()
    for header in sorted(parity.HEADERS.glob("*.h")):
        for name, what, other in facts_in(header.read_text(encoding="utf-8")):
            if what == "has" or (what == "goes to" and name in enums):
                has.setdefault(name, set()).add(letters(other))
            elif what == "is":
                same.setdefault(name, set()).add(other)
    for _ in range(3):  # bases of bases
        for name, others in same.items():
            for other in others - {name}:
                has.setdefault(name, set()).update(has.get(other, ()))
    return has


def python_members(cls: type) -> list[str]:
    # Classes say that they are TensorFlow's once Keras was imported.
    found = [
        member
        for home in cls.__mro__
        if home.__module__.startswith(("graphkiln", "tensorflow."))
        for member in vars(home)
        if not member.startswith("_")
    ]
    return sorted(set(found))


@functools.cache
def classes() -> list[Class]:
    """The public classes that C++ has as such."""
    out = []
    for entry in parity.entries():
        value = functools.reduce(getattr, entry.names[0].split("."), parity.package())
        last = entry.cpp.rpartition("::")[2]
        if isinstance(value, type) and last in cpp_members():
            members = python_members(value)
            have = [m for m in members if letters(m) in cpp_members()[last]]
            lack = [m for m in members if m not in have]
            if members:
                out.append(Class(entry.names[0], entry.cpp, have, lack))
    return out


def totals() -> tuple[int, int]:
    """How many members C++ has, of how many."""
    have = sum(len(c.have) for c in classes())
    return have, have + sum(len(c.lack) for c in classes())


def section() -> str:
    have, of = totals()
    missing = sum(len(c.missing) for c in classes())
    lines = [
        "## Members of classes", "",
        f"Of {of} public methods and attributes of {len(classes())} classes that both "
        f"have {have} have the same name in C++ ({100 * have / of:.0f} %), "
        f"{of - have - missing} are otherwise there or Python's alone, as the second "
        f"table says, and {missing} are missing.", "",
        "| Python | C++ | has | otherwise | missing |", "|---|---|---|---|---|",
    ]
    for c in classes():
        lacks = [
            ", ".join(f"`{m}`" for m in c.lack if bool(why(c.name, m)) == told)
            for told in (True, False)
        ]
        lines.append(
            f"| `tf.{c.name}` | `{c.cpp}` | {len(c.have)} of {len(c.have + c.lack)} "
            f"| {lacks[0]} | {lacks[1]} |")
    lines += ["", "| members | why |", "|---|---|"]
    for reason in WHY:
        names = [
            f"`{c.name}.{m}`"
            for c in classes() for m in c.lack if why(c.name, m) == reason
        ]
        lines.append(f"| {', '.join(names)} | {reason} |")
    return "\n".join(["", *lines, ""])
