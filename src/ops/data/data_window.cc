// Datasets of windows: consecutive elements put together to a dataset of
// their own, or to a group by what a function says.
#include <deque>
#include <map>

#include "framework/op_registry.h"
#include "ops/data/dataset_kernel.h"
#include "ops/data/elements_dataset.h"

namespace gk {
namespace {

struct WindowShape {
  int64_t size = 1, shift = 1, stride = 1;
  bool drop_remainder = false;
  // From the first element of a window to behind its last one.
  int64_t Reach() const { return (size - 1) * stride + 1; }
};

class WindowDataset final : public OneInputDataset {
 public:
  WindowDataset(OneInput in, const WindowShape& shape)
      : OneInputDataset(std::move(in)), shape_(shape) {}

  int64_t Cardinality() const override {
    const int64_t n = input().Cardinality();
    if (n < 0) return n;
    if (!shape_.drop_remainder) {
      return n / shape_.shift + (n % shape_.shift == 0 ? 0 : 1);
    }
    const int64_t behind = n - shape_.Reach();
    return behind < 0 ? 0 : behind / shape_.shift + 1;
  }

 protected:
  std::string parameters() const override {
    return Format("({}, {}, {}, {})", shape_.size, shape_.shift, shape_.stride,
                  shape_.drop_remainder ? 1 : 0);
  }

 private:
  class Iterator final : public OneInputIterator<WindowDataset> {
   public:
    using OneInputIterator::OneInputIterator;
    Status GetNext(const CancellationToken* cancellation, TensorVector* element,
                   bool* end) override {
      const WindowShape& w = dataset().shape_;
      GK_RETURN_IF_ERROR(Fill(cancellation));
      const auto have = static_cast<int64_t>(buffer_.size());
      if (have == 0 || (w.drop_remainder && have < w.Reach())) {
        *end = true;
        return OkStatus();
      }
      std::vector<TensorVector> chosen;
      Status status;
      for (int64_t i = 0; i < have; i += w.stride) {
        const Read& read = buffer_[i];
        if (!read.status.ok()) {
          status = read.status;
          PutErrorSite(read.site);
          break;
        }
        chosen.push_back(read.element);
      }
      skip_ = std::max<int64_t>(0, w.shift - have);
      buffer_.erase(buffer_.begin(), buffer_.begin() + std::min(w.shift, have));
      GK_RETURN_IF_ERROR(status);
      return Wrap(chosen, element);
    }

   private:
    struct Read {
      TensorVector element;
      Status status;
      ErrorSite site;
    };

    Status Fill(const CancellationToken* cancellation) {
      const int64_t reach = dataset().shape_.Reach();
      while (has_input() &&
             (skip_ > 0 || static_cast<int64_t>(buffer_.size()) < reach)) {
        GK_RETURN_IF_ERROR(CheckCancellation(cancellation));
        Read read;
        bool ended = false;
        read.status = input().Next(cancellation, &read.element, &ended);
        if (read.status.code() == Code::kPythonException ||
            read.status.code() == Code::kCancelled) {
          return read.status;
        }
        if (!read.status.ok()) read.site = TakeErrorSite();
        if (ended) {
          DropInput();
        } else if (skip_ > 0) {
          --skip_;
        } else {
          // An error counts as an element: of all windows it would be in.
          buffer_.push_back(std::move(read));
        }
      }
      return OkStatus();
    }

    // A dataset of each component.
    Status Wrap(const std::vector<TensorVector>& window,
                TensorVector* element) const {
      const ElementSignature& s = dataset().input().signature();
      element->clear();
      for (size_t k = 0; k < s.types.size(); ++k) {
        std::vector<TensorVector> components;
        for (const TensorVector& e : window) components.push_back({e[k]});
        GK_ASSIGN_OR_RETURN(
            Tensor t,
            Dataset::Wrap(MakeRef<ElementsDataset>(
                "WindowDataset", ElementSignature{{s.types[k]}, {s.shapes[k]}},
                std::move(components))));
        element->push_back(std::move(t));
      }
      return OkStatus();
    }

    std::deque<Read> buffer_;
    int64_t skip_ = 0;  // elements between two windows, still to be read
  };

  IteratorPtr Over(IteratorPtr input, const ContextRef&) const override {
    return std::make_unique<Iterator>(this, std::move(input));
  }

  const WindowShape shape_;
};

Status ComputeWindow(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(OneInput in, ReadOneInput(c));
  WindowShape w;
  GK_RETURN_IF_ERROR(ScalarInput(c, 1, "size", &w.size));
  GK_RETURN_IF_ERROR(ScalarInput(c, 2, "shift", &w.shift));
  GK_RETURN_IF_ERROR(ScalarInput(c, 3, "stride", &w.stride));
  GK_RETURN_IF_ERROR(ScalarInput(c, 4, "drop_remainder", &w.drop_remainder));
  if (w.size <= 0) {
    return InvalidArgument("Window size must be greater than zero.");
  }
  if (w.shift <= 0) {
    return InvalidArgument("Window shift must be greater than zero.");
  }
  if (w.stride <= 0) {
    return InvalidArgument("Window stride must be greater than zero.");
  }
  if (w.size > 1 && MultiplyWithoutOverflow(w.size, w.stride) < 0) {
    return InvalidArgument("A window of size {} and stride {} is too large",
                           w.size, w.stride);
  }
  if (w.size == 1) w.stride = 1;
  return SetDataset(c, MakeRef<WindowDataset>(std::move(in), w));
}

struct GroupFunctions {
  CapturedFunction key, reduce, size;
};

class GroupByWindowDataset final : public OneInputDataset {
 public:
  GroupByWindowDataset(OneInput in, GroupFunctions functions)
      : OneInputDataset(std::move(in)), functions_(std::move(functions)) {}

  int64_t Cardinality() const override {
    return input().Cardinality() == kInfiniteCardinality ? kInfiniteCardinality
                                                         : kUnknownCardinality;
  }

 private:
  class Iterator final : public OneInputIterator<GroupByWindowDataset> {
   public:
    Iterator(const GroupByWindowDataset* d, IteratorPtr input,
             const ContextRef& context)
        : OneInputIterator(d, std::move(input)),
          own_(context->Within(d->depth())),
          f_{d->functions_.key.In(context), d->functions_.reduce.In(context),
             d->functions_.size.In(context)} {}

    Status GetNext(const CancellationToken* cancellation, TensorVector* element,
                   bool* end) override {
      while (true) {
        GK_RETURN_IF_ERROR(CheckCancellation(cancellation));
        if (group_) {
          bool ended = false;
          GK_RETURN_IF_ERROR(group_->Next(cancellation, element, &ended));
          if (!ended) return OkStatus();
          group_.reset();
        } else if (has_input()) {
          GK_RETURN_IF_ERROR(Read(cancellation));
        } else if (!groups_.empty()) {
          // What is left, in the order of the keys.
          GK_RETURN_IF_ERROR(Begin(groups_.begin()->first, cancellation));
        } else {
          *end = true;
          return OkStatus();
        }
      }
    }

   private:
    static Status Integer(const CapturedFunction& f, TensorVector arguments,
                          std::string_view name,
                          const CancellationToken* cancellation,
                          int64_t* value) {
      TensorVector result;
      GK_RETURN_IF_ERROR(f.Run(std::move(arguments), cancellation, &result));
      if (result.size() != 1 || result[0].dtype() != DataType::kInt64 ||
          result[0].num_elements() != 1) {
        return InvalidArgument("`{}` must return a scalar int64.", name);
      }
      *value = result[0].data<int64_t>()[0];
      return OkStatus();
    }

    // Puts the next element into its group, which begins if it is full.
    Status Read(const CancellationToken* cancellation) {
      TensorVector element;
      bool ended = false;
      GK_RETURN_IF_ERROR(input().Next(cancellation, &element, &ended));
      if (ended) {
        DropInput();
        return OkStatus();
      }
      int64_t key = 0;
      GK_RETURN_IF_ERROR(
          Integer(f_.key, element, "key_func", cancellation, &key));
      auto size = sizes_.find(key);
      if (size == sizes_.end()) {
        int64_t n = 0;
        GK_RETURN_IF_ERROR(Integer(f_.size, {Tensor::Scalar(key)},
                                   "window_size_func", cancellation, &n));
        if (n <= 0) {
          return InvalidArgument(
              "Window size must be greater than zero, but got {}.", n);
        }
        size = sizes_.emplace(key, n).first;
      }
      std::vector<TensorVector>& group = groups_[key];
      group.push_back(std::move(element));
      if (static_cast<int64_t>(group.size()) < size->second) return OkStatus();
      return Begin(key, cancellation);
    }

    Status Begin(int64_t key, const CancellationToken* cancellation) {
      auto group = groups_.extract(key);
      GK_ASSIGN_OR_RETURN(Tensor handle, Dataset::Wrap(MakeRef<ElementsDataset>(
                                             "GroupByWindowDataset",
                                             dataset().input().signature(),
                                             std::move(group.mapped()))));
      TensorVector result;
      GK_RETURN_IF_ERROR(f_.reduce.Run({Tensor::Scalar(key), std::move(handle)},
                                       cancellation, &result));
      if (result.size() != 1) {
        return InvalidArgument("`reduce_func` must return a single dataset.");
      }
      GK_ASSIGN_OR_RETURN(const Ref<const Dataset> made,
                          Dataset::Of(result[0]));
      GK_RETURN_IF_ERROR(
          CheckSignature(dataset().signature(), made->signature()));
      GK_ASSIGN_OR_RETURN(group_, made->NewIterator(own_->Opened(
                                      opened_++, made->seed_sources())));
      return OkStatus();
    }

    const ContextRef own_;
    int64_t opened_ = 0;
    const GroupFunctions f_;
    std::map<int64_t, std::vector<TensorVector>> groups_;
    std::map<int64_t, int64_t> sizes_;
    IteratorPtr group_;
  };

  IteratorPtr Over(IteratorPtr input,
                   const ContextRef& context) const override {
    return std::make_unique<Iterator>(this, std::move(input), context);
  }

  const GroupFunctions functions_;
};

Status ComputeGroupByWindow(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(OneInput in, ReadOneInput(c));
  const int a = ListLength(c, "Tkey_func_other_arguments"),
            b = ListLength(c, "Treduce_func_other_arguments"),
            d = ListLength(c, "Twindow_size_func_other_arguments");
  GroupFunctions f;
  GK_RETURN_IF_ERROR(CaptureFunction(
      c, "key_func", 1, a, in.dataset->signature().types.size(), &f.key));
  GK_RETURN_IF_ERROR(CaptureFunction(c, "reduce_func", 1 + a, b, 2, &f.reduce));
  GK_RETURN_IF_ERROR(
      CaptureFunction(c, "window_size_func", 1 + a + b, d, 1, &f.size));
  return SetDataset(c,
                    MakeRef<GroupByWindowDataset>(std::move(in), std::move(f)));
}

const OpRecord kRecords[] = {
    {.name = "WindowDataset",
     .inputs = "input_dataset: variant; size: int64; shift: int64;"
               "stride: int64; drop_remainder: bool",
     .outputs = "handle: variant",
     .attrs = GK_ELEMENT_ATTRS "; metadata: string = ''",
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeWindow},
     .doc = "A dataset of datasets of `size` elements, `stride` apart; each "
            "begins `shift` behind the one before."},

    {.name = "GroupByWindowDataset",
     .inputs = "input_dataset: variant;"
               "key_func_other_arguments: Tkey_func_other_arguments;"
               "reduce_func_other_arguments: Treduce_func_other_arguments;"
               "window_size_func_other_arguments: "
               "Twindow_size_func_other_arguments",
     .outputs = "handle: variant",
     .attrs = "key_func: func; reduce_func: func; window_size_func: func; "
              "Tkey_func_other_arguments: list(type) >= 0; "
              "Treduce_func_other_arguments: list(type) >= 0; "
              "Twindow_size_func_other_arguments: list(type) "
              ">= 0; " GK_ELEMENT_ATTRS "; metadata: string = ''",
     .traits = kCallsFunction,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeGroupByWindow},
     .doc = "What `reduce_func` makes of windows of elements of one key."},
};

}  // namespace

GK_REGISTER_OPS(data_window)

}  // namespace gk
