"""Decoders of connectionist temporal classification, whose results are sparse
tensors."""

from graphkiln import _graphkiln
from graphkiln._graphkiln import SparseTensor
from graphkiln._src.types.dispatched import dispatched


@dispatched
def ctc_greedy_decoder(
    inputs, sequence_length, merge_repeated=True, blank_index=None
):
    """The most likely class of each step, without blanks.

    Args:
      inputs: logits [steps, batch, classes].
      sequence_length: how many steps of each sequence count, int32 [batch].
      merge_repeated: equal classes next to each other are one.
      blank_index: the class of blanks, the last unless given; negative ones
        count from the end.

    Returns a list of one SparseTensor, the decoded classes, and the negated
    sums of the logits of these, [batch, 1].

    >>> decoded, _ = tf.nn.ctc_greedy_decoder(
    ...     [[[3.0, 0.0, 0.0]], [[0.0, 3.0, 0.0]]], [2])
    >>> decoded[0].values.numpy().tolist()
    [0, 1]
    """
    *sparse, score = _graphkiln.composition_function("_nn.ctc_greedy_decoder")(
        inputs, sequence_length, merge_repeated,
        -1 if blank_index is None else blank_index,
    )
    return [SparseTensor(*sparse)], score


@dispatched
def ctc_beam_search_decoder(inputs, sequence_length, beam_width=100, top_paths=1):
    """The most likely sequences of classes, by beam search.

    Args:
      inputs: logits [steps, batch, classes]; the last class is the blank.
      sequence_length: how many steps of each sequence count, int32 [batch].
      beam_width: how many beginnings are kept at each step.
      top_paths: how many results, at most `beam_width`.

    Returns a list of `top_paths` SparseTensors, the best first, and the
    logarithms of their probabilities, [batch, top_paths].

    >>> decoded, _ = tf.nn.ctc_beam_search_decoder(
    ...     [[[3.0, 0.0, 0.0]], [[0.0, 3.0, 0.0]]], [2])
    >>> decoded[0].values.numpy().tolist()
    [0, 1]
    """
    *parts, score = _graphkiln.composition_function("_nn.ctc_beam_search_decoder")(
        inputs, sequence_length, beam_width, top_paths
    )
    return [SparseTensor(*parts[i::top_paths]) for i in range(top_paths)], score
