// tf.ragged: rows of ranges, masks, stacks and partitions.
#include <algorithm>
#include <utility>

#include "function/ragged/flat_values.h"
#include "function/ragged/ragged.h"
#include "ops/element_moves.h"
#include "python/src/binding/class_members.h"
#include "python/src/binding/text_caster.h"
#include "python/src/ragged/composite_types.h"
#include "python/src/ragged/ragged_arguments.h"
#include "python/src/tensors/convert.h"
#include "python/src/tensors/dtype_type.h"

namespace gk::py {
namespace {

namespace nb = nanobind;
using Object = nb::object;
using Handle = nb::handle;

Object BooleanMask(Handle, Handle data, Handle mask, Handle name) {
  const CallScope scope(name, "RaggedMask");
  return Tried([&] {
    const RaggedValue kept = AsRagged(data);
    const RaggedValue which =
        IsRagged(mask) ? AsRagged(mask)
                       : RaggedValue(AsComponent(mask, DataType::kBool));
    return Wrapped(RaggedBooleanMask(kept, which));
  });
}

// The last of these that one of the numbers has.
DataType TypeOfRanges(std::span<const Tensor> numbers) {
  static constexpr DataType kTypes[] = {DataType::kInt32, DataType::kInt64,
                                        DataType::kFloat, DataType::kDouble};
  const auto* widest = kTypes;
  for (const Tensor& t : numbers) {
    const auto* own = std::ranges::find(kTypes, t.dtype());
    if (own == std::end(kTypes)) {
      throw Error(TypeError(
          "ragged.range takes numbers of int32, int64, float32 and float64, "
          "not {}",
          DataTypeName(t.dtype())));
    }
    widest = std::max(widest, own);
  }
  return *widest;
}

Object Ranges(Handle, Handle starts, Handle limits, Handle deltas, Handle dtype,
              Handle name, Handle row_splits_dtype) {
  // The op's own name, unless one is given.
  const std::string node = name.is_none() ? std::string() : TextOf(name);
  const DataType splits = AsType(row_splits_dtype, DataType::kInt64);
  const DataType wanted = AsType(dtype, DataType::kInvalid);
  const Object zero = nb::int_(0);
  const Handle first = limits.is_none() ? Handle(zero) : starts;
  const Handle last = limits.is_none() ? starts : limits;
  Tensor numbers[] = {AsComponent(first, wanted), AsComponent(last, wanted),
                      AsComponent(deltas, wanted)};
  return Tried([&] {
    const DataType type =
        wanted == DataType::kInvalid ? TypeOfRanges(numbers) : wanted;
    for (Tensor& t : numbers) t = CastTo(t, type);
    return Wrapped(
        RaggedRanges(numbers[0], numbers[1], numbers[2], splits, OpName(node)));
  });
}

Object Stack(Handle, Handle values, Handle axis, Handle name) {
  const CallScope scope(name, "RaggedConcat");
  const std::vector<RaggedValue> list =
      IsListOrTuple(values.ptr()) ? AsRaggedList(values)
                                  : std::vector<RaggedValue>{AsRagged(values)};
  const int64_t at = AsAxis(axis, "axis");
  return Tried([&] { return Wrapped(RaggedStackOf(list, at)); });
}

Object StackPartitions(Handle, Handle data, Handle partitions,
                       Handle num_partitions, Handle name) {
  const CallScope scope(name, "SegmentStack");
  const RaggedValue rows = AsRagged(data);
  const RaggedValue ids = AsRagged(
      partitions, rows.is_ragged() ? rows.splits_type() : DataType::kInvalid);
  const Tensor count =
      AsComponent(num_partitions, DataType::kInvalid, ids.dtype());
  return Tried(
      [&] { return Wrapped(StackDynamicPartitions(rows, ids, count)); });
}

Object IdsOfSplits(Handle, Handle splits, Handle name, Handle out_type) {
  const CallScope scope(name, "RaggedSplitsToSegmentIds");
  const Tensor given =
      AsComponent(splits, DataType::kInvalid, DataType::kInt64);
  const DataType type = AsType(out_type, given.dtype());
  return Tried([&] { return Wrapped(RowSplitsToSegmentIds(given, type)); });
}

Object SplitsOfIds(Handle, Handle segment_ids, Handle num_segments,
                   Handle out_type, Handle name) {
  const CallScope scope(name, "SegmentIdsToRaggedSplits");
  const auto type_of = [](Handle value, DataType otherwise) {
    return IsTensor(value.ptr()) ? TensorOf(value.ptr()).dtype() : otherwise;
  };
  const DataType type = AsType(
      out_type, type_of(segment_ids, type_of(num_segments, DataType::kInt64)));
  const Tensor ids =
      AsComponent(segment_ids, DataType::kInvalid, DataType::kInt32);
  const Tensor count =
      num_segments.is_none()
          ? Tensor()
          : AsComponent(num_segments, DataType::kInvalid, DataType::kInt32);
  return Tried(
      [&] { return Wrapped(SegmentIdsToRowSplits(ids, count, type)); });
}

// What Python's map_flat_values and map_values have gathered: the ragged or
// sparse tensors in their arguments, and the call with their values.
Object MappedFlatValues(Handle, Handle ragged, Handle call) {
  const std::vector<RaggedValue> values = AsRaggedList(ragged);
  return Tried([&] {
    return Wrapped(MapFlatValues(values, [&] { return AsComponent(call()); }));
  });
}
Object MappedSparseValues(Handle, Handle sparse, Handle call) {
  std::vector<SparseValue> values;
  for (Handle value : sparse) values.push_back(AsSparse(value));
  return Tried([&] {
    return Wrapped(
        MapSparseValues(values, [&] { return AsComponent(call()); }));
  });
}

PyMethodDef kRaggedRowsFunctions[] = {
    GK_MODULE_FUNCTION(
        "ragged_boolean_mask", "data, mask, name=None", BooleanMask,
        "What `mask` keeps of `data`; rows may become shorter.\n\n"
        "Args:\n"
        "  data: a tensor or a ragged tensor.\n"
        "  mask: bools, a tensor or a ragged tensor; its shape is that of the "
        "outer\n    dimensions of `data`. Of rank 1: which rows stay.\n\n"
        "Raises ValueError for a mask of rank 0 or unknown rank.\n\n"
        ">>> tf.ragged.boolean_mask([[1, 2], [3, 4]], [[True, False], [True, "
        "True]])\n"
        "<tf.RaggedTensor [[1], [3, 4]]>\n"),
    GK_MODULE_FUNCTION(
        "ragged_range",
        "starts, limits=None, deltas=1, dtype=None, name=None, "
        "row_splits_dtype=tf.int64",
        Ranges,
        "A row of numbers from start to below limit, by delta, for each.\n\n"
        "Args:\n"
        "  starts, limits, deltas: vectors, or scalars that stand for all. "
        "Without\n    limits, `starts` are the limits and rows begin at 0.\n"
        "  dtype: of the numbers.\n"
        "  row_splits_dtype: tf.int32 or tf.int64.\n\n"
        "Raises InvalidArgumentError if a delta is 0 or the lengths differ.\n\n"
        ">>> tf.ragged.range([3, 0, 2])\n"
        "<tf.RaggedTensor [[0, 1, 2], [], [0, 1]]>\n"),
    GK_MODULE_FUNCTION(
        "ragged_stack", "values, axis=0, name=None", Stack,
        "Tensors and ragged tensors along a new axis; they need not be of one "
        "length.\n\n"
        "Raises ValueError for none, or of several ranks.\n\n"
        ">>> tf.ragged.stack([[1, 2], [3]])\n"
        "<tf.RaggedTensor [[1, 2], [3]]>\n"),
    GK_MODULE_FUNCTION(
        "ragged_stack_dynamic_partitions",
        "data, partitions, num_partitions, name=None", StackPartitions,
        "A row for each number below `num_partitions`: the slices of `data` "
        "that have\nit in `partitions`, in their order.\n\n"
        "Raises InvalidArgumentError for a partition out of range.\n\n"
        ">>> tf.ragged.stack_dynamic_partitions(['a', 'b', 'c'], [2, 0, 2], "
        "3)\n"
        "<tf.RaggedTensor [[b'b'], [], [b'a', b'c']]>\n"),
    GK_MODULE_FUNCTION(
        "ragged_row_splits_to_segment_ids", "splits, name=None, out_type=None",
        IdsOfSplits,
        "The row of each value, of a vector that says where rows begin and the "
        "last\none ends.\n\n"
        ">>> tf.ragged.row_splits_to_segment_ids([0, 2, 2, 3]).numpy()."
        "tolist()\n"
        "[0, 0, 2]\n"),
    GK_MODULE_FUNCTION(
        "ragged_segment_ids_to_row_splits",
        "segment_ids, num_segments=None, out_type=None, name=None", SplitsOfIds,
        "Where rows begin and the last one ends, of the row of each value.\n\n"
        "Args:\n"
        "  num_segments: how many rows; as many as the ids need unless "
        "given.\n\n"
        ">>> tf.ragged.segment_ids_to_row_splits([0, 0, 2]).numpy().tolist()\n"
        "[0, 2, 2, 3]\n"),
    GK_MODULE_FUNCTION(
        "ragged_map_flat", "ragged, call", MappedFlatValues,
        "The first of these ragged tensors with the flat values that the call "
        "gives."),
    GK_MODULE_FUNCTION(
        "sparse_map", "sparse, call", MappedSparseValues,
        "The first of these sparse tensors with the values that the call "
        "gives."),
    {}};

}  // namespace

void AddRaggedRows(nb::module_& m) { AddFunctions(m, kRaggedRowsFunctions); }

}  // namespace gk::py
