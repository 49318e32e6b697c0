// Elements of one key reduced to one.
#include <map>
#include <utility>

#include "framework/op_registry.h"
#include "ops/data/dataset_kernel.h"

namespace gk {
namespace {

struct ReducerFunctions {
  CapturedFunction key, init, reduce, finalize;
};

class GroupByReducerDataset final : public OneInputDataset {
 public:
  GroupByReducerDataset(OneInput in, ReducerFunctions functions)
      : OneInputDataset(std::move(in)), functions_(std::move(functions)) {}

  int64_t Cardinality() const override {
    return input().Cardinality() == kInfiniteCardinality ? kInfiniteCardinality
                                                         : kUnknownCardinality;
  }

 private:
  class Iterator final : public OneInputIterator<GroupByReducerDataset> {
   public:
    Iterator(const GroupByReducerDataset* d, IteratorPtr input,
             const ContextRef& context)
        : OneInputIterator(d, std::move(input)),
          f_{d->functions_.key.In(context), d->functions_.init.In(context),
             d->functions_.reduce.In(context),
             d->functions_.finalize.In(context)} {}

    Status GetNext(const CancellationToken* cancellation, TensorVector* element,
                   bool* end) override {
      while (has_input()) {
        GK_RETURN_IF_ERROR(CheckCancellation(cancellation));
        GK_RETURN_IF_ERROR(Read(cancellation));
      }
      if (states_.empty()) {
        *end = true;
        return OkStatus();
      }
      // In the order of the keys.
      TensorVector state = std::move(states_.begin()->second);
      states_.erase(states_.begin());
      element->clear();
      GK_RETURN_IF_ERROR(
          f_.finalize.Run(std::move(state), cancellation, element));
      return CheckElement(dataset().signature(), *element);
    }

   private:
    Status Read(const CancellationToken* cancellation) {
      TensorVector element, key;
      bool ended = false;
      GK_RETURN_IF_ERROR(input().Next(cancellation, &element, &ended));
      if (ended) {
        DropInput();
        return OkStatus();
      }
      GK_RETURN_IF_ERROR(f_.key.Run(element, cancellation, &key));
      if (key.size() != 1 || key[0].dtype() != DataType::kInt64 ||
          key[0].num_elements() != 1) {
        return InvalidArgument("`key_func` must return a scalar int64.");
      }
      const auto number = key[0].data<int64_t>()[0];
      auto state = states_.find(number);
      if (state == states_.end()) {
        TensorVector first;
        GK_RETURN_IF_ERROR(
            f_.init.Run({Tensor::Scalar(number)}, cancellation, &first));
        state = states_.emplace(number, std::move(first)).first;
      }
      // The state stays as it was if the function fails.
      TensorVector arguments = state->second, next;
      arguments.insert(arguments.end(), element.begin(), element.end());
      GK_RETURN_IF_ERROR(
          f_.reduce.Run(std::move(arguments), cancellation, &next));
      state->second = std::move(next);
      return OkStatus();
    }

    const ReducerFunctions f_;
    std::map<int64_t, TensorVector> states_;
  };

  IteratorPtr Over(IteratorPtr input,
                   const ContextRef& context) const override {
    return std::make_unique<Iterator>(this, std::move(input), context);
  }

  const ReducerFunctions functions_;
};

Status ComputeGroupByReducer(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(OneInput in, ReadOneInput(c));
  ReducerFunctions f;
  int first = 1;
  const auto capture = [&](const std::string& name, size_t arguments,
                           CapturedFunction* function) {
    const int n = ListLength(c, "T" + name + "_other_arguments");
    first += n;
    return CaptureFunction(c, name, first - n, n, arguments, function);
  };
  const size_t elements = in.dataset->signature().types.size();
  GK_RETURN_IF_ERROR(capture("key_func", elements, &f.key));
  GK_RETURN_IF_ERROR(capture("init_func", 1, &f.init));
  const auto& state = f.init.definition().output_types();
  GK_RETURN_IF_ERROR(
      capture("reduce_func", state.size() + elements, &f.reduce));
  GK_RETURN_IF_ERROR(capture("finalize_func", state.size(), &f.finalize));
  if (f.reduce.definition().output_types() != state) {
    return InvalidArgument(
        "`reduce_func` must return a state of the types that `init_func` "
        "returns.");
  }
  return SetDataset(
      c, MakeRef<GroupByReducerDataset>(std::move(in), std::move(f)));
}

#define GK_REDUCER_INPUTS                                      \
  "input_dataset: variant;"                                    \
  "key_func_other_arguments: Tkey_func_other_arguments;"       \
  "init_func_other_arguments: Tinit_func_other_arguments;"     \
  "reduce_func_other_arguments: Treduce_func_other_arguments;" \
  "finalize_func_other_arguments: Tfinalize_func_other_arguments"
#define GK_REDUCER_ATTRS                                 \
  "key_func: func; init_func: func; reduce_func: func; " \
  "finalize_func: func; "                                \
  "Tkey_func_other_arguments: list(type) >= 0; "         \
  "Tinit_func_other_arguments: list(type) >= 0; "        \
  "Treduce_func_other_arguments: list(type) >= 0; "      \
  "Tfinalize_func_other_arguments: list(type) >= 0; " GK_ELEMENT_ATTRS

const OpRecord kRecords[] = {
    {.name = "GroupByReducerDataset",
     .inputs = GK_REDUCER_INPUTS,
     .outputs = "handle: variant",
     .attrs = GK_REDUCER_ATTRS,
     .traits = kCallsFunction | kStateful,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeGroupByReducer},
     .doc = "What `reduce_func` makes of all elements of one key, by keys."},

    {.name = "ExperimentalGroupByReducerDataset",
     .inputs = GK_REDUCER_INPUTS,
     .outputs = "handle: variant",
     .attrs = GK_REDUCER_ATTRS,
     .traits = kCallsFunction | kStateful,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeGroupByReducer},
     .doc = "GroupByReducerDataset, as TensorFlow's graphs have it."},
};

}  // namespace

GK_REGISTER_OPS(data_group_reducer)

}  // namespace gk
