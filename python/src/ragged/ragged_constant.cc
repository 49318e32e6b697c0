// tf.ragged.constant: nested lists as ragged tensors.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "ops/element_moves.h"
#include "python/src/binding/class_members.h"
#include "python/src/binding/text_caster.h"
#include "python/src/ragged/composite_types.h"
#include "python/src/ragged/ragged_arguments.h"
#include "python/src/tensors/dtype_type.h"

namespace gk::py {
namespace {

namespace nb = nanobind;
using Object = nb::object;
using Handle = nb::handle;

bool IsList(Handle value) { return PyList_Check(value.ptr()); }

// Arrays and tuples as lists.
Object Plain(Handle value) {
  const bool array = IsNumpyValue(value.ptr()) && nb::hasattr(value, "tolist");
  if (array && nb::cast<int>(value.attr("ndim")) > 0) {
    return Plain(value.attr("tolist")());
  }
  if (!IsListOrTuple(value.ptr())) return nb::borrow(value);
  if (Py_EnterRecursiveCall(" in tf.ragged.constant")) throw nb::python_error();
  nb::list items;
  try {
    for (Handle item : value) items.append(Plain(item));
  } catch (...) {
    Py_LeaveRecursiveCall();
    throw;
  }
  Py_LeaveRecursiveCall();
  return items;
}

// How deep the scalars lie, -1 if there are none, and how deep lists nest.
struct Depths {
  int64_t scalar = -1, deepest = 1;
};
Depths DepthsOf(Handle value) {
  if (!IsList(value)) return {0, 0};
  Depths all;
  for (Handle item : value) {
    const Depths one = DepthsOf(item);
    if (one.scalar >= 0) {
      if (all.scalar >= 0 && all.scalar != one.scalar + 1) {
        Throw(ValueError("all scalar values must have the same nesting depth"));
      }
      all.scalar = one.scalar + 1;
    }
    all.deepest = std::max(all.deepest, one.deepest + 1);
  }
  return all;
}

// How many of the items are lists.
size_t Lists(const nb::list& items) {
  size_t count = 0;
  for (Handle item : items) count += IsList(item) ? 1 : 0;
  return count;
}
// The items of all lists, one after the other.
nb::list Joined(const nb::list& lists) {
  nb::list all;
  for (Handle one : lists) all.extend(one);
  return all;
}

[[noreturn]] void TooShallow(int64_t depth, int64_t rank) {
  Throw(ValueError(
      "pylist has scalar values depth {}, but ragged_rank={} requires scalar "
      "value depth greater than {}",
      depth, rank, rank));
}

// The shape of the values below `rank` levels of lists.
nb::list InnerShape(const nb::list& pylist, int64_t rank) {
  nb::list flat = pylist;
  for (int64_t level = 0; level < rank; ++level) {
    if (Lists(flat) != flat.size()) TooShallow(DepthsOf(pylist).scalar, rank);
    flat = Joined(flat);
  }
  nb::list shape;
  bool even = true;
  while (even && flat.size() > 0 && Lists(flat) == flat.size()) {
    const size_t length = nb::len(Object(flat[0]));
    for (Handle row : flat) even &= nb::len(row) == length;
    shape.append(length);
    flat = Joined(flat);
  }
  if (!even || Lists(flat) > 0) {
    Throw(ValueError("inner values have inconsistent shape"));
  }
  return shape;
}

// What the arguments ask for, once they are known to fit.
struct Wanted {
  int64_t rank = -1;  // of partitions; -1: not given
  bool shaped = false;
  nb::list inner_shape;
};

void Check(const nb::list& pylist, const Depths& depths, const Wanted& wanted) {
  if (wanted.rank < -1) {
    Throw(
        ValueError("Invalid ragged_rank={}: must be nonnegative", wanted.rank));
  }
  if (depths.scalar >= 0) {
    if (depths.deepest > depths.scalar) {
      Throw(
          ValueError("Invalid pylist={}: empty list nesting is greater than "
                     "scalar value nesting",
                     TextOf(pylist)));
    }
    if (depths.deepest < wanted.rank) {
      Throw(
          ValueError("Invalid pylist={}, max depth smaller than "
                     "ragged_rank={}",
                     TextOf(pylist), wanted.rank));
    }
  }
  if (!wanted.shaped || wanted.rank < 0) return;
  const int64_t inner = static_cast<int64_t>(nb::len(wanted.inner_shape)),
                expected = wanted.rank + 1 + inner;
  if (depths.scalar >= 0 ? expected != depths.scalar
                         : expected < depths.deepest) {
    Throw(
        ValueError("Invalid pylist={}: incompatible with ragged_rank={} and "
                   "dim(inner_shape)={}",
                   TextOf(pylist), wanted.rank, inner));
  }
}

// The values under wanted.rank > 0 partitions.
Object RowsOfList(Handle module, const nb::list& pylist, const Depths& depths,
                  const Wanted& wanted, Handle dtype, DataType splits_type) {
  std::vector<RowPartition> partitions;
  nb::list flat = pylist;
  for (int64_t level = 0; level < wanted.rank; ++level) {
    std::vector<int64_t> splits{0};
    for (Handle row : flat) {
      if (!IsList(row)) TooShallow(level + 1, wanted.rank);
      splits.push_back(splits.back() + static_cast<int64_t>(nb::len(row)));
    }
    partitions.push_back({IntegerVector(splits, splits_type), {}});
    flat = Joined(flat);
  }
  if (Lists(flat) > 0 && nb::len(wanted.inner_shape) == 0) {
    Throw(ValueError("inner values have inconsistent shape"));
  }
  if (depths.scalar >= 0 && wanted.rank >= depths.scalar) {
    TooShallow(depths.scalar, wanted.rank);
  }
  nb::list shape;
  shape.append(nb::len(flat));
  shape.extend(wanted.inner_shape);
  // Whatever its dtype yields to, the values have one.
  const Object values = module.attr("convert_to_tensor")(
      module.attr("constant")(flat, dtype, shape));
  return Wrapped(RaggedValue(AsTensor(values), std::move(partitions)));
}

Object Constant(Handle module, Handle given, Handle dtype, Handle ragged_rank,
                Handle inner_shape, Handle name, Handle row_splits_dtype) {
  const CallScope scope(name, "RaggedConstant");
  const DataType splits_type = AsType(row_splits_dtype, DataType::kInt64);
  if (IsTensor(given.ptr()) || IsRagged(given)) {
    Throw(TypeError("pylist must be a list of Python values, got {}",
                    ReprOf(given)));
  }
  if (!ragged_rank.is_none() && !PyLong_Check(ragged_rank.ptr())) {
    Throw(TypeError("Argument `ragged_rank` must be an int. Received {}.",
                    TextOf(ragged_rank)));
  }
  Wanted wanted{.shaped = !inner_shape.is_none()};
  if (!ragged_rank.is_none()) {
    wanted.rank = nb::cast<int64_t>(ragged_rank);
    if (wanted.rank == -1) wanted.rank = -2;  // as any that is negative
  }
  if (wanted.shaped) {
    const bool listed = IsListOrTuple(inner_shape.ptr());
    wanted.inner_shape =
        nb::list(listed ? nb::borrow(inner_shape)
                        : Object(ShapeObject(inner_shape).attr("as_list")()));
  }
  const Object plain = Plain(given);
  if (!IsList(plain)) {
    if (!ragged_rank.is_none() && wanted.rank != 0) {
      Throw(ValueError("Invalid pylist={}: incompatible with ragged_rank={}",
                       TextOf(plain), TextOf(ragged_rank)));
    }
    if (nb::len(wanted.inner_shape) > 0) {
      Throw(
          ValueError("Invalid pylist={}: incompatible with dim(inner_shape)={}",
                     TextOf(plain), nb::len(wanted.inner_shape)));
    }
    return module.attr("constant")(plain, dtype);
  }
  const nb::list pylist = nb::borrow<nb::list>(plain);
  const Depths depths = DepthsOf(pylist);
  Check(pylist, depths, wanted);
  // Without a rank all dimensions but the innermost are ragged.
  const int64_t above =
      depths.deepest - 1 - static_cast<int64_t>(nb::len(wanted.inner_shape));
  if (wanted.rank == 0 || (wanted.rank < 0 && above < 1)) {
    return module.attr("constant")(pylist, dtype, inner_shape);
  }
  if (wanted.rank < 0) {
    wanted.rank = above;
  } else if (!wanted.shaped) {
    wanted.inner_shape = InnerShape(pylist, wanted.rank);
  }
  return RowsOfList(module, pylist, depths, wanted, dtype, splits_type);
}

PyMethodDef kRaggedConstantFunctions[] = {
    GK_MODULE_FUNCTION(
        "ragged_constant",
        "pylist, dtype=None, ragged_rank=None, inner_shape=None, name=None, "
        "row_splits_dtype=tf.int64",
        Constant,
        "A ragged tensor of nested lists of Python values.\n\n"
        "Args:\n"
        "  pylist: nested lists, tuples or arrays; all values equally deep.\n"
        "  dtype: of the values; from them unless given.\n"
        "  ragged_rank: how many dimensions may be ragged; all but the "
        "innermost\n"
        "    unless given. 0 makes a tf.Tensor.\n"
        "  inner_shape: the shape of the innermost values.\n"
        "  row_splits_dtype: tf.int32 or tf.int64.\n\n"
        "Raises ValueError if the depths or inner shapes differ.\n\n"
        ">>> tf.ragged.constant([[1, 2], [3], [4, 5, 6]])\n"
        "<tf.RaggedTensor [[1, 2], [3], [4, 5, 6]]>\n"),
    {}};

}  // namespace

void AddRaggedConstant(nb::module_& m) {
  AddFunctions(m, kRaggedConstantFunctions);
}

}  // namespace gk::py
