"""How ops on pictures are called; see case_table.py."""

from __future__ import annotations

import base64
import struct
from typing import Any

import numpy as np

from case_values import F

BOXES = np.array(
    [[0, 0, 1, 1], [0, 0.1, 1, 1.1], [0, -0.1, 1, 0.9], [0, 10, 1, 11],
     [0, 10.1, 1, 11.1], [0, 100, 1, 101]],
    np.float32,
)
SCORES = np.array([0.9, 0.75, 0.6, 0.95, 0.5, 0.3], np.float32)
CROPS = np.array([[0.1, 0.15, 0.8, 0.7], [0.7, 0.2, 0.15, 0.9]], np.float32)
TURNED = np.array([[0.8, -0.3, 1.1, 0.2, 0.9, -0.7, 0.01, 0.02]], np.float32)
COLORED = np.array([[[0.1, 0.5, 0.9], [0.8, 0.3, 0.2], [0.4, 0.7, 0.6]]])
# Pixels are at least a step apart, so that the highest stays the highest.
RESIZED = {"images": F(1, 4, 5, 2), "size": [3, 7]}
SCALED = {
    "scale": np.array([0.6, 1.7], np.float32),
    "translation": np.array([0.3, -1.2], np.float32),
}
KEPT = {"boxes": BOXES, "scores": SCORES, "max_output_size": 3}
GLIMPSE = {
    "input": F(2, 5, 6, 2), "size": [2, 3],
    "offsets": np.array([[0.5, 0.25], [-0.9, 0.9]], np.float32),
    "noise": "zero",
}
DRAWN = np.array(
    [[[0.1, 0.1, 0.5, 0.5], [0.3, 0.3, 0.2, 0.9], [0.0, 0.2, 0.6, 0.9]]],
    np.float32,
)
SAMPLED = {
    "image_size": [40, 50, 3], "bounding_boxes": DRAWN[:, :1], "seed": 1,
    "seed2": 2, "main": "T",
}

# Small files of pictures.
PNG_FILE = np.array(base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAAF0lEQVR4nGNkYGRiZmZmZm"
    "Zm4eTkhLAAAo4ASMA/XigAAAAASUVORK5CYII="
), object)
JPEG_FILE = np.array(base64.b64decode(
    "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABsSFBcUERsXFhceHBsgKEIrKCUlKFE6PTBCYF"
    "VlZF9VXVtqeJmBanGQc1tdhbWGkJ6jq62rZ4C8ybqmx5moq6T/wAALCAAIAAgBAREA/8QA"
    "FAABAAAAAAAAAAAAAAAAAAAABP/EABcQAAMBAAAAAAAAAAAAAAAAAAACBWL/2gAIAQEAAD"
    "8AKknJ/9k="
), object)
GIF_FILE = np.array(base64.b64decode(
    "R0lGODdhAQABAIEAAAAAAAAAAAAAAAAAACwAAAAAAQABAAAIBAABBAQAOw=="
), object)
WEBP_FILE = np.array(base64.b64decode(
    "UklGRiAAAABXRUJQVlA4TBQAAAAvAAAAAAdQgVQIIAAKmv7HiIj+Bw=="
), object)
BMP_FILE = np.array(
    b"BM" + struct.pack("<IIIIiiHH", 0, 0, 54, 40, 1, 1, 1, 24) + bytes(28),
    object,
)

TABLE: dict[str, dict[str, Any]] = {
    "ResizeBilinear": RESIZED,
    "ResizeBicubic": RESIZED,
    "ResizeNearestNeighbor": RESIZED,
    "ResizeArea": RESIZED,
    "ResizeBilinearGrad": {
        "grads": F(1, 3, 7, 2), "original_image": F(1, 4, 5, 2), "main": "T",
    },
    "ResizeBicubicGrad": {
        "grads": F(1, 3, 7, 2), "original_image": F(1, 4, 5, 2), "main": "T",
    },
    "ResizeNearestNeighborGrad": {"grads": F(1, 3, 7, 2), "size": [4, 5]},
    "ScaleAndTranslate": {**RESIZED, **SCALED},
    "ScaleAndTranslateGrad": {
        "grads": F(1, 3, 7, 2), "original_image": F(1, 4, 5, 2), **SCALED,
    },
    "CropAndResize": {
        "image": F(2, 4, 5, 2), "boxes": CROPS, "box_ind": [1, 0],
        "crop_size": [3, 4],
    },
    "CropAndResizeGradImage": {
        "grads": F(2, 3, 4, 2), "boxes": CROPS, "box_ind": [1, 0],
        "image_size": [2, 4, 5, 2], "T": "float32",
    },
    "CropAndResizeGradBoxes": {
        "grads": F(2, 3, 4, 2), "image": F(2, 4, 5, 2), "boxes": CROPS,
        "box_ind": [1, 0], "main": "T",
    },
    "RGBToHSV": {"images": COLORED},
    "HSVToRGB": {"images": F(2, 3)},
    "AdjustContrastv2": {"images": F(2, 3, 4, 3), "contrast_factor": 1.7},
    "AdjustHue": {"images": F(2, 3, 3), "delta": 0.3},
    "AdjustSaturation": {"images": F(2, 3, 3), "scale": 1.4},
    "ImageProjectiveTransformV2": {
        "images": F(1, 4, 5, 2), "transforms": TURNED, "output_shape": [3, 4],
        "interpolation": "BILINEAR",
    },
    "ImageProjectiveTransformV3": {
        "images": F(1, 4, 5, 2), "transforms": TURNED, "output_shape": [3, 4],
        "interpolation": "NEAREST", "fill_mode": "REFLECT", "fill_value": 0.5,
    },
    "NonMaxSuppression": KEPT,
    "NonMaxSuppressionV2": {**KEPT, "iou_threshold": 0.5},
    "NonMaxSuppressionV3": {
        **KEPT, "iou_threshold": 0.5, "score_threshold": 0.4,
    },
    "NonMaxSuppressionV4": {
        **KEPT, "iou_threshold": 0.5, "score_threshold": 0.4,
        "pad_to_max_output_size": True,
    },
    "NonMaxSuppressionV5": {
        **KEPT, "iou_threshold": 0.5, "score_threshold": 0.1,
        "soft_nms_sigma": 0.5,
    },
    "NonMaxSuppressionWithOverlaps": {
        "overlaps": F(3, 3), "scores": [0.3, 0.9, 0.5], "max_output_size": 2,
        "overlap_threshold": 0.4, "score_threshold": 0.1,
    },
    "ExtractVolumePatches": {
        "input": F(1, 3, 4, 3, 2), "ksizes": [1, 2, 2, 1, 1],
        "strides": [1, 1, 2, 1, 1], "padding": "SAME",
    },
    "ExtractGlimpse": {**GLIMPSE, "uniform_noise": False},
    "ExtractGlimpseV2": {**GLIMPSE, "uniform_noise": False},
    "DrawBoundingBoxes": {"images": F(1, 6, 7, 3), "boxes": DRAWN},
    "DrawBoundingBoxesV2": {
        "images": F(1, 6, 7, 3), "boxes": DRAWN,
        "colors": np.array([[0.5, 1.5, 2.5], [3.5, 4.5, 5.5]], np.float32),
    },
    "SampleDistortedBoundingBox": SAMPLED,
    "SampleDistortedBoundingBoxV2": {**SAMPLED, "min_object_covered": 0.2},
    "StatelessSampleDistortedBoundingBox": {
        "image_size": [40, 50, 3], "bounding_boxes": DRAWN[:, :1],
        "min_object_covered": 0.2, "seed": [3, 4], "main": "T",
    },
    "DecodeImage": {"contents": PNG_FILE},
    "DecodeJpeg": {"contents": PNG_FILE},
    "DecodeAndCropJpeg": {"contents": JPEG_FILE, "crop_window": [1, 2, 3, 4]},
    "DecodePng": {"contents": PNG_FILE, "dtype": "uint16"},
    "DecodeGif": {"contents": GIF_FILE},
    "DecodeBmp": {"contents": BMP_FILE},
    "DecodeWebP": {"contents": WEBP_FILE},
    "ExtractJpegShape": {"contents": JPEG_FILE},
    "EncodeJpeg": {"image": np.full((2, 3, 3), 7, np.uint8)},
    "EncodeJpegVariableQuality": {
        "images": np.full((2, 3, 3), 7, np.uint8), "quality": 50,
    },
    "EncodePng": {"image": F(2, 2, 3, 3)},
    "CombinedNonMaxSuppression": {
        "boxes": BOXES[None, :, None],
        "scores": np.stack([SCORES, SCORES[::-1]], -1)[None],
        "max_output_size_per_class": 2, "max_total_size": 3,
        "iou_threshold": 0.5, "score_threshold": 0.2,
    },
}
VALUE_SHAPED = {
    "DecodeAndCropJpeg", "DecodeBmp", "DecodeGif", "DecodeImage", "DecodeJpeg",
    "DecodePng", "DecodeWebP",
    "NonMaxSuppression", "NonMaxSuppressionV2", "NonMaxSuppressionV3",
    "NonMaxSuppressionV5", "NonMaxSuppressionWithOverlaps",
}
