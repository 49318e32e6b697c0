"""Core objects as protocol buffer messages."""

from graphkiln import _proto


def shape_proto(shape: object) -> object:
    """A TensorShapeProto of a TensorShape."""
    message = _proto.TensorShapeProto()
    if shape.rank is None:
        message.unknown_rank = True
        return message
    for size in shape:
        message.dim.add(size=-1 if size is None else size)
    return message
