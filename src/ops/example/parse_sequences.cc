#include "ops/example/parse_sequences.h"

#include <algorithm>
#include <string>
#include <unordered_map>

#include "base/interrupt.h"
#include "framework/text_memory.h"
#include "ops/example/example_message.h"
#include "ops/example/sequence_message.h"

namespace gk {
namespace {

// Values of one kind, one after the other.
class ValueColumn {
 public:
  explicit ValueColumn(DataType dtype) : dtype_(dtype) {}
  DataType dtype() const { return dtype_; }
  int64_t size() const {
    return static_cast<int64_t>(ints_.size() + floats_.size() + texts_.size());
  }

  bool Append(const FeatureView& feature) {
    switch (dtype_) {
      case DataType::kInt64:
        return ReadValues<int64_t>(feature.list,
                                   [&](int64_t v) { ints_.push_back(v); });
      case DataType::kFloat:
        return ReadValues<float>(feature.list,
                                 [&](float v) { floats_.push_back(v); });
      default:
        return ReadValues<std::string_view>(
            feature.list, [&](std::string_view v) {
              CountText(static_cast<int64_t>(v.size()));
              texts_.emplace_back(v);
            });
    }
  }
  void AppendAll(const Tensor& t) {
    const int64_t n = t.num_elements();
    if (dtype_ == DataType::kInt64) {
      ints_.insert(ints_.end(), t.data<int64_t>(), t.data<int64_t>() + n);
    } else if (dtype_ == DataType::kFloat) {
      floats_.insert(floats_.end(), t.data<float>(), t.data<float>() + n);
    } else {
      texts_.insert(texts_.end(), t.data<std::string>(),
                    t.data<std::string>() + n);
    }
  }
  // `count` values from `from` on to element `to`.
  void Copy(int64_t from, int64_t count, Tensor* out, int64_t to) {
    if (dtype_ == DataType::kInt64) {
      std::copy_n(ints_.begin() + from, count, out->data<int64_t>() + to);
    } else if (dtype_ == DataType::kFloat) {
      std::copy_n(floats_.begin() + from, count, out->data<float>() + to);
    } else {
      std::move(texts_.begin() + from, texts_.begin() + from + count,
                out->data<std::string>() + to);
    }
  }

 private:
  DataType dtype_;
  std::vector<int64_t> ints_;
  std::vector<float> floats_;
  std::vector<std::string> texts_;
};

// What was found of one name.
struct FoundValues {
  ValueColumn values;
  std::vector<int64_t> steps;   // of each example; of lists alone
  std::vector<int64_t> counts;  // of values, of each example or step
};

int64_t StepElements(const PartialTensorShape& shape) {
  int64_t n = 1;
  for (const int64_t dim : shape.dims()) n *= dim;
  return n;
}

int64_t Largest(const std::vector<int64_t>& numbers) {
  return numbers.empty() ? 0
                         : *std::max_element(numbers.begin(), numbers.end());
}

class SequenceParser {
 public:
  SequenceParser(KernelContext& c, const Tensor& serialized,
                 const Tensor& names, const SequenceWanted& wanted)
      : c_(c), serialized_(serialized), names_(names), wanted_(wanted) {
    Prepare(wanted.context, &context_);
    Prepare(wanted.lists, &lists_);
  }

  Status Run() {
    TurnPoll poll;
    for (row_ = 0; row_ < serialized_.num_elements(); ++row_) {
      poll();
      GK_RETURN_IF_ERROR(CheckInterrupt());
      GK_RETURN_IF_ERROR(ReadRow());
    }
    return Write();
  }

 private:
  using Views = std::unordered_map<std::string_view, std::string_view>;
  struct Slots {
    std::vector<FoundValues> sparse, dense, ragged;
  };

  static void Prepare(const SequenceWanted::Part& part, Slots* slots) {
    for (const DataType t : part.sparse_types) {
      slots->sparse.push_back({ValueColumn(t), {}, {}});
    }
    for (const DataType t : part.dense_types) {
      slots->dense.push_back({ValueColumn(t), {}, {}});
    }
    for (const DataType t : part.ragged_types) {
      slots->ragged.push_back({ValueColumn(t), {}, {}});
    }
  }

  std::string Named() const {
    return Format("Name: {}, ", names_.num_elements() > row_
                                    ? names_.data<std::string>()[row_]
                                    : std::string("<unknown>"));
  }

  Status ReadRow() {
    const std::string& text = serialized_.data<std::string>()[row_];
    Views context, lists;
    const bool read =
        ReadExample(text,
                    [&](std::string_view name, std::string_view message) {
                      context[name] = message;
                    }) &&
        ReadFeatureLists(text,
                         [&](std::string_view name, std::string_view message) {
                           lists[name] = message;
                         });
    if (!read) {
      return InvalidArgument("{}could not parse a SequenceExample", Named());
    }
    const auto each = [&](const std::vector<std::string_view>& keys,
                          const Views& views, auto&& use) -> Status {
      for (size_t i = 0; i < keys.size(); ++i) {
        const auto at = views.find(keys[i]);
        GK_RETURN_IF_ERROR(use(i, at == views.end() ? nullptr : &at->second));
      }
      return OkStatus();
    };
    const SequenceWanted::Part &of_context = wanted_.context,
                               &of_lists = wanted_.lists;
    GK_RETURN_IF_ERROR(each(of_context.sparse, context,
                            [&](size_t i, const std::string_view* view) {
                              return ReadContext(of_context.sparse[i], view,
                                                 &context_.sparse[i]);
                            }));
    GK_RETURN_IF_ERROR(each(of_context.dense, context,
                            [&](size_t i, const std::string_view* view) {
                              return ReadDenseContext(i, view);
                            }));
    GK_RETURN_IF_ERROR(each(of_context.ragged, context,
                            [&](size_t i, const std::string_view* view) {
                              return ReadContext(of_context.ragged[i], view,
                                                 &context_.ragged[i]);
                            }));
    GK_RETURN_IF_ERROR(each(
        of_lists.sparse, lists, [&](size_t i, const std::string_view* view) {
          return ReadList(of_lists.sparse[i], view, -1, &lists_.sparse[i]);
        }));
    GK_RETURN_IF_ERROR(
        each(of_lists.dense, lists,
             [&](size_t i, const std::string_view* view) -> Status {
               if (view == nullptr && !wanted_.lists_may_miss[i]) {
                 return InvalidArgument(
                     "{}Feature list '{}' is required but could not be found. "
                     " Did you mean to include it in "
                     "feature_list_dense_missing_assumed_empty or "
                     "feature_list_dense_defaults?",
                     Named(), of_lists.dense[i]);
               }
               return ReadList(of_lists.dense[i], view,
                               StepElements(of_lists.dense_shapes[i]),
                               &lists_.dense[i]);
             }));
    return each(
        of_lists.ragged, lists, [&](size_t i, const std::string_view* view) {
          return ReadList(of_lists.ragged[i], view, -1, &lists_.ragged[i]);
        });
  }

  // Appends a feature's values; `where`: for messages.
  template <class Where>
  Status ReadValuesOf(std::string_view message, FoundValues* found,
                      Where&& where, int64_t* count) {
    FeatureView feature;
    const int64_t before = found->values.size();
    if (!ReadFeature(message, &feature)) {
      return InvalidArgument("{}could not be parsed.", where());
    }
    if (feature.dtype != DataType::kInvalid) {
      if (feature.dtype != found->values.dtype()) {
        return InvalidArgument(
            "{}Data types don't match. Expected type: {}, but the feature has "
            "{}",
            where(), DataTypeString(found->values.dtype()),
            DataTypeString(feature.dtype));
      }
      if (!found->values.Append(feature)) {
        return InvalidArgument("{}could not be parsed.", where());
      }
    }
    *count = found->values.size() - before;
    return OkStatus();
  }

  Status ReadContext(std::string_view key, const std::string_view* view,
                     FoundValues* found) {
    int64_t count = 0;
    if (view != nullptr) {
      const auto where = [&] {
        return Format("{}Context feature '{}': ", Named(), key);
      };
      GK_RETURN_IF_ERROR(ReadValuesOf(*view, found, where, &count));
    }
    found->counts.push_back(count);
    return OkStatus();
  }

  Status ReadDenseContext(size_t i, const std::string_view* view) {
    const std::string_view key = wanted_.context.dense[i];
    FoundValues* found = &context_.dense[i];
    GK_RETURN_IF_ERROR(ReadContext(key, view, found));
    const int64_t wanted = StepElements(wanted_.context.dense_shapes[i]);
    const int64_t count = found->counts.back();
    // A feature of no kind is none.
    FeatureView feature;
    const bool missing =
        view == nullptr ||
        (ReadFeature(*view, &feature) && feature.dtype == DataType::kInvalid);
    if (missing) {
      const Tensor& otherwise = *wanted_.context_defaults[i];
      if (otherwise.num_elements() == 0) {
        return InvalidArgument(
            "{}Context feature '{}' is required but could not be found.",
            Named(), key);
      }
      found->values.AppendAll(otherwise);
      return OkStatus();
    }
    if (count == wanted) return OkStatus();
    return InvalidArgument(
        "{}Key: {}, Index: {}.  Number of context values != expected.  Values "
        "size: {} but output shape: {}",
        Named(), key, row_, count,
        wanted_.context.dense_shapes[i].DebugString());
  }

  // `width`: how many values a step must have; -1: any number.
  Status ReadList(std::string_view key, const std::string_view* view,
                  int64_t width, FoundValues* found) {
    int64_t steps = 0;
    Status status;
    const auto step = [&](std::string_view feature) {
      const auto where = [&] {
        return Format("{}Feature list '{}', Index: {}: ", Named(), key, steps);
      };
      int64_t count = 0;
      status = ReadValuesOf(feature, found, where, &count);
      if (status.ok() && width >= 0 && count != width) {
        status = InvalidArgument(
            "{}Number of values != expected.  Values size: {} but each step "
            "has {}",
            where(), count, width);
      }
      found->counts.push_back(count);
      ++steps;
      return status.ok();
    };
    if (view != nullptr && !ReadFeatureList(*view, step) && status.ok()) {
      status = InvalidArgument("{}Feature list '{}' could not be parsed.",
                               Named(), key);
    }
    found->steps.push_back(steps);
    return status;
  }

  // ---- Results ----

  bool is_single() const { return serialized_.shape().IsScalar(); }
  int64_t rows() const { return serialized_.num_elements(); }

  StatusOr<Tensor*> Allocated(int output, DataType dtype,
                              std::vector<int64_t> dims) {
    Tensor* out = nullptr;
    GK_ASSIGN_OR_RETURN(const TensorShape shape,
                        PartialTensorShape(dims).AsTensorShape());
    GK_RETURN_IF_ERROR(c_.Allocate(output, dtype, shape, &out));
    return out;
  }
  Status WriteValues(FoundValues* found, int output) {
    GK_ASSIGN_OR_RETURN(Tensor * out, Allocated(output, found->values.dtype(),
                                                {found->values.size()}));
    found->values.Copy(0, found->values.size(), out, 0);
    return OkStatus();
  }
  template <class Numbers>
  Status WriteInts(const Numbers& numbers, int output, DataType dtype) {
    GK_ASSIGN_OR_RETURN(
        Tensor * out,
        Allocated(output, dtype, {static_cast<int64_t>(numbers.size())}));
    for (size_t i = 0; i < numbers.size(); ++i) {
      if (dtype == DataType::kInt32) {
        out->data<int32_t>()[i] = static_cast<int32_t>(numbers[i]);
      } else {
        out->data<int64_t>()[i] = numbers[i];
      }
    }
    return OkStatus();
  }

  // Indices of values by their place in the example, its step, if there are
  // steps, and its own number.
  Status WriteSparse(std::vector<FoundValues>* slots, bool of_lists) {
    const int n = static_cast<int>(slots->size());
    for (int i = 0; i < n; ++i) {
      FoundValues& found = (*slots)[i];
      const int64_t rank = (is_single() ? 0 : 1) + (of_lists ? 2 : 1);
      GK_ASSIGN_OR_RETURN(
          Tensor * indices,
          Allocated(next_ + i, DataType::kInt64, {found.values.size(), rank}));
      int64_t* to = indices->data<int64_t>();
      size_t group = 0;
      for (int64_t row = 0; row < rows(); ++row) {
        const int64_t steps = of_lists ? found.steps[row] : 1;
        for (int64_t step = 0; step < steps; ++step) {
          for (int64_t k = 0; k < found.counts[group]; ++k) {
            if (!is_single()) *to++ = row;
            if (of_lists) *to++ = step;
            *to++ = k;
          }
          ++group;
        }
      }
      GK_RETURN_IF_ERROR(WriteValues(&found, next_ + n + i));
      std::vector<int64_t> shape;
      if (!is_single()) shape.push_back(rows());
      if (of_lists) shape.push_back(Largest(found.steps));
      shape.push_back(Largest(found.counts));
      GK_RETURN_IF_ERROR(WriteInts(shape, next_ + 2 * n + i, DataType::kInt64));
    }
    next_ += 3 * n;
    return OkStatus();
  }

  Status WriteDenseContext() {
    for (size_t i = 0; i < context_.dense.size(); ++i) {
      FoundValues& found = context_.dense[i];
      std::vector<int64_t> dims;
      if (!is_single()) dims.push_back(rows());
      for (const int64_t d : wanted_.context.dense_shapes[i].dims()) {
        dims.push_back(d);
      }
      GK_ASSIGN_OR_RETURN(Tensor * out,
                          Allocated(next_++, found.values.dtype(), dims));
      found.values.Copy(0, out->num_elements(), out, 0);
    }
    return OkStatus();
  }

  Status WriteDenseLists() {
    const int n = static_cast<int>(lists_.dense.size());
    for (int i = 0; i < n; ++i) {
      FoundValues& found = lists_.dense[i];
      const int64_t longest = Largest(found.steps);
      std::vector<int64_t> dims;
      if (!is_single()) dims.push_back(rows());
      dims.push_back(longest);
      for (const int64_t d : wanted_.lists.dense_shapes[i].dims()) {
        dims.push_back(d);
      }
      GK_ASSIGN_OR_RETURN(Tensor * out,
                          Allocated(next_ + i, found.values.dtype(), dims));
      GK_ASSIGN_OR_RETURN(Tensor zeros,
                          Tensor::Zeros(out->dtype(), out->shape()));
      *out = std::move(zeros);
      const int64_t width = StepElements(wanted_.lists.dense_shapes[i]);
      int64_t from = 0;
      for (int64_t row = 0; row < rows(); ++row) {
        const int64_t count = found.steps[row] * width;
        found.values.Copy(from, count, out, row * longest * width);
        from += count;
      }
      if (!wanted_.lengths) continue;
      std::vector<int64_t> lengths = found.steps;
      if (is_single()) {
        c_.set_output(next_ + n + i, Tensor::Scalar<int64_t>(lengths[0]));
      } else {
        GK_RETURN_IF_ERROR(WriteInts(lengths, next_ + n + i, DataType::kInt64));
      }
    }
    next_ += (wanted_.lengths ? 2 : 1) * n;
    return OkStatus();
  }

  // The places where groups of these sizes begin and the last one ends.
  static std::vector<int64_t> SplitsOf(const std::vector<int64_t>& sizes) {
    std::vector<int64_t> splits{0};
    for (const int64_t n : sizes) splits.push_back(splits.back() + n);
    return splits;
  }

  Status WriteRagged(const SequenceWanted::Part& part,
                     std::vector<FoundValues>* slots, bool of_lists) {
    const int n = static_cast<int>(slots->size());
    for (int i = 0; i < n; ++i) {
      FoundValues& found = (*slots)[i];
      const DataType splits = part.split_types[i];
      GK_RETURN_IF_ERROR(WriteValues(&found, next_ + i));
      // One example needs no splits around it.
      const auto around = is_single()
                              ? std::vector<int64_t>()
                              : SplitsOf(of_lists ? found.steps : found.counts);
      GK_RETURN_IF_ERROR(WriteInts(around, next_ + n + i, splits));
      if (of_lists) {
        GK_RETURN_IF_ERROR(
            WriteInts(SplitsOf(found.counts), next_ + 2 * n + i, splits));
      }
    }
    next_ += (of_lists ? 3 : 2) * n;
    return OkStatus();
  }

  Status Write() {
    GK_RETURN_IF_ERROR(WriteSparse(&context_.sparse, false));
    GK_RETURN_IF_ERROR(WriteDenseContext());
    GK_RETURN_IF_ERROR(WriteRagged(wanted_.context, &context_.ragged, false));
    GK_RETURN_IF_ERROR(WriteSparse(&lists_.sparse, true));
    GK_RETURN_IF_ERROR(WriteDenseLists());
    return WriteRagged(wanted_.lists, &lists_.ragged, true);
  }

  KernelContext& c_;
  const Tensor &serialized_, &names_;
  const SequenceWanted& wanted_;
  Slots context_, lists_;
  int64_t row_ = 0;
  int next_ = 0;  // output
};

}  // namespace

Status ParseSequences(KernelContext& c, const Tensor& serialized,
                      const Tensor& names, const SequenceWanted& wanted) {
  return SequenceParser(c, serialized, names, wanted).Run();
}

}  // namespace gk
