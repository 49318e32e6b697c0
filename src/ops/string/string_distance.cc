// How many edits lead from one sequence to another.
#include "ops/fn/string_distance.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "base/interrupt.h"
#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "kernels/sparse.h"
#include "ops/element_moves.h"

namespace gk {
namespace {

struct Sequences {
  std::string_view name;
  const Tensor &indices, &values, &shape;

  Places places() const {
    return {indices.data<int64_t>(), indices.dim(0), indices.dim(1)};
  }
};

Sequences SequencesOf(KernelContext& c, int first, std::string_view name) {
  return {name, c.input(first), c.input(first + 1), c.input(first + 2)};
}

Status CheckSequences(const Sequences& s) {
  if (s.indices.rank() != 2) {
    return InvalidArgument("{}_indices should be a matrix, but got shape: {}",
                           s.name, s.indices.shape().DebugString());
  }
  if (s.values.rank() != 1) {
    return InvalidArgument("{}_values should be a vector, but got shape: {}",
                           s.name, s.values.shape().DebugString());
  }
  if (s.shape.rank() != 1) {
    return InvalidArgument("{}_shape should be a vector, but got shape: {}",
                           s.name, s.shape.shape().DebugString());
  }
  if (s.values.num_elements() != s.indices.dim(0)) {
    return InvalidArgument(
        "Expected {0}_values.NumElements == #rows({0}_indices), their shapes "
        "are: {1} and {2}",
        s.name, s.values.shape().DebugString(),
        s.indices.shape().DebugString());
  }
  if (s.shape.num_elements() != s.indices.dim(1)) {
    return InvalidArgument(
        "Expected {0}_shape.NumElements == #cols({0}_indices), their shapes "
        "are: {1} and {2}",
        s.name, s.shape.shape().DebugString(), s.indices.shape().DebugString());
  }
  return OkStatus();
}

// The distances along one column of the table of all, as the bits of 64 steps
// down it that go up or down by one (Myers 1999; Hyyro 2003).
struct DistanceSteps {
  uint64_t up = ~uint64_t{0}, down = 0;

  // Goes on to the next column, whose value is equal to those of the rows with
  // a bit of `equal`; `over` is the step of the row above to the right. Gives
  // that of row `last` of these.
  int Next(uint64_t equal, int over, int last) {
    const uint64_t vertical = equal | down;
    equal |= static_cast<uint64_t>(over < 0);
    const uint64_t horizontal = (((equal & up) + up) ^ up) | equal;
    uint64_t more = down | ~(horizontal | up), less = up & horizontal;
    const int step =
        static_cast<int>(more >> last & 1) - static_cast<int>(less >> last & 1);
    more = more << 1 | static_cast<uint64_t>(over > 0);
    less = less << 1 | static_cast<uint64_t>(over < 0);
    up = less | ~(vertical | more);
    down = more & vertical;
    return step;
  }
};

// Of two sequences.
template <class T>
int64_t Distance(const T* a, int64_t n, const T* b, int64_t m,
                 std::vector<DistanceSteps>* column) {
  // What both begin and end with costs nothing.
  for (; n > 0 && m > 0 && *a == *b; ++a, ++b, --n, --m) {
  }
  for (; n > 0 && m > 0 && a[n - 1] == b[m - 1]; --n, --m) {
  }
  if (n == 0 || m == 0) return n + m;
  constexpr int64_t kBits = 64;
  const int64_t words = (m + kBits - 1) / kBits;
  column->assign(words, DistanceSteps());
  TurnPoll poll;
  int64_t distance = m;
  for (int64_t i = 0; i < n; ++i) {
    const T& mine = a[i];
    int step = 1;
    for (int64_t w = 0; w < words; ++w) {
      poll();
      const T* const some = b + w * kBits;
      const int count = static_cast<int>(std::min(kBits, m - w * kBits));
      uint64_t equal = 0;
      for (int j = 0; j < count; ++j) {
        equal |= static_cast<uint64_t>(mine == some[j]) << j;
      }
      step = (*column)[w].Next(equal, step, count - 1);
    }
    distance += step;
  }
  return distance;
}

// Runs of places that agree in all but the last coordinate.
class Groups {
 public:
  explicit Groups(const Places& places) : places_(places) { Find(); }
  bool done() const { return begin_ == places_.n; }
  int64_t begin() const { return begin_; }
  int64_t size() const { return end_ - begin_; }
  std::span<const int64_t> at() const {
    return places_[begin_].first(places_.rank - 1);
  }
  void Next() {
    begin_ = end_;
    Find();
  }

 private:
  void Find() {
    end_ = begin_;
    while (end_ < places_.n &&
           ComparePlaces(places_[end_].first(places_.rank - 1), at()) == 0) {
      ++end_;
    }
  }

  Places places_;
  int64_t begin_ = 0, end_ = 0;
};

// The element of a group, or Internal if the output has none for it.
StatusOr<int64_t> PlaceOf(std::string_view name, std::span<const int64_t> at,
                          const TensorShape& out) {
  int64_t place = 0;
  for (int i = 0; i < out.rank(); ++i) {
    if (at[i] < 0 || at[i] >= out.dim(i)) {
      return Internal(
          "{}_indices: Got an inner product {} which would require writing to "
          "outside of the buffer for the output tensor (max elements {})",
          name, at[i], out.num_elements());
    }
    place = place * out.dim(i) + at[i];
  }
  return place;
}

// of(from, n, to, m): the distance of values.
template <class Of>
Status FillDistances(const Sequences& hypothesis, const Sequences& truth,
                     bool normalize, Of of, Tensor* out) {
  Groups h(hypothesis.places()), t(truth.places());
  float* to = out->data<float>();
  while (!h.done() || !t.done()) {
    const int order = h.done()   ? 1
                      : t.done() ? -1
                                 : ComparePlaces(h.at(), t.at());
    GK_ASSIGN_OR_RETURN(const int64_t place,
                        PlaceOf(order <= 0 ? hypothesis.name : truth.name,
                                order <= 0 ? h.at() : t.at(), out->shape()));
    if (order < 0) {  // there is no truth
      to[place] = normalize ? std::numeric_limits<float>::infinity()
                            : static_cast<float>(h.size());
    } else if (order > 0) {
      to[place] = normalize ? 1.0f : static_cast<float>(t.size());
    } else {
      const auto distance =
          static_cast<float>(of(t.begin(), t.size(), h.begin(), h.size()));
      to[place] =
          normalize ? distance / static_cast<float>(t.size()) : distance;
    }
    if (order <= 0) h.Next();
    if (order >= 0) t.Next();
  }
  return OkStatus();
}

StatusOr<TensorShape> DistancesShape(const Sequences& hypothesis,
                                     const Sequences& truth) {
  std::vector<int64_t> dims;
  for (int64_t i = 0; i + 1 < truth.shape.num_elements(); ++i) {
    dims.push_back(std::max(truth.shape.data<int64_t>()[i],
                            hypothesis.shape.data<int64_t>()[i]));
  }
  for (const Sequences* s : {&hypothesis, &truth}) {
    GK_RETURN_IF_ERROR(TensorShape::Make(s->shape.flat<int64_t>()).status());
  }
  return TensorShape::Make(dims);
}

Status ComputeDistance(KernelContext& c) {
  const Sequences hypothesis = SequencesOf(c, 0, "hypothesis");
  const Sequences truth = SequencesOf(c, 3, "truth");
  GK_RETURN_IF_ERROR(CheckSequences(hypothesis));
  GK_RETURN_IF_ERROR(CheckSequences(truth));
  if (truth.shape.num_elements() < 2) {
    return InvalidArgument(
        "Input SparseTensors must have rank at least 2, but truth_shape rank "
        "is: {}",
        truth.shape.num_elements());
  }
  if (truth.shape.num_elements() != hypothesis.shape.num_elements()) {
    return InvalidArgument(
        "Expected truth and hypothesis to have matching ranks, but their "
        "shapes are: {} and {}",
        truth.shape.shape().DebugString(),
        hypothesis.shape.shape().DebugString());
  }
  GK_ASSIGN_OR_RETURN(const TensorShape shape,
                      DistancesShape(hypothesis, truth));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, DataType::kFloat, shape, &out));
  ZeroElements(out);
  std::vector<DistanceSteps> column;
  const bool normalize = c.attr<bool>("normalize");
  Status status;
  const bool known =
      VisitType<float, double, half, bfloat16, int8_t, uint8_t, int16_t,
                uint16_t, int32_t, uint32_t, int64_t, uint64_t, complex64,
                complex128, bool, std::string>(
          truth.values.dtype(), [&](auto tag) {
            using T = decltype(tag);
            const T* a = truth.values.data<T>();
            const T* b = hypothesis.values.data<T>();
            status = FillDistances(
                hypothesis, truth, normalize,
                [&](int64_t i, int64_t n, int64_t j, int64_t m) {
                  return Distance(a + i, n, b + j, m, &column);
                },
                out);
          });
  return known ? status : c.NoKernel();
}

Status DistanceShape(InferenceContext& c) {
  for (int i = 0; i < 6; ++i) {
    PartialTensorShape s;
    GK_RETURN_IF_ERROR(c.WithRank(i, i % 3 == 0 ? 2 : 1, &s));
  }
  const PartialTensorShape h = c.ValueAsShape(2), t = c.ValueAsShape(5);
  if (h.unknown_rank() || t.unknown_rank()) return OkStatus();
  if (h.rank() != t.rank()) {
    return InvalidArgument("Shape must be rank {} but is rank {}", t.rank(),
                           h.rank());
  }
  PartialTensorShape out = TensorShape();
  for (int i = 0; i + 1 < h.rank(); ++i) {
    const bool known = h.dim(i) >= 0 && t.dim(i) >= 0;
    out.AddDim(known ? std::max(h.dim(i), t.dim(i)) : kUnknownDim);
  }
  c.set_output(0, std::move(out));
  return OkStatus();
}

const OpRecord kRecords[] = {
    {.name = "EditDistance",
     .inputs = "hypothesis_indices: int64; hypothesis_values: T; "
               "hypothesis_shape: int64; truth_indices: int64; truth_values: "
               "T; truth_shape: int64",
     .outputs = "output: float",
     .attrs = "normalize: bool = True; T: type",
     .traits = kNoGradient,
     .shape = DistanceShape,
     .kernel = {.compute = ComputeDistance},
     .doc = "How many values have to be put in, left out or changed to make "
            "each sequence of one sparse tensor that of another; as a part of "
            "the latter's length if normalize."},
};

}  // namespace

GK_REGISTER_OPS(string_distance)

}  // namespace gk
