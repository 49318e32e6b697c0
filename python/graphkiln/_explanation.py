"""Why a Function was traced more than once, in words."""

import dataclasses
import html
import re
from collections.abc import Sequence


@dataclasses.dataclass(frozen=True)
class RetraceReason:
    """One part of a call that no earlier trace accepted.

    Attributes:
      argument: which part, as `x[0]['a']`; empty for the call as a whole.
      cause: "dtype", "shape", "rank", "number", "value", "object",
        "temporary object", "kind", "length", "keys", "variable",
        "parameters", "details", "evicted" or "frozen value".
      old_type, new_type: of the earlier trace and of this call.
      advice: what would avoid the trace.
    """

    argument: str
    cause: str
    old_type: str
    new_type: str
    advice: str

    def __str__(self) -> str:
        subject = f"`{self.argument}`" if self.argument else "the call"
        if self.cause == "evicted":
            return f"{subject} had a trace that the full cache dropped"
        if self.cause == "frozen value":
            return f"{subject} was {self.old_type}, is {self.new_type}"
        return f"{subject} ({self.cause}): {self.old_type} -> {self.new_type}"


@dataclasses.dataclass(frozen=True)
class Retrace:
    """One trace beyond the first.

    Attributes:
      number: of the trace, from 1 in the order traced.
      compared_to: the number of the earlier trace that is most like it.
      file, line, function: where the user's code made the call.
      signature: the types of the call.
      traced_signature: the types traced, more general if asked for.
      seconds: how long tracing took.
      evicted: has the trace been dropped from the cache?
      reasons: what no earlier trace accepted.
    """

    number: int
    compared_to: int
    file: str
    line: int
    function: str
    signature: str
    traced_signature: str
    seconds: float
    evicted: bool
    reasons: tuple[RetraceReason, ...]

    def __str__(self) -> str:
        where = (
            f' at File "{self.file}", line {self.line}, in {self.function}'
            if self.file
            else ""
        )
        lines = [f"Trace {self.number}{where} ({self.seconds * 1e3:.1f} ms):"]
        for reason in self.reasons:
            lines.append(f"    {reason}")
            lines.append(f"        {reason.advice}")
        if self.traced_signature != self.signature:
            lines.append(f"    traced for {self.traced_signature}")
        return "\n".join(lines)


class RetraceExplanation(Sequence):
    """What `Function.explain_retraces` returns: a list of `Retrace`s, and
    notes on the function as a whole. Prints as text and, in notebooks, as a
    table."""

    def __init__(
        self,
        name: str,
        num_traces: int,
        retraces: Sequence[Retrace],
        notes: Sequence[str],
    ):
        self.name = name
        self.num_traces = num_traces
        self.retraces = tuple(retraces)
        self.notes = tuple(notes)

    def __len__(self) -> int:
        return len(self.retraces)

    def __getitem__(self, index):
        return self.retraces[index]

    def text(self, most: int | None = None) -> str:
        """As text; of the last `most` traces only."""
        lines = [self._summary(), *self.notes]
        shown = self.retraces
        if most is not None:
            shown = shown[max(0, len(shown) - most):]
        if len(shown) < self.num_traces - 1:
            lines.append(f"The last {len(shown)} retraces:")
        lines += map(str, shown)
        return "\n".join(lines)

    def _summary(self) -> str:
        times = "once" if self.num_traces == 1 else f"{self.num_traces} times"
        return f"{self.name} was traced {times}."

    def __str__(self) -> str:
        return self.text()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        paragraphs = "".join(
            f"<p>{html.escape(line)}</p>"
            for line in (self._summary(), *self.notes)
        )
        if not self.retraces:
            return paragraphs
        head = "".join(
            f'<th style="{_CELL}font-weight:bold">{title}</th>'
            for title in ("trace", "argument", "before", "now")
        )
        rows = "".join(map(_rows, self.retraces))
        return (
            f'{paragraphs}<table style="{_TABLE}"><thead><tr>{head}</tr>'
            f"</thead><tbody>{rows}</tbody></table>"
        )


# Colours are those of the page, light or dark; notebooks align cells to the
# right and colour rows unless told.
_TABLE = "border-collapse:collapse;max-width:100%;background:none;"
_CELL = (
    "text-align:left;vertical-align:top;padding:4px 10px;"
    "border-top:1px solid rgba(128,128,128,0.5);background:none;"
)
_WRAPPED = _CELL + "overflow-wrap:anywhere;white-space:normal;"
_BELOW = (
    "text-align:left;padding:0 10px 8px 10px;border:none;background:none;"
    "white-space:normal;"
)
_FAINT = "opacity:0.7;font-size:90%"


def _rows(retrace: Retrace) -> str:
    """Two rows for each reason: what differs, and what would avoid it."""
    where = ""
    if retrace.file:
        folder, slash, file = retrace.file.rpartition("/")
        where = (
            f'<br/><span title="{html.escape(retrace.file)}">'
            f"{html.escape(file)}:{retrace.line}</span>"
        )
    label = (
        f'<td rowspan="{max(1, 2 * len(retrace.reasons))}" '
        f'style="{_CELL}white-space:nowrap"><b>{retrace.number}</b>'
        f'<span style="{_FAINT}">{where}<br/>{retrace.seconds * 1e3:.1f} ms'
        f"{'<br/>evicted' if retrace.evicted else ''}</span></td>"
    )
    rows = []
    for reason in retrace.reasons:
        subject = reason.argument or "the call"
        argument = (
            f"<code>{html.escape(subject)}</code><br/>"
            f'<span style="{_FAINT}">{html.escape(reason.cause)}</span>'
        )
        cells = [argument] + [
            f"<code>{html.escape(text)}</code>" if text else ""
            for text in (reason.old_type, reason.new_type)
        ]
        tds = "".join(f'<td style="{_WRAPPED}">{cell}</td>' for cell in cells)
        rows.append(f"<tr>{label}{tds}</tr>")
        rows.append(
            f'<tr><td colspan="3" style="{_BELOW}">'
            f"&rarr; {html.escape(reason.advice)}</td></tr>"
        )
        label = ""
    return "".join(rows) or f"<tr>{label}</tr>"


def explain(function) -> RetraceExplanation:
    """The explanation of `function`'s traces so far."""
    state = function._state
    num_traces, records = function._history()
    max_traces = state.options["max_traces"]
    retraces = []
    for (number, compared_to, signature, traced, (file, line, caller),
         seconds, evicted, differences) in records:
        if number == 1:
            continue
        reasons = tuple(
            RetraceReason(
                path, cause, before, after,
                _advice(path, cause, before, after, common, max_traces),
            )
            for path, cause, before, after, common in differences
        )
        retraces.append(
            Retrace(
                number, compared_to, file, line, caller, signature, traced,
                seconds, evicted, reasons,
            )
        )
    return RetraceExplanation(
        state.name, num_traces, retraces, _notes(state, num_traces)
    )


def _notes(state, num_traces: int) -> list[str]:
    notes = []
    if state.created_variables and num_traces:
        notes.append(
            "Its first call traced it twice, because it created variables."
        )
    functions = state.detector.num_functions
    if functions > 1:
        code = getattr(state.python_function, "__code__", None)
        place = (
            f' at File "{code.co_filename}", line {code.co_firstlineno}'
            if code is not None
            else ""
        )
        notes.append(
            f"It is one of {functions} tf.functions made of the function"
            f"{place}; each has traces of its own. "
            + (
                "Every object has its own for a method: keep the objects, or "
                "decorate a function that takes what it needs as arguments."
                if state.is_bound
                else "Create the tf.function once, outside of the loop or "
                "function that makes it, and call that one."
            )
        )
    return notes


_SPEC = re.compile(
    r"(?<![\w.])((?:\w*Tensor|IndexedSlices)Spec|TensorShape)\("
)


def _paste(type_: str) -> str:
    """A type's text as code to paste."""
    type_ = _SPEC.sub(r"tf.\1(", type_).replace(", name=None)", ")")
    return type_.replace("shape=<unknown>", "shape=None")


def _literal(type_: str) -> str:
    return type_[len("Literal["):-1] if type_.startswith("Literal[") else type_


def _advice(
    path: str,
    cause: str,
    before: str,
    after: str,
    common: str,
    max_traces: int | None,
) -> str:
    name = path or "the arguments"
    if cause == "dtype":
        return f"Convert {name} to one dtype before the call, with tf.cast."
    if cause in ("shape", "rank") or (cause == "details" and common):
        spec = f" with {_paste(common)} for it" if common else ""
        return (
            "Give tf.function reduce_retracing=True, or an input_signature"
            f"{spec}."
        )
    if cause == "number":
        value = _literal(after)
        return (
            f"Pass a tensor, as tf.constant({value}), unless the function "
            "needs the number while it is traced."
        )
    if cause == "value":
        if _literal(before) in ("True", "False", "None"):
            return (
                "One trace for each such value is as it should be; pass a "
                "tensor if it is to be decided at run time."
            )
        return "Every value has a trace of its own: use few, or pass a tensor."
    if cause == "object":
        if "function" in after:
            return (
                "Define the function once, outside of the loop, and pass that "
                "one every time."
            )
        return (
            "Pass the same object every time, give its class __eq__ and "
            "__hash__, or pass the tensors in it."
        )
    if cause == "temporary object":
        return (
            "The earlier object is gone. Create it once, outside of the loop, "
            "and keep it."
        )
    if cause == "kind":
        kinds = before.partition("[")[0], after.partition("[")[0]
        if any(kind in ("Dict", "List", "Tuple") for kind in kinds):
            return f"Pass the same structure for {name} every time."
        if "Literal[" in before + after and "TensorSpec(" in before + after:
            return f"Pass a tensor always: tf.convert_to_tensor({name})."
        return "Pass a value of the same class every time."
    if cause == "length":
        return (
            "Every length has a trace of its own: stack the values into one "
            "tensor, or pad to few lengths."
        )
    if cause == "keys":
        return "Pass the same keys every time."
    if cause == "variable":
        return (
            "Which arguments are one variable, which the function also "
            "captures, and which are trainable, is part of the trace: keep it "
            "the same."
        )
    if cause == "parameters":
        return "Pass the same number of arguments and the same keywords."
    if cause == "evicted":
        return f"Allow more traces than max_traces={max_traces}."
    if cause == "frozen value":
        return (
            f"Make {name} a tf.Variable or an argument, so that it need not "
            "be frozen."
        )
    return "What is no tensor in it is part of the trace: keep it the same."
