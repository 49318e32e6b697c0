"""Large calls of ops on pictures and of neural networks; see op_sizes.py."""

from __future__ import annotations

from typing import Any

import numpy as np
from op_values import F, File, I, Made, picture

CONV = {"input": F(8, 64, 64, 32), "filter": F(3, 3, 32, 32)}
BACK = {
    "out_backprop": F(8, 64, 64, 32),
    "input_sizes": [8, 64, 64, 32],
    "filter_sizes": [3, 3, 32, 32],
}
CONV3 = {"input": F(2, 16, 32, 32, 16), "filter": F(3, 3, 3, 16, 16)}
BACK3 = {
    "out_backprop": F(2, 16, 32, 32, 16),
    "input_sizes": [2, 16, 32, 32, 16],
    "filter_sizes": [3, 3, 3, 16, 16],
}
DEPTHWISE = {"input": F(8, 64, 64, 32), "filter": F(3, 3, 32, 1)}
BACK_DEPTHWISE = {
    "out_backprop": F(8, 64, 64, 32),
    "input_sizes": [8, 64, 64, 32],
    "filter_sizes": [3, 3, 32, 1],
}


def backwards(
    forward: dict[str, Any], back: dict[str, Any], which: str
) -> dict[str, Any]:
    """The gradient's row for the input or the filter."""
    if which == "input":
        return {
            "input_sizes": back["input_sizes"],
            "filter": forward["filter"],
            "out_backprop": back["out_backprop"],
        }
    return {
        "input": forward["input"],
        "filter_sizes": back["filter_sizes"],
        "out_backprop": back["out_backprop"],
    }


POOLED = F(8, 64, 64, 32)
HALF = F(8, 32, 32, 32)
DILATED = {"input": F(4, 128, 128, 16), "filter": F(3, 3, 16), "strides": [1, 1, 1, 1]}
NORM = {
    "x": F(8, 64, 64, 32),
    "scale": F(32),
    "offset": F(32),
}
NORM_GRAD = {
    "y_backprop": F(8, 64, 64, 32),
    "x": F(8, 64, 64, 32),
    "scale": F(32),
    "reserve_space_1": F(32),
    "reserve_space_2": Made(lambda r: r.uniform(1, 2, 32)),
}
LABELS = {
    "inputs": F(100, 16, 60),
    "labels_indices": Made(
        lambda r: np.stack([np.repeat(range(16), 30), np.tile(range(30), 16)], 1)
    ),
    "labels_values": I(59, 480),
    "sequence_length": Made(lambda r: np.full(16, 100)),
}
LSTM = {
    "cs_prev": F(64, 128),
    "h_prev": F(64, 128),
    "w": F(256, 512),
    "wci": F(128),
    "wcf": F(128),
    "wco": F(128),
    "b": F(512),
}
CELLS = {n: F(64, 128) for n in "i cs f o ci co".split()}
STEPS = {n: F(20, 64, 128) for n in "i cs f o ci co h cs_grad h_grad".split()}
BLOCK = {**LSTM, "seq_len_max": 20, "x": F(20, 64, 128)}
GRU = {
    "x": F(64, 128),
    "h_prev": F(64, 128),
    "w_ru": F(256, 256),
    "w_c": F(256, 128),
    "b_ru": F(256),
    "b_c": F(128),
}
SAMPLER = {
    "true_classes": I(100000, 64, 1),
    "num_true": 1,
    "num_sampled": 1000,
    "range_max": 100000,
}
FRACTIONAL = {"value": F(4, 128, 128, 16)}
ENDS = {
    "row_pooling_sequence": np.arange(0, 129, 2),
    "col_pooling_sequence": np.arange(0, 129, 2),
}

NN: dict[str, dict[str, Any]] = {
    "BiasAdd": {"value": F(1024, 1024), "bias": F(1024)},
    "BiasAddV1": {"value": F(1024, 1024), "bias": F(1024)},
    "BiasAddGrad": {"out_backprop": F(8192, 128)},
    "Conv": CONV,
    "Conv2D": CONV,
    "Conv3D": CONV3,
    "DepthwiseConv2dNative": DEPTHWISE,
    "Conv2DBackpropInput": backwards(CONV, BACK, "input"),
    "Conv2DBackpropFilter": backwards(CONV, BACK, "filter"),
    "Conv3DBackpropInputV2": backwards(CONV3, BACK3, "input"),
    "Conv3DBackpropFilterV2": backwards(CONV3, BACK3, "filter"),
    "DepthwiseConv2dNativeBackpropInput": backwards(DEPTHWISE, BACK_DEPTHWISE, "input"),
    "DepthwiseConv2dNativeBackpropFilter": backwards(
        DEPTHWISE, BACK_DEPTHWISE, "filter"
    ),
    "InTopK": {"predictions": F(1024, 1024), "targets": I(1024, 1024), "k": 5},
    "InTopKV2": {"predictions": F(1024, 1024), "targets": I(1024, 1024), "k": 5},
    "MaxPool": {"input": POOLED},
    "MaxPoolV2": {"input": POOLED},
    "MaxPoolWithArgmax": {"input": POOLED},
    "MaxPoolGrad": {"orig_input": POOLED, "orig_output": HALF, "grad": HALF},
    "MaxPoolGradV2": {"orig_input": POOLED, "orig_output": HALF, "grad": HALF},
    "MaxPoolGradGrad": {"orig_input": POOLED, "orig_output": HALF, "grad": POOLED},
    "MaxPoolGradGradV2": {
        "orig_input": POOLED,
        "orig_output": HALF,
        "grad": POOLED,
    },
    "AvgPool": {"value": POOLED},
    "AvgPoolGrad": {"orig_input_shape": [8, 64, 64, 32], "grad": HALF},
    "MaxPool3D": {"input": F(2, 32, 32, 32, 16)},
    "AvgPool3D": {"input": F(2, 32, 32, 32, 16)},
    "MaxPool3DGrad": {
        "orig_input": F(2, 32, 32, 32, 16),
        "orig_output": F(2, 16, 16, 16, 16),
        "grad": F(2, 16, 16, 16, 16),
    },
    "MaxPool3DGradGrad": {
        "orig_input": F(2, 32, 32, 32, 16),
        "orig_output": F(2, 16, 16, 16, 16),
        "grad": F(2, 32, 32, 32, 16),
    },
    "AvgPool3DGrad": {
        "orig_input_shape": [2, 32, 32, 32, 16],
        "grad": F(2, 16, 16, 16, 16),
    },
    "FractionalMaxPool": FRACTIONAL,
    "FractionalAvgPool": FRACTIONAL,
    "FractionalAvgPoolGrad": {
        "orig_input_tensor_shape": [4, 128, 128, 16],
        "out_backprop": F(4, 64, 64, 16),
        **ENDS,
    },
    "FractionalMaxPoolGrad": {
        "orig_input": np.zeros((4, 128, 128, 16)),
        "orig_output": np.zeros((4, 64, 64, 16)),
        "out_backprop": F(4, 64, 64, 16),
        **ENDS,
    },
    "Softmax": {"logits": F(1024, 1024)},
    "LogSoftmax": {"logits": F(1024, 1024)},
    "SoftmaxCrossEntropyWithLogits": {
        "features": F(1024, 1024),
        "labels": Made(lambda r: np.full((1024, 1024), 1 / 1024)),
    },
    "SparseSoftmaxCrossEntropyWithLogits": {
        "features": F(1024, 1024),
        "labels": I(1024, 1024),
    },
    **{f"FusedBatchNorm{v}": NORM for v in ("", "V2", "V3")},
    **{f"FusedBatchNormGrad{v}": NORM_GRAD for v in ("", "V2", "V3")},
    "LRN": {"input": F(8, 32, 32, 128)},
    "LRNGrad": {
        "input_grads": F(8, 32, 32, 128),
        "input_image": F(8, 32, 32, 128),
        "output_image": F(8, 32, 32, 128),
    },
    "Dilation2D": {**DILATED, "rates": [1, 1, 1, 1]},
    **{
        f"Dilation2DBackprop{which}": {
            **DILATED,
            "rates": [1, 1, 1, 1],
            "out_backprop": F(4, 128, 128, 16),
        }
        for which in ("Input", "Filter")
    },
    "CTCLoss": LABELS,
    "CTCGreedyDecoder": {n: LABELS[n] for n in ("inputs", "sequence_length")},
    "CTCBeamSearchDecoder": {n: LABELS[n] for n in ("inputs", "sequence_length")},
    **{
        f"{how}CandidateSampler": SAMPLER
        for how in ("Uniform", "LogUniform", "LearnedUnigram", "ThreadUnsafeUnigram")
    },
    "FixedUnigramCandidateSampler": {
        "true_classes": I(1000, 64, 1),
        "num_true": 1,
        "num_sampled": 100,
        "range_max": 1000,
        "unigrams": [1.0 + i % 7 for i in range(1000)],
    },
    "AllCandidateSampler": {
        "true_classes": I(10000, 64, 1),
        "num_true": 1,
        "num_sampled": 10000,
    },
    "ComputeAccidentalHits": {
        "true_classes": I(10000, 1024, 1),
        "num_true": 1,
        "sampled_candidates": Made(lambda r: r.permutation(10000)[:1000]),
    },
    "LSTMBlockCell": {**LSTM, "x": F(64, 128)},
    "LSTMBlockCellGrad": {
        **LSTM,
        "x": F(64, 128),
        **CELLS,
        "cs_grad": F(64, 128),
        "h_grad": F(64, 128),
    },
    "BlockLSTM": BLOCK,
    "BlockLSTMV2": BLOCK,
    "BlockLSTMGrad": {**BLOCK, **STEPS},
    "BlockLSTMGradV2": {**BLOCK, **STEPS},
    "GRUBlockCell": GRU,
    "GRUBlockCellGrad": {**GRU, **{n: F(64, 128) for n in ("r", "u", "c", "d_h")}},
    "IsotonicRegression": {"input": F(64, 4096)},
    "NthElement": {"input": F(256, 4096), "n": 100},
}

HD = F(1, 1080, 1920, 3)
SMALL = F(1, 540, 960, 3)
SIZE = [540, 960]
SCALED = {"scale": [0.5, 0.5], "translation": [0.0, 0.0]}
BOXES = Made(
    lambda r: np.concatenate(
        [a := r.uniform(0, 0.7, (1000, 2)), a + r.uniform(0.05, 0.3, (1000, 2))], 1
    )
)
CROPS = {"boxes": BOXES, "box_ind": I(4, 1000)}
PICTURES = F(4, 256, 256, 3)
KEPT = {
    "boxes": BOXES,
    "scores": Made(lambda r: r.uniform(0, 1, 1000)),
    "max_output_size": 100,
}


IMAGE: dict[str, dict[str, Any]] = {
    **{
        f"Resize{how}": {"images": HD, "size": SIZE}
        for how in ("Bilinear", "Bicubic", "NearestNeighbor", "Area")
    },
    "ResizeBilinearGrad": {"grads": SMALL, "original_image": HD},
    "ResizeBicubicGrad": {"grads": SMALL, "original_image": HD},
    "ResizeNearestNeighborGrad": {"grads": SMALL, "size": [1080, 1920]},
    "ScaleAndTranslate": {"images": HD, "size": SIZE, **SCALED},
    "ScaleAndTranslateGrad": {"grads": SMALL, "original_image": HD, **SCALED},
    "CropAndResize": {"image": PICTURES, **CROPS, "crop_size": [32, 32]},
    "CropAndResizeGradImage": {
        "grads": F(1000, 32, 32, 3),
        **CROPS,
        "image_size": [4, 256, 256, 3],
    },
    "CropAndResizeGradBoxes": {
        "grads": F(1000, 32, 32, 3),
        "image": PICTURES,
        **CROPS,
    },
    "RGBToHSV": {"images": Made(lambda r: r.uniform(0, 1, (1080, 1920, 3)))},
    "HSVToRGB": {"images": Made(lambda r: r.uniform(0, 1, (1080, 1920, 3)))},
    "AdjustContrastv2": {"images": HD},
    "AdjustHue": {"images": HD},
    "AdjustSaturation": {"images": HD},
    "ImageProjectiveTransformV2": {
        "images": HD,
        "output_shape": [1080, 1920],
    },
    "ImageProjectiveTransformV3": {
        "images": HD,
        "output_shape": [1080, 1920],
    },
    "NonMaxSuppression": KEPT,
    **{f"NonMaxSuppressionV{n}": KEPT for n in (2, 3, 4, 5)},
    "NonMaxSuppressionWithOverlaps": {
        "overlaps": Made(lambda r: r.uniform(0, 1, (1000, 1000))),
        "scores": Made(lambda r: r.uniform(0, 1, 1000)),
        "max_output_size": 100,
    },
    "CombinedNonMaxSuppression": {
        "boxes": Made(lambda r: BOXES.make(r)[None, :, None]),
        "scores": Made(lambda r: r.uniform(0, 1, (1, 1000, 20))),
        "max_output_size_per_class": 50,
        "max_total_size": 100,
    },
    "ExtractVolumePatches": {"input": F(1, 32, 64, 64, 4)},
    "ExtractGlimpse": {
        "input": PICTURES,
        "size": [64, 64],
        "offsets": Made(lambda r: r.uniform(-1, 1, (4, 2))),
    },
    "ExtractGlimpseV2": {
        "input": PICTURES,
        "size": [64, 64],
        "offsets": Made(lambda r: r.uniform(-1, 1, (4, 2))),
    },
    "DrawBoundingBoxes": {"images": HD},
    "DrawBoundingBoxesV2": {"images": HD},
    "DecodeImage": {"contents": File("png")},
    "DecodeJpeg": {"contents": File("jpeg")},
    "DecodeAndCropJpeg": {
        "contents": File("jpeg"),
        "crop_window": [100, 100, 500, 500],
    },
    "DecodePng": {"contents": File("png"), "dtype": "uint8"},
    "DecodeGif": {"contents": File("gif")},
    "DecodeBmp": {"contents": File("bmp")},
    "DecodeWebP": {"contents": File("webp")},
    "EncodeJpeg": {"image": Made(picture)},
    "EncodeJpegVariableQuality": {"images": Made(picture)},
    "EncodePng": {"image": Made(picture)},
}
LARGE = {**NN, **IMAGE}
WHY = dict.fromkeys(
    (
        "SampleDistortedBoundingBox",
        "SampleDistortedBoundingBoxV2",
        "StatelessSampleDistortedBoundingBox",
        "ExtractJpegShape",
    ),
    "computes nothing large",
)
