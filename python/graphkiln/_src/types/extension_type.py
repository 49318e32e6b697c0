"""tf.experimental.ExtensionType: classes of tensors and Python values that
work as arguments and results of tf.functions."""

from graphkiln._graphkiln import ExtensionValue
from graphkiln._src.types.extension_metaclass import ExtensionTypeMetaclass


class ExtensionType(ExtensionValue, metaclass=ExtensionTypeMetaclass):
    """Base of classes whose annotated fields are tensors and Python values.

    Instances cannot be changed, compare with `==` to a scalar tensor, and
    may be given to and returned from tf.functions. The Python values of the
    fields are part of their type, the tensors are not. A subclass may check
    its fields in `__validate__`, and define its own `__init__`, which sets
    all of them.

    Fields are annotated with int, float, bool, str, bytes, None, tf.Tensor,
    tf.TensorShape, tf.DType, composite tensors, other extension types, or
    `typing`'s Tuple, Mapping, Optional and Union of these. A value of a Union
    is of the first of its types that it can be converted to. `int | None`,
    which TensorFlow does not know, means the same as a Union.

    A subclass takes the fields of its bases before its own, unless it defines
    its own `__init__`: that of a base is not inherited.

    >>> class Masked(tf.experimental.ExtensionType):
    ...     values: tf.Tensor
    ...     mask: tf.Tensor
    >>> m = Masked([1.0, 2.0], [True, False])
    >>> tf.function(lambda m: tf.where(m.mask, m.values, 0.0))(m).numpy()
    array([1., 0.], dtype=float32)
    """

    _tf_extension_type_abstract = True
    __hash__ = None

    def __init__(self, *args: object, **kwargs: object) -> None:
        # What constructors of derived classes may call.
        cls = type(self)
        if "_tf_extension_type_abstract" in cls.__dict__:
            raise AssertionError(
                f"Cannot create an instance of {cls.__name__} because "
                f"{cls.__name__} is an abstract base class."
            )
