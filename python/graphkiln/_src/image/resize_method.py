"""How tf.image.resize makes pixels of others."""


class ResizeMethod:
    """Names of the ways in which `tf.image.resize` resizes pictures.

    >>> tf.image.resize(tf.ones([2, 2, 1]), [4, 4],
    ...                 tf.image.ResizeMethod.BICUBIC).shape
    TensorShape([4, 4, 1])
    """

    BILINEAR = "bilinear"
    NEAREST_NEIGHBOR = "nearest"
    BICUBIC = "bicubic"
    AREA = "area"
    LANCZOS3 = "lanczos3"
    LANCZOS5 = "lanczos5"
    GAUSSIAN = "gaussian"
    MITCHELLCUBIC = "mitchellcubic"
