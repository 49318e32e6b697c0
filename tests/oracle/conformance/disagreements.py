"""What is known to differ, and why. A rule that no disagreement needs fails the
full run, so the list can only shrink. The first rule that matches counts."""

from __future__ import annotations

import re
from dataclasses import dataclass

import bad_call_differences
from bad_call_outcomes import Outcome

from conformance import questions
from conformance.workers import Verdict


@dataclass(frozen=True)
class Known:
    """Questions whose text matches the pattern differ for that reason."""

    pattern: str
    reason: str


# TensorFlow's doing.
GIVES_ZEROS = "TensorFlow's raw op gives zeros"
NO_DILATIONS = "TensorFlow's kernels of depthwise gradients overlook dilations"
OWN_ORDER = "which of the largest comes first is nowhere said"
MIXED_TYPES = "TensorFlow's gradient adds indices of two types"
READS_INT32 = "TensorFlow reads the axis as if it were an int32"
HALVES = "TensorFlow's shape function halves the last size, its kernel does not"
UNSET = "TensorFlow leaves unset what has no value"
NAN_AT_INFINITY = "TensorFlow gives NaN at infinity"
PAST_WEIGHTS = "TensorFlow does not look whether there is a weight for each value"
OTHER_GATES = "TensorFlow's gradient is that of gates in another order"
AS_FLOAT = "TensorFlow computes in float, graphkiln in double"
PHASES = "vectors are unique but for their phases"
ONE_SHORT = "TensorFlow's shape function makes the sequences one too short"
GARBAGE = "TensorFlow leaves memory as it was where there is nothing to transform"
OWN_GRADIENT = "TensorFlow's gradient makes sizes that do not fit"
UNSUMMED = "TensorFlow does not sum the gradient of a broadcast value"
NO_SUCH_WORD = "TensorFlow takes words that it does not know"
PAST_TABLE = "TensorFlow reads past its table"
NO_IMAGES = "TensorFlow's shape without images is not that with some"
NO_CLASS = "TensorFlow reads labels that are no classes"
AT_HALF = "a value half way between two steps"
OF_TWO_MINDS = "TensorFlow says [0] and, with oneDNN, gives a scalar"
TAKES_FOUR = "TensorFlow takes images of four dimensions for volumes"
OVERFLOWS = "what becomes of infinity depends on the order of multiplication"
BY_THREADS = "which numbers TensorFlow draws depends on how many threads it has"
OTHER_RANK = "TensorFlow's shape function says four dimensions, its kernel gives five"
OTHER_SHAPES = (
    "TensorFlow's shape function tells or refuses other shapes than its kernel gives"
)
TRACED_SHAPES = "TensorFlow wants the shapes while it traces"
READS_INT64 = "TensorFlow reads a variable of int32 as if it were one of int64"
EITHER_SIDE = "of eigenvalues below 0 the logarithm lies on its cut, either side of it"
UNSORTED = "which place is found in rows that are not sorted is nowhere said"
# Of these TensorFlow has no answer to agree with: it reads memory that is none of
# the inputs, contradicts its own results, fails in its own gradient, or answers by
# what memory the machine has.
UNDETERMINED = {
    OWN_ORDER, MIXED_TYPES, READS_INT32, HALVES, UNSET, OF_TWO_MINDS, PHASES,
    ONE_SHORT, GARBAGE, OWN_GRADIENT, NO_SUCH_WORD, PAST_TABLE, NO_CLASS,
    OTHER_RANK, BY_THREADS, OTHER_SHAPES, READS_INT64, UNSORTED,
    bad_call_differences.MEMORY_FIRST,
}  # fmt: skip
# Of these TensorFlow's answer contradicts its documents or a definition, and
# graphkiln's is what those say.
WRONG_THERE = {
    NAN_AT_INFINITY: "their limits are 0 (J and Y, DLMF 10.17.3 and 10.17.4) and "
    "infinity (I, DLMF 10.30.4), Y1 has a pole at 0 (DLMF 10.7.4), which TensorFlow "
    "itself says of float64; erf is 1 there (DLMF 7.2.2), which it says of float32",
    GIVES_ZEROS: "documented to round to the nearest integer, which an integer is; "
    "tf.round, which TensorFlow writes around the op, returns integers as they are",
    NO_DILATIONS: "not the derivative of its own convolution, as differences show; "
    "tf.nn.depthwise_conv2d, which TensorFlow writes around the op, has the right one",
    OTHER_GATES: "not the derivative of its own op, as differences show: it is that "
    "of BlockLSTM, whose gates stand in another order",
    UNSUMMED: "a gradient has the shape of what it is the gradient of",
}
# Ours.
DEPENDENT = "columns that depend on others have any direction"
INFINITE_SUMS = "what infinities add up to depends on the order"
OVER_CHANNELS = "windows over channels that come first are refused by another class"
EMPTY_VOLUMES = "of no volumes there are no derivatives to refuse"
MORE_HERE = "integers are convolved with dilations, too"
# Open.
OTHER_CLASS = "refused by another class: TensorFlow converts arguments itself"
NAN_IS_NO_ORDER = "comparisons with NaN are false"
UNIMPLEMENTED = "refused with a code of tf.errors"

KNOWN: tuple[Known, ...] = (
    Known("Round int(32|64) .*: value", GIVES_ZEROS),
    Known(r"DepthwiseConv2dNative.* dilations=\S+: .*", NO_DILATIONS),
    Known("TopKV2 .* sorted=False: .*", OWN_ORDER),
    Known("TopKV2 .* index_type=int(16|64): .*gradient", MIXED_TYPES),
    Known("ArgM(ax|in) .* Tidx=int16: value", READS_INT32),
    Known("I?RFFTND .*: shape .*", HALVES),
    Known("Cholesky .*: bad call", UNSET),
    Known("Erf float64 edges: value", NAN_AT_INFINITY),
    Known("FusedBatchNormGrad(V[23])? .*: shape .*", OF_TWO_MINDS),
    Known("FusedBatchNorm(Grad)?V3 .* data_format=NDHWC: .*", TAKES_FOUR),
    Known("Prod complex64 large: value", OVERFLOWS),
    Known("NonMaxSuppression.* (nan|inf): bad call", NAN_IS_NO_ORDER),
    Known("(AdjustHue|SegmentM(ax|in)|StatelessRandomBinomial) .* nan: bad call",
          NAN_IS_NO_ORDER),
    Known("(Sparse|Ragged)Bincount .*: value", PAST_WEIGHTS),
    Known("Einsum .* empty end: value", PAST_WEIGHTS),
    Known("BlockLSTMV2 .*gradient", OTHER_GATES),
    Known("SelfAdjointEigV2 .*", PHASES),
    Known("Fractional(Avg|Max)Pool .*: shape of constants", ONE_SHORT),
    Known("I?R?FFT[23]?D? .*: (value|bad call)", GARBAGE),
    Known("I?RFFT[23]?D? .*gradient", OWN_GRADIENT),
    Known("SparseToDense .* scalar: .*gradient", UNSUMMED),
    Known("ImageProjectiveTransform.* nonsense: bad call", NO_SUCH_WORD),
    Known("DataFormatDimMap .*: bad call", PAST_TABLE),
    Known("(Depthwise)?Conv[23][Dd].* (no rows|empty): .*", NO_IMAGES),
    Known("CTCLoss .* labels_values.*: bad call", NO_CLASS),
    Known("FakeQuantWithMinMax.* large: value", AT_HALF),
    Known("FakeQuantWithMinMax.*Gradient .* (nan|inf): bad call", NAN_IS_NO_ORDER),
    Known("Bessel(J|Y)[01] .*: (value|bad call)", NAN_AT_INFINITY),
    Known("Qr .* full_matrices=True: .*gradient", UNIMPLEMENTED),
    Known("(Ragged|Sparse)Cross.*: bad call.*", bad_call_differences.STRICT),
    Known("BesselI[01] .*: (value|bad call)", NAN_AT_INFINITY),
    Known("FractionalAvgPoolGrad .*: bad call", PAST_TABLE),
    Known("(LRNGrad|AdjustSaturation|StatelessRandomPoisson) .* inf: bad call",
          INFINITE_SUMS),
    Known("(CumulativeLogsumexp|ReluGrad|Relu6Grad) .* (nan|inf): bad call",
          NAN_IS_NO_ORDER),
    Known("Conv2DBackpropInput int32 dilations.*: value", MORE_HERE),
    Known("IsotonicRegression .*gradient", OWN_GRADIENT),
    Known("Parse(Single)?Example.* num_sparse = .*: bad call.*",
          bad_call_differences.MEMORY_FIRST),
    Known("Parse(Single)?Example.*: bad call", OTHER_CLASS),
    Known("AvgPool(3D)?Grad .* last 2147483647: bad call.*",
          bad_call_differences.ORDER),
    Known("ExtractVolumePatches .*: shape .*", OTHER_RANK),
    Known("ExtractVolumePatches .* empty: .*gradient", OWN_GRADIENT),
    Known("StatelessMultinomial float32 large: value", BY_THREADS),
    Known("StatelessMultinomial .* (nan|inf): bad call", NAN_IS_NO_ORDER),
    Known("CholeskyGrad .*: bad call", UNSET),
    Known("Qr .*: bad call", DEPENDENT),
    Known("Cumprod complex.* large: value", OVERFLOWS),
    Known("ResourceGather .* batch_dims=1: value", bad_call_differences.STRICT),
    Known("MaxPool(3D|V2)? .* data_format=NCD?HW: .*", OVER_CHANNELS),
    Known("MaxPool3D .* empty: second gradient", EMPTY_VOLUMES),
    Known("Igammac? float32 edges: value", AS_FLOAT),
    Known("(Unpack|(Sparse)?SplitV?|DynamicPartition|RaggedGather|"
          "CTCBeamSearchDecoder) .* 2147483647: bad call.*",
          bad_call_differences.MEMORY_FIRST),
    Known("ApproxTopK .*: shape .*", OTHER_SHAPES),
    Known("ParallelConcat .*: shape .*", TRACED_SHAPES),
    Known("ParameterizedTruncatedNormal .* shape.*: bad call.*",
          bad_call_differences.ORDER),
    Known("Empty init=False: value", UNSET),
    Known("ResourceCountUpTo T=int64: value", READS_INT64),
    Known("MatrixLogarithm .*: bad call", EITHER_SIDE),
    Known("(Low|Upp)erBound .*: value", UNSORTED),
    Known("(IgammaGradA|RandomGammaGrad) .* edges: value", AS_FLOAT),
)


def rule(verdict: Verdict) -> Known | bad_call_differences.Difference | None:
    """What says why the answers differ."""
    for known in KNOWN:
        if re.fullmatch(known.pattern, str(verdict.question)):
            return known
    question = verdict.question
    if question.aspect in questions.SHAPES:
        return None
    mode = "graph" if question.aspect == questions.ERRORS[1] else "eager"
    return bad_call_differences.find(
        question.op, question.variant, mode,
        Outcome(*verdict.mine), Outcome(*verdict.theirs),
    )  # fmt: skip


def reason(verdict: Verdict) -> str:
    found = rule(verdict)
    return found.reason if found else ""


def argument(verdict: Verdict) -> tuple[str, str]:
    """The op, and the argument that is bad in a bad call of it."""
    return verdict.question.op, re.split(r"[\[ ]", verdict.question.variant)[0]


def is_refused_here(verdict: Verdict) -> bool:
    """Is it a call that graphkiln refuses as invalid, and TensorFlow answers?"""
    return (
        verdict.mine[0] in ("InvalidArgumentError", "TypeError")
        and not verdict.theirs[0]
        and verdict.question.aspect not in questions.SHAPES
    )
