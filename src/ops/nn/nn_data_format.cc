// Numbers of dimensions, and vectors of them, in another data format.
#include "ops/fn/nn_data_format.h"

#include <algorithm>
#include <string>

#include "framework/op_registry.h"

namespace gk {
namespace {

struct Formats {
  std::string from, to;
};

// For each place of `to` its place in `from`.
StatusOr<std::vector<int>> PermutationOf(const Formats& f) {
  const Status bad = InvalidArgument(
      "Destination and source format must determine a permutation, got {} and "
      "{}",
      f.from, f.to);
  if (f.from.size() != f.to.size()) return bad;
  std::vector<int> order;
  for (const char c : f.to) {
    const size_t at = f.from.find(c);
    if (at == f.from.npos || f.from.find(c, at + 1) != f.from.npos) return bad;
    order.push_back(static_cast<int>(at));
  }
  std::vector<int> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  for (size_t i = 0; i < sorted.size(); ++i) {
    if (sorted[i] != static_cast<int>(i)) return bad;
  }
  return order;
}

StatusOr<Formats> FormatsOf(KernelContext& c) {
  Formats f{c.attr<std::string>("src_format"),
            c.attr<std::string>("dst_format")};
  for (const auto& [what, which, format] :
       {std::tuple("Source", "src", &f.from),
        std::tuple("Destination", "dst", &f.to)}) {
    if (format->size() == 4 || format->size() == 5) continue;
    return InvalidArgument(
        "{} format must be of length 4 or 5, received {}_format = {}", what,
        which, *format);
  }
  return f;
}

Status ComputeDimMap(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Formats f, FormatsOf(c));
  GK_ASSIGN_OR_RETURN(const std::vector<int> order, PermutationOf(f));
  const auto n = static_cast<int64_t>(order.size());
  const Tensor& x = c.input(0);
  Tensor* y;
  GK_RETURN_IF_ERROR(c.Allocate(0, x.dtype(), x.shape(), &y));
  VisitType<int32_t, int64_t>(x.dtype(), [&](auto tag) {
    using T = decltype(tag);
    for (int64_t i = 0; i < x.num_elements(); ++i) {
      // Numbers that are no dimensions count around.
      const int64_t d = (x.data<T>()[i] % n + n) % n;
      y->data<T>()[i] = static_cast<T>(f.to.find(f.from[d]));
    }
  });
  return OkStatus();
}

Status ComputeVecPermute(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(Formats f, FormatsOf(c));
  const Tensor& x = c.input(0);
  if (x.rank() != 1 && x.rank() != 2) {
    return InvalidArgument(
        "input must be a vector or 2D tensor, but got shape "
        "{}",
        x.shape().DebugString());
  }
  GK_RETURN_IF_ERROR(PermutationOf(f).status());
  const auto full = static_cast<int64_t>(f.from.size());
  const int64_t n = x.dim(0);
  if (n != full && n != full - 2) {
    return InvalidArgument(
        "{}D input must be of size {} or {}, but got shape {}", x.rank(),
        full - 2, full, x.shape().DebugString());
  }
  if (x.rank() == 2 && x.dim(1) != 2) {
    return InvalidArgument(
        "Second dimension of 2D input must be of size 2, but got shape {}",
        x.shape().DebugString());
  }
  if (n == full - 2) {  // the spatial ones alone
    for (std::string* format : {&f.from, &f.to}) {
      std::erase_if(*format, [](char ch) { return ch == 'N' || ch == 'C'; });
    }
    if (static_cast<int64_t>(f.from.size()) != n) {
      return InvalidArgument(
          "Destination and source format must determine a permutation, got {} "
          "and {}",
          f.from, f.to);
    }
  }
  GK_ASSIGN_OR_RETURN(const std::vector<int> order, PermutationOf(f));
  Tensor* y;
  GK_RETURN_IF_ERROR(c.Allocate(0, x.dtype(), x.shape(), &y));
  const int64_t width = x.rank() == 2 ? 2 : 1;
  VisitType<int32_t, int64_t>(x.dtype(), [&](auto tag) {
    using T = decltype(tag);
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t k = 0; k < width; ++k) {
        y->data<T>()[i * width + k] = x.data<T>()[order[i] * width + k];
      }
    }
  });
  return OkStatus();
}

#define FORMAT_ATTRS                                                 \
  "T: type in [int32, int64] = int32; src_format: string = 'NHWC'; " \
  "dst_format: string = 'NCHW'"

const OpRecord kRecords[] = {
    {.name = "DataFormatDimMap",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = FORMAT_ATTRS,
     .traits = kNoGradient,
     .shape = shape_fn::SameAsInput,
     .kernel = {.compute = ComputeDimMap},
     .doc = "The numbers of dimensions in another data format."},

    {.name = "DataFormatVecPermute",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = FORMAT_ATTRS,
     .traits = kNoGradient,
     .shape = shape_fn::SameAsInput,
     .kernel = {.compute = ComputeVecPermute},
     .doc = "A vector, or pairs, with one entry for each dimension, in another "
            "data format."},
};

}  // namespace

GK_REGISTER_OPS(nn_data_format)

}  // namespace gk
