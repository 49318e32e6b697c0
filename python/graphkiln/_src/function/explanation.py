"""Why a Function was traced more than once: the core's words as Python's
objects."""

import dataclasses
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

    _text: str = dataclasses.field(repr=False, compare=False)

    def __str__(self) -> str:
        return self._text


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

    _text: str = dataclasses.field(repr=False, compare=False)

    def __str__(self) -> str:
        return self._text


class RetraceExplanation(Sequence):
    """What `Function.explain_retraces` returns: a list of `Retrace`s, and
    notes on the function as a whole. Prints as text and, in notebooks, as a
    table."""

    def __init__(self, parts: tuple):
        name, num_traces, retraces, notes, text, table = parts
        self.name = name
        self.num_traces = num_traces
        self.notes = tuple(notes)
        self._text = text
        self._html = table
        self.retraces = tuple(
            Retrace(
                *facts, tuple(RetraceReason(*reason) for reason in reasons),
                text,
            )
            for *facts, reasons, text in retraces
        )

    def __len__(self) -> int:
        return len(self.retraces)

    def __getitem__(self, index):
        return self.retraces[index]

    def __str__(self) -> str:
        return self._text

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return self._html
