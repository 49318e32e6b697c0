#include "ops/math/einsum_operand.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/thread_pool.h"
#include "framework/part_listener.h"
#include "kernels/scattered_products.h"
#include "ops/element_moves.h"
#include "ops/element_type_of.h"

namespace gk::einsum {
namespace {

// How far apart the elements are that `labels` walk over, the last one
// fastest; nothing where they are not equally far apart.
std::optional<int64_t> StepOf(const Operand& x, const DimLabels& labels) {
  int64_t step = 0, count = 1;
  for (size_t i = labels.size(); i-- > 0;) {
    const int64_t extent = x.extent(labels[i]);
    if (extent == 1) continue;
    if (step == 0) step = x.stride(labels[i]);
    if (x.stride(labels[i]) != step * count) return std::nullopt;
    count *= extent;
  }
  return step == 0 ? 1 : step;
}

// Where each matrix of a batch begins.
std::vector<int64_t> MatrixPlaces(const Operand& x, const DimLabels& batch,
                                  const std::vector<int64_t>& extents) {
  std::vector<int64_t> places = {0};
  for (size_t d = 0; d < batch.size(); ++d) {
    const int64_t step = x.extent(batch[d]) == 1 ? 0 : x.stride(batch[d]);
    std::vector<int64_t> next;
    next.reserve(places.size() * extents[d]);
    for (int64_t place : places) {
      for (int64_t i = 0; i < extents[d]; ++i) next.push_back(place + i * step);
    }
    places = std::move(next);
  }
  return places;
}

}  // namespace

bool Has(const DimLabels& labels, int label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

int At(const DimLabels& labels, int label) {
  return static_cast<int>(std::find(labels.begin(), labels.end(), label) -
                          labels.begin());
}

DimLabels Joined(std::initializer_list<const DimLabels*> parts) {
  DimLabels all;
  for (const DimLabels* part : parts) {
    all.insert(all.end(), part->begin(), part->end());
  }
  return all;
}

bool Operand::IsDense() const {
  int64_t stride = 1;
  for (size_t i = labels.size(); i-- > 0;) {
    if (extents[i] != 1 && strides[i] != stride) return false;
    stride *= extents[i];
  }
  return true;
}

Operand Dense(Tensor data, DimLabels labels) {
  Operand x{std::move(data), std::move(labels), {}, {}};
  const auto strides = StridesOf(x.data.shape());
  x.strides.assign(strides.begin(), strides.end());
  const auto dims = x.data.shape().dims();
  x.extents.assign(dims.begin(), dims.end());
  return x;
}

int64_t Product(const Operand& x, const DimLabels& labels) {
  int64_t n = 1;
  for (int label : labels) n *= x.extent(label);
  return n;
}

StatusOr<bool> SetScatteredProducts(KernelContext& c, ProductSide a,
                                    ProductSide b, const DimLabels& batch,
                                    const DimLabels& sum,
                                    const DimLabels& output) {
  const auto type = ElementTypeFor(a.x->data.dtype());
  if (!type || output.empty() ||
      output.size() != batch.size() + a.free.size() + b.free.size()) {
    return false;
  }
  // Rows of the output are to lie side by side.
  const bool exchanged = Has(a.free, output.back());
  const ProductSide& left = exchanged ? b : a;
  const ProductSide& right = exchanged ? a : b;
  if (!Has(right.free, output.back())) return false;

  ScatteredProducts p{.type = *type};
  p.m = Product(*left.x, left.free);
  p.k = Product(*left.x, sum);
  p.n = Product(*right.x, right.free);
  std::vector<int64_t> extents;
  int64_t count = 1;
  for (int label : batch) {
    const int64_t of_a = a.x->extent(label);
    extents.push_back(of_a == 1 ? b.x->extent(label) : of_a);
    count *= extents.back();
  }
  constexpr int64_t kOneSlice = 1 << 18;  // multiply-adds
  if (count == 0 || p.m == 0 || p.n == 0 || p.k == 0 ||
      !IsForScatteredProducts(p.type, p.m, p.k, p.n) ||
      (count < 4 && count * p.m * p.k * p.n > kOneSlice)) {
    return false;
  }
  std::vector<int64_t> dims;
  for (int label : output) {
    const bool of_batch = Has(batch, label);
    dims.push_back(of_batch             ? extents[At(batch, label)]
                   : Has(a.free, label) ? a.x->extent(label)
                                        : b.x->extent(label));
  }
  GK_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(dims));
  Operand to{{}, output, std::move(dims), {}};
  const auto strides = StridesOf(shape);
  to.strides.assign(strides.begin(), strides.end());

  const auto a_row = StepOf(*left.x, left.free), a_k = StepOf(*left.x, sum);
  const auto b_k = StepOf(*right.x, sum);
  const auto b_column = StepOf(*right.x, right.free);
  const auto c_row = StepOf(to, left.free);
  if (!a_row || !a_k || !b_k || !b_column || !c_row ||
      (*b_k != 1 && *b_column != 1) || StepOf(to, right.free) != 1) {
    return false;
  }
  p.a_row = *a_row, p.a_k = *a_k, p.b_k = *b_k, p.b_column = *b_column;
  p.c_row = *c_row;
  const auto a_at = MatrixPlaces(*left.x, batch, extents);
  const auto b_at = MatrixPlaces(*right.x, batch, extents);
  const auto c_at = MatrixPlaces(to, batch, extents);
  p.a_at = a_at, p.b_at = b_at, p.c_at = c_at;
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, a.x->data.dtype(), shape, &out));
  p.a = left.x->data.raw_data();
  p.b = right.x->data.raw_data();
  p.c = out->raw_data();
  GK_RETURN_IF_ERROR(
      RunProducts(p, Parallel(&ThreadPool::Global()),
                  PartListener::Of(out->raw_data(), out->byte_size())));
  return true;
}

}  // namespace gk::einsum
