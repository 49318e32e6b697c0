"""Functions of tf.compat.v1.image, which place the pixels as the first version
did."""

from __future__ import annotations

from typing import Any

from graphkiln import _graphkiln, raw_ops
from graphkiln._src import ops


def _resized(
    op: Any, images: Any, size: Any, align_corners: bool, half: bool, name: str | None
) -> _graphkiln.Tensor:
    return op(
        images=images,
        size=ops.cast(size, _graphkiln.int32),
        align_corners=align_corners,
        half_pixel_centers=half,
        name=name,
    )


def resize_bilinear(
    images: Any,
    size: Any,
    align_corners: bool = False,
    name: str | None = None,
    half_pixel_centers: bool = False,
) -> _graphkiln.Tensor:
    """Resizes images with bilinear interpolation.

    Args:
      images: [batch, height, width, channels].
      size: the new height and width.
      align_corners: do the centers of corner pixels keep their places?
      name: of the op.
      half_pixel_centers: are centers half a pixel off the edges?

    >>> tf.compat.v1.image.resize_bilinear([[[[1.0], [3.0]]]], [1, 4]
    ...     ).numpy().ravel().tolist()
    [1.0, 2.0, 3.0, 3.0]
    """
    return _resized(
        raw_ops.ResizeBilinear, images, size, align_corners, half_pixel_centers, name
    )


def resize_nearest_neighbor(
    images: Any,
    size: Any,
    align_corners: bool = False,
    name: str | None = None,
    half_pixel_centers: bool = False,
) -> _graphkiln.Tensor:
    """Resizes images, each pixel being one of those that were there.

    Args:
      images: [batch, height, width, channels].
      size: the new height and width.
      align_corners: do the centers of corner pixels keep their places?
      name: of the op.
      half_pixel_centers: are centers half a pixel off the edges?

    >>> tf.compat.v1.image.resize_nearest_neighbor([[[[1.0], [3.0]]]], [1, 4]
    ...     ).numpy().ravel().tolist()
    [1.0, 1.0, 3.0, 3.0]
    """
    return _resized(
        raw_ops.ResizeNearestNeighbor, images, size, align_corners,
        half_pixel_centers, name,
    )


def resize_bicubic(
    images: Any,
    size: Any,
    align_corners: bool = False,
    name: str | None = None,
    half_pixel_centers: bool = False,
) -> _graphkiln.Tensor:
    """Resizes images with bicubic interpolation.

    Args:
      images: [batch, height, width, channels].
      size: the new height and width.
      align_corners: do the centers of corner pixels keep their places?
      name: of the op.
      half_pixel_centers: are centers half a pixel off the edges?

    >>> tf.compat.v1.image.resize_bicubic([[[[1.0], [3.0]]]], [1, 2]
    ...     ).numpy().ravel().tolist()
    [1.0, 3.0]
    """
    return _resized(
        raw_ops.ResizeBicubic, images, size, align_corners, half_pixel_centers, name
    )


def resize_area(
    images: Any, size: Any, align_corners: bool = False, name: str | None = None
) -> _graphkiln.Tensor:
    """Resizes images, each pixel being the mean of an area.

    Args:
      images: [batch, height, width, channels].
      size: the new height and width.
      align_corners: do the centers of corner pixels keep their places?
      name: of the op.

    >>> tf.compat.v1.image.resize_area([[[[1.0], [3.0]]]], [1, 1]
    ...     ).numpy().ravel().tolist()
    [2.0]
    """
    return raw_ops.ResizeArea(
        images=images, size=ops.cast(size, _graphkiln.int32), align_corners=align_corners,
        name=name,
    )


_METHODS = {
    0: resize_bilinear, 1: resize_nearest_neighbor, 2: resize_bicubic, 3: resize_area,
    "bilinear": resize_bilinear, "nearest": resize_nearest_neighbor,
    "bicubic": resize_bicubic, "area": resize_area,
}


def resize_images(
    images: Any,
    size: Any,
    method: Any = 0,
    align_corners: bool = False,
    preserve_aspect_ratio: bool = False,
    name: str | None = None,
) -> _graphkiln.Tensor:
    """Resizes one image or a batch of them.

    Args:
      images: [batch, height, width, channels] or [height, width, channels].
      size: the new height and width.
      method: "bilinear" (or 0), "nearest" (1), "bicubic" (2) or "area" (3).
      align_corners: do the centers of corner pixels keep their places?
      preserve_aspect_ratio: is `size` only the most they may become?
      name: of the op.

    Raises:
      ValueError: for images of another rank, another size or method.

    >>> tf.compat.v1.image.resize_images([[[1.0], [3.0]]], [1, 4]
    ...     ).numpy().ravel().tolist()
    [1.0, 2.0, 3.0, 3.0]
    """
    resize = _METHODS.get(getattr(method, "value", method))
    if resize is None:
        raise ValueError("Resize method is not implemented.")
    with _graphkiln.name_scope(name or "resize"):
        images = _graphkiln.convert_to_tensor(images)
        if images.shape.rank is None:
            raise ValueError("'images' contains no shape.")
        if images.shape.rank not in (3, 4):
            raise ValueError("'images' must have either 3 or 4 dimensions.")
        batch = images if images.shape.rank == 4 else images[None]
        size = _graphkiln.convert_to_tensor(size, _graphkiln.int32)
        if not size.shape.is_compatible_with([2]):
            raise ValueError("'size' must be a 1-D Tensor of 2 elements: new_height, new_width")
        if preserve_aspect_ratio:
            now = ops.cast(ops.shape(batch)[1:3], _graphkiln.float64)
            scale = ops.reduce_min(ops.cast(size, _graphkiln.float64) / now)
            size = ops.cast(ops.round(scale * now), _graphkiln.int32)
        known = _graphkiln.get_static_value(size)
        if known is not None and tuple(known) == tuple(batch.shape[1:3]):
            result = batch  # of its own dtype still
        else:
            result = resize(batch, size, align_corners)
        return result if images.shape.rank == 4 else result[0]


def resize_image_with_pad(
    image: Any,
    target_height: Any,
    target_width: Any,
    method: Any = 0,
    align_corners: bool = False,
) -> _graphkiln.Tensor:
    """Resizes images to fit into a size and fills up the rest with zeros.

    Args:
      image: [batch, height, width, channels] or [height, width, channels].
      target_height: of the result.
      target_width: of the result.
      method: as of `resize_images`.
      align_corners: as of `resize_images`.

    >>> tf.compat.v1.image.resize_image_with_pad([[[1.0], [3.0]]], 2, 2).shape
    TensorShape([2, 2, 1])
    """
    image = _graphkiln.convert_to_tensor(image)
    axis = image.shape.rank - 3
    now = ops.shape(image)
    height = ops.cast(now[axis], _graphkiln.float64)
    width = ops.cast(now[axis + 1], _graphkiln.float64)
    ratio = ops.maximum(height / float(target_height), width / float(target_width))
    fitting = ops.stack([height / ratio, width / ratio])
    room = (_graphkiln.constant([target_height, target_width], _graphkiln.float64) - fitting) / 2
    before = ops.maximum(0, ops.cast(ops.floor(room), _graphkiln.int32))
    resized = resize_images(
        image, ops.cast(ops.floor(fitting), _graphkiln.int32), method, align_corners
    )
    return ops.image.pad_to_bounding_box(
        resized, before[0], before[1], target_height, target_width
    )


def draw_bounding_boxes(
    images: Any, boxes: Any, name: str | None = None, colors: Any = None
) -> _graphkiln.Tensor:
    """Images with the edges of boxes drawn on them.

    Args:
      images: [batch, height, width, channels].
      boxes: [batch, boxes, 4]: top, left, bottom, right, from 0 to 1.
      name: of the op.
      colors: [colors, channels], taken in turns; a cycle of ten unless given.

    >>> tf.compat.v1.image.draw_bounding_boxes(
    ...     tf.zeros([1, 2, 2, 1]), [[[0.0, 0.0, 1.0, 1.0]]]).shape
    TensorShape([1, 2, 2, 1])
    """
    if colors is None:
        return raw_ops.DrawBoundingBoxes(images=images, boxes=boxes, name=name)
    return raw_ops.DrawBoundingBoxesV2(
        images=images, boxes=boxes, colors=colors, name=name
    )


def extract_image_patches(
    images: Any,
    ksizes: Any = None,
    strides: Any = None,
    rates: Any = None,
    padding: str | None = None,
    name: str | None = None,
    sizes: Any = None,
) -> _graphkiln.Tensor:
    """Patches of images, as channels.

    Args:
      images: [batch, height, width, channels].
      ksizes: [1, height, width, 1] of a patch.
      strides: [1, rows, columns, 1] from one patch to the next.
      rates: [1, rows, columns, 1] from one pixel of a patch to the next.
      padding: "VALID" or "SAME".
      name: of the op.
      sizes: another name of `ksizes`.

    >>> tf.compat.v1.extract_image_patches(
    ...     tf.zeros([1, 4, 4, 1]), [1, 2, 2, 1], [1, 2, 2, 1], [1, 1, 1, 1],
    ...     "VALID").shape
    TensorShape([1, 2, 2, 4])
    """
    return raw_ops.ExtractImagePatches(
        images=images, ksizes=ksizes if sizes is None else sizes, strides=strides,
        rates=rates, padding=padding, name=name,
    )


def extract_glimpse(
    input: Any,
    size: Any,
    offsets: Any,
    centered: bool = True,
    normalized: bool = True,
    uniform_noise: bool = True,
    name: str | None = None,
) -> _graphkiln.Tensor:
    """Windows of images; what is outside of an image is noise.

    Args:
      input: [batch, height, width, channels].
      size: height and width of windows.
      offsets: [batch, 2], of the windows' centers.
      centered: is the origin the image's center, not its corner?
      normalized: are offsets by the image's size?
      uniform_noise: is the noise uniform, not of a normal distribution?
      name: of the op.

    >>> tf.compat.v1.image.extract_glimpse(
    ...     tf.ones([1, 4, 4, 1]), [2, 2], [[0.0, 0.0]]).shape
    TensorShape([1, 2, 2, 1])
    """
    return raw_ops.ExtractGlimpse(
        input=input, size=size, offsets=offsets, centered=centered,
        normalized=normalized, uniform_noise=uniform_noise, name=name,
    )


def sample_distorted_bounding_box(
    image_size: Any,
    bounding_boxes: Any,
    seed: int | None = None,
    seed2: int | None = None,
    min_object_covered: Any = 0.1,
    aspect_ratio_range: Any = None,
    area_range: Any = None,
    max_attempts: int | None = None,
    use_image_if_no_bounding_boxes: bool | None = None,
    name: str | None = None,
) -> Any:
    """A random box that covers enough of a given one.

    Args:
      image_size: height, width and channels.
      bounding_boxes: [batch, boxes, 4]: top, left, bottom, right, from 0 to 1.
      seed: of the draws.
      seed2: of the draws.
      min_object_covered: the least part of a given box that it covers.
      aspect_ratio_range: of its width by its height.
      area_range: of its part of the image.
      max_attempts: after which the whole image is taken.
      use_image_if_no_bounding_boxes: is the whole image one if none is given?
      name: of the op.

    >>> begin, size, box = tf.compat.v1.image.sample_distorted_bounding_box(
    ...     [8, 8, 3], [[[0.0, 0.0, 1.0, 1.0]]], seed=1)
    >>> box.shape
    TensorShape([1, 1, 4])
    """
    given = {
        "seed": seed, "seed2": seed2, "aspect_ratio_range": aspect_ratio_range,
        "area_range": area_range, "max_attempts": max_attempts,
        "use_image_if_no_bounding_boxes": use_image_if_no_bounding_boxes,
    }
    with _graphkiln.name_scope(name or "sample_distorted_bounding_box"):
        return raw_ops.SampleDistortedBoundingBoxV2(
            image_size=image_size, bounding_boxes=bounding_boxes,
            min_object_covered=min_object_covered,
            **{k: v for k, v in given.items() if v is not None},
        )
