"""Where our answer to a bad call is not TensorFlow's on purpose, and why."""

from __future__ import annotations

import re
from dataclasses import dataclass

from bad_call_outcomes import Outcome

# Sizes that TensorFlow fills memory with until it is stopped.
SIZES = (
    "shape|dims|num_rows|num_cols|paddings|multiples|num_segments|segment_ids|"
    "num|depth|size|num_samples|input_sizes|orig_input_shape"
)
# Calls that end TensorFlow's process or take it for ever.
KILLERS: dict[str, str] = {
    "SparseCrossHashed": """
        shapes[0] all -1
        shapes[0] all -7
        shapes[0] all 2147483647
        shapes[0] all -2147483648
        shapes[0] all 4611686018427387904
        shapes[0] all -9223372036854775808
    """,
    "ParallelConcat": """
        shape = all 4611686018427387904
    """,
    "ResourceStridedSliceAssign": """
        ref[0] strings
        ref[0] other dtype
    """,
    "Conv2D DepthwiseConv2dNative": """
        input[0] scalar
        input[0] flat
        dilations = all 2147483648
        dilations = all 4611686018427387904
        strides = all 2147483648
        strides = all 4611686018427387904
    """,
    "Conv2DBackpropInput": """
        input_sizes[0] scalar
        input_sizes[0] deeper
        input_sizes[0] rank 6
        input_sizes[0] empty
        input_sizes[0] no rows
        input_sizes[0] last -1
        input_sizes[0] all -7
        input_sizes[0] last -7
        input_sizes[0] all -2147483648
        input_sizes[0] last -2147483648
        dilations = all 2147483648
        dilations = all 4611686018427387904
        strides = []
        strides = all 0
        strides = all 2147483648
        strides = all 4611686018427387904
        strides = None
    """,
    "Conv2DBackpropFilter": """
        input[0] scalar
        input[0] flat
        out_backprop[0] scalar
        out_backprop[0] flat
        dilations = all 2147483648
        dilations = all 4611686018427387904
        strides = []
        strides = all 0
        strides = all 2147483648
        strides = all 4611686018427387904
        strides = None
    """,
    "DepthwiseConv2dNativeBackpropInput": """
        input_sizes[0] scalar
        input_sizes[0] deeper
        input_sizes[0] rank 6
        input_sizes[0] empty
        input_sizes[0] no rows
        input_sizes[0] last -1
        input_sizes[0] all -7
        input_sizes[0] last -7
        input_sizes[0] all -2147483648
        input_sizes[0] last -2147483648
        strides = []
        strides = all 0
        strides = None
    """,
    "DepthwiseConv2dNativeBackpropFilter": """
        input[0] scalar
        input[0] flat
        out_backprop[0] scalar
        out_backprop[0] flat
        strides = []
        strides = all 0
        strides = None
    """,
    "MaxPool": """
        ksize = all 2147483648
        ksize = all 4611686018427387904
        ksize = longer
        strides = all 2147483648
        strides = all 4611686018427387904
    """,
    "AvgPoolGrad": """
        orig_input_shape[0] scalar
        orig_input_shape[0] deeper
        orig_input_shape[0] rank 6
        orig_input_shape[0] empty
        orig_input_shape[0] no rows
        grad[0] scalar
        grad[0] flat
        ksize = longer
    """,
    "MaxPool3D": """
        ksize = all 2147483648
        ksize = all 4611686018427387904
        strides = all 2147483648
        strides = all 4611686018427387904
    """,
    "AvgPool3DGrad": """
        orig_input_shape[0] scalar
        orig_input_shape[0] deeper
        orig_input_shape[0] rank 6
        orig_input_shape[0] empty
        orig_input_shape[0] no rows
        grad[0] scalar
        grad[0] flat
    """,
    "RandomPoissonV2": """
        rate[0] nan
    """,
    "StatelessRandomPoisson": """
        lam[0] nan
    """,
    "ResourceGather ResourceGatherNd": """
        resource[0] other dtype
        resource[0] strings
    """,
    "ResourceCountUpTo": """
        resource[0] other dtype
        resource[0] strings
    """,
    "ResourceScatterNdAdd ResourceScatterNdSub": """
        ref[0] other dtype
        ref[0] strings
        updates[0] other dtype
    """,
    "ResourceScatterNdMin ResourceScatterNdMax": """
        ref[0] other dtype
        ref[0] strings
    """,
    "ResourceScatterNdUpdate": """
        ref[0] other dtype
        ref[0] strings
        updates[0] other dtype
        updates[0] strings
    """,
}

# Ops that check what TensorFlow does not: it reads past inputs, or ignores what
# does not fit.
CHECKED = (
    "BlockLSTMGrad(V2)?|ExtractVolumePatches|FixedUnigramCandidateSampler|"
    "Fractional(Avg|Max)PoolGrad|LSTMBlockCell(Grad)?|MaxPoolV2|"
    "PlaceholderWithDefault|QuantizeAndDequantizeV3|RaggedGather|RaggedTensorTo.*|"
    "RandomIndexShuffle|Resize(Bicubic|Bilinear)Grad|ScaleAndTranslateGrad|SparseAdd|"
    "SparseReduce.*|SparseReshape|SparseSlice|SparseSoftmax"
)
# Ops whose texts are compared too.
COMPARED_TEXTS = (
    "TopKV2|Segment.*|UnsortedSegment.*|Roll|Transpose|ConjugateTranspose|"
    "ScatterNd|TensorScatter.*|ResourceScatter.*|Gather.*|ResourceGather.*|"
    "Concat.*|Pack|Unpack|Reshape|Split.*|Pad.*|MirrorPad.*|StridedSlice.*|"
    "Slice|.*MatMul.*|Conv2D.*|MaxPool.*|AvgPool.*|"
    "top_k|segment_.*|roll|transpose|scatter.*|gather.*|concat|stack|unstack|"
    "reshape|split|pad|x.*|slice|strided_slice|matmul|conv2d|max_pool|avg_pool"
)


@dataclass(frozen=True)
class Difference:
    """What `calls` (a pattern of "op, label") raise here and there."""

    calls: str
    ours: str
    theirs: str
    reason: str
    ours_says: str = ""
    theirs_says: str = ""

    def covers(self, call: str, mine: Outcome, theirs: Outcome) -> bool:
        return bool(
            re.fullmatch(self.calls, call)
            and re.fullmatch(self.ours, mine.error)
            and re.fullmatch(self.theirs, theirs.error)
            and re.match(self.ours_says, mine.text)
            and re.match(self.theirs_says, theirs.text)
        )


INVALID = "InvalidArgumentError"
MISSING = "Could not find device for node|No OpKernel was registered"
WINDOWS = "(Depthwise)?Conv[23][Dd].*|(Max|Avg)Pool.*"
MORE_TYPES = "we have kernels for more dtypes"
TYPES_FIRST = "inputs of two dtypes are told before a missing kernel"
STRICT = "shapes that do not fit are refused, not read past or ignored"
ONEDNN = "a library's refusal; ours says what is wrong"
BLOCKS = "TensorFlow's shape function cannot take a block_shape of unknown rank"
SAME = f"{INVALID}|ValueError"
ORDER = "several things are wrong, and another is told first"
EMPTY = "nothing is computed from nothing"
CONVERTED = "TensorFlow converts arguments itself, where it takes the long way"
MEMORY_FIRST = "TensorFlow asks for the memory of so many outputs before it looks"

RAW: tuple[Difference, ...] = (
    Difference(
        "Parse(Single)?(Sequence)?Example(V2)?, .*", f"{INVALID}|TypeError",
        f"ValueError|TypeError|{INVALID}", CONVERTED,
    ),
    Difference(
        "(Decode|Encode)Proto(V2)?, .*", f"{INVALID}|TypeError",
        f"ValueError|TypeError|{INVALID}", CONVERTED,
    ),
    Difference("ParseSequenceExample, .* = None .*", "", "TypeError", CONVERTED),
    Difference(
        "ParseSingleSequenceExample, feature_list_dense_shapes = .*",
        f"{INVALID}|ValueError",
        "|IndexError|ResourceExhaustedError",
        STRICT,
    ),
    Difference(".*", "", f"NotFoundError|{INVALID}", MORE_TYPES, "", MISSING),
    Difference(
        ".*", INVALID, "NotFoundError", TYPES_FIRST, "cannot compute", MISSING
    ),
    Difference(f"({WINDOWS}), .*", INVALID, "", STRICT),
    Difference(f"({WINDOWS}), .*", INVALID, "AbortedError", ONEDNN),
    Difference(
        "Softmax, logits.* (scalar|rank 6) .*",
        f"{INVALID}|",
        "AbortedError",
        ONEDNN,
    ),
    Difference(
        r"(SpaceToBatch|BatchToSpace)ND, .*\(graph\)",
        ".*",
        "ValueError",
        BLOCKS,
    ),
    Difference(
        "AssignVariableOp, .*",
        INVALID,
        "",
        "a variable keeps the shape it was made with",
    ),
    Difference("ResourceScatter.*", INVALID, "", STRICT),
    Difference(
        r"Resource\w*Apply(Adadelta|AdamWithAmsgrad|AddSign|PowerSign|"
        r"ProximalGradientDescent), (accum_update|vhat|sign_decay|var).*",
        INVALID,
        "",
        STRICT,
    ),
    Difference(
        "(Ragged|Sparse)Bincount, (splits|weights|values).*", INVALID, "", STRICT
    ),
    Difference(
        "(DepthwiseConv2dNative|Conv2D), .* (empty|no rows) .*",
        "",
        INVALID,
        EMPTY,
    ),
    Difference(
        "MirrorPad(Grad)?, input.* rank 6 .*",
        INVALID,
        "UnimplementedError",
        "any rank is padded, so the paddings are at fault",
    ),
    Difference(
        "Substr, .* (deeper|rank 6) .*",
        "",
        "UnimplementedError",
        "any rank is broadcast",
    ),
    Difference("Unpack, num = 0 .*", INVALID, "", "the dimension is not 0"),
    Difference(
        ".*", f"{INVALID}|UnimplementedError|TypeError", f"NotFoundError|{INVALID}",
        "TensorFlow has no kernel for the CPU at all", "", MISSING,
    ),
    Difference(f"({CHECKED}), .*", f"{INVALID}|UnimplementedError", "", STRICT),
    Difference(
        "(SparseReduce|SparseSliceGrad|SparseConcat).*", INVALID, "InternalError",
        "bad places are invalid arguments",
    ),
    Difference("SparseTensorDenseMatMul, .*", INVALID, INVALID, ORDER),
    Difference(
        "MaxPoolGrad(Grad)?V2, .*", f"{INVALID}|UnimplementedError",
        "UnimplementedError", ORDER,
    ),
    Difference(
        "FractionalAvgPoolGrad, .*", INVALID, "ResourceExhaustedError", ORDER
    ),
    Difference(
        "Conv3D, strides = all .*", INVALID, "UnimplementedError", ORDER
    ),
    Difference(
        "Extract(Image|Volume)Patches, .* = longer .*", INVALID, "",
        "more numbers than there are dimensions",
    ),
    Difference(
        "(Unpack|Split|SplitV|DynamicPartition), num.* = 2147483647 .*",
        "ValueError", "MemoryError",
        MEMORY_FIRST,
        "Number of outputs is too big",
    ),
    Difference(
        "SparseConcat, shapes.*", "", "InternalError",
        "sizes of which nothing is made cost nothing", "", "Encountered overflow",
    ),
    Difference(
        "SparseCross(V2|Hashed)?, (indices|shapes)\\[0\\].*", INVALID, "",
        "values of no row are refused, not left out",
    ),
    Difference(
        "RaggedCross, sparse_(indices|values|shape)\\[0\\].*", INVALID, "",
        "values of no row, or without a place, are refused, not left out",
    ),
    Difference(
        "(RaggedCross|SparseCross(V2|Hashed)?|Empty), .*", INVALID, "ValueError",
        "TensorFlow converts the arguments of these before it calls them",
    ),
    Difference(
        "Inplace(Update|Add|Sub), x\\[0\\] no rows.*", INVALID, "",
        "there are no rows to change",
    ),
    Difference(
        "ScatterNdNonAliasingAdd, indices\\[0\\] flat.*", INVALID, "",
        "TensorFlow takes one place for all updates",
    ),
    Difference(
        "ParallelConcat, shape.*", INVALID, "ResourceExhaustedError", ORDER
    ),
    Difference(
        "ApproxTopK, .*", "", "ValueError",
        "TensorFlow's shape function takes no dimension counted from the end",
    ),
    Difference("ApproxTopK, .*", INVALID, "ValueError", ORDER),
    Difference(
        "ParallelConcat, (values|shape).*", "", "ValueError",
        "TensorFlow wants the shapes while it traces",
    ),
    Difference("ParallelConcat, (values|shape).*", INVALID, "ValueError", ORDER),
    Difference(
        "(AudioSpectrogram|Mfcc|QuantizeV2), .*", INVALID, "ValueError",
        "attributes of numbers are checked when the op runs",
    ),
    Difference(
        "AudioSpectrogram, stride.*", "", SAME,
        "windows may be as far apart as one likes",
    ),
    Difference(
        "(Stateless)?ParameterizedTruncatedNormal, means.*", INVALID, "InternalError",
        "TensorFlow draws until it gives up",
    ),
    Difference(
        "GenerateBoundingBoxProposals, .*", ".+", ".+",
        "TensorFlow has no kernel for CPUs",
    ),
    Difference(
        "(Lu|MatrixSolve(Ls)?|MatrixInverse), (input|matrix)\\[0\\] (nan|inf).*",
        INVALID, "", "a pivot that is no number is none",
    ),
    # Texts.
    Difference(f"({WINDOWS}), .*", SAME, SAME, ORDER),
    Difference("(Resource|Tensor)?Scatter.*", INVALID, INVALID, ORDER),
    Difference(
        "SplitV, size_splits.*",
        INVALID,
        INVALID,
        "the bad size is named",
        "Split size at",
    ),
    Difference("ResourceGather(Nd)?, .*", INVALID, INVALID, ORDER),
    Difference(
        "(StridedSlice|StridedSliceGrad|Slice|MirrorPadGrad), .*",
        INVALID,
        INVALID,
        ORDER,
    ),
    Difference(
        "MatMul, .*(deeper|rank 6).*",
        INVALID,
        INVALID,
        "a rank above 2 is >= 2",
        ".* is not a matrix",
    ),
    Difference(
        "(Concat|ConcatV2|Pack), values no tensors .*",
        INVALID,
        INVALID,
        "no talk of kernels",
        "",
        "OpKernel",
    ),
    Difference("ConcatOffset, .*", "TypeError", "TypeError", ORDER),
)

AXIS_NAMED = "the axis is told, not an index that came of it"
PUBLIC: tuple[Difference, ...] = (
    Difference(
        "(arg)?sort (axis too|of a).*",
        "ValueError",
        INVALID,
        AXIS_NAMED,
        "axis = ",
    ),
    Difference("(arg)?sort axis a float .*", "TypeError", "", "1.5 is no axis"),
    Difference(
        "(arg)?sort (axis|no axes).*",
        "TypeError",
        "ValueError",
        "an axis of the wrong type is a TypeError",
    ),
    Difference(
        r"nn.(log_)?softmax .*\(graph\)",
        INVALID,
        "TypeError",
        "tensors of unknown rank have a softmax along any axis",
        "indices",
        "unsupported operand",
    ),
    Difference(
        "nn.(log_)?softmax axis a float .*",
        "TypeError",
        INVALID,
        "1.5 is no axis",
    ),
    Difference("argmax axis a float .*", INVALID, "TypeError", "as in all other ops"),
    Difference(
        "truncate(div|mod) zero .*",
        INVALID,
        "InternalError",
        "division by zero is no internal error",
    ),
    Difference(
        "concat nothing .*",
        "ValueError",
        f"{INVALID}|ValueError",
        "the same answer in functions and outside",
    ),
    Difference("eye .*", "ValueError", INVALID, "as for a Python number"),
    Difference("conv2d_transpose .*", INVALID, "AbortedError", ONEDNN),
    Difference("softmax scalar .*", INVALID, "AbortedError", ONEDNN),
    # Texts.
    Difference("scatter.* depth .*", INVALID, INVALID, ORDER),
)
OF = {"raw": RAW, "public": PUBLIC}


def kills(name: str, label: str) -> bool:
    """TensorFlow is not asked."""
    if name == "AccumulateNV2":  # exists there only before its graph's rewriting
        return True
    if re.fullmatch(rf"({SIZES})\[0\] (all|last) 2147483647", label):
        return True
    return any(
        name in names.split() and label in (line.strip() for line in labels.split("\n"))
        for names, labels in KILLERS.items()
        if label
    ) or (name, label) == ("conv2d rank", "")


def find(
    name: str, label: str, mode: str, mine: Outcome, theirs: Outcome
) -> Difference | None:
    call = f"{name}, {label} ({mode})" if label else f"{name} ({mode})"
    for difference in (*RAW, *PUBLIC):
        if difference.covers(call, mine, theirs):
            return difference
    return None
