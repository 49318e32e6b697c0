#include "ops/training/step_kernel.h"

#include <algorithm>
#include <array>
#include <complex>

#include "base/thread_pool.h"
#include "framework/op_registry.h"
#include "framework/variable_group.h"
#include "kernels/parallel.h"
#include "ops/training/step_shape.h"

namespace gk::training {
namespace {

constexpr int64_t kBlock = 1 << 14;

// A message of TensorFlow's: "var and m do not have the same shape[3] [4]".
Status OtherShape(const StepInputs& inputs, int input, const TensorShape& own,
                  const TensorShape& other) {
  return InvalidArgument("{} and {} do not have the same shape{} {}",
                         inputs.names[0], inputs.names[input],
                         own.DebugString(), other.DebugString());
}

double RealOf(const Tensor& t) {
  return t.dtype() == DataType::kDouble ? NumberOf<double>(t)
                                        : NumberOf<float>(t);
}

// Of rules whose rates are to be positive and strengths not negative.
Status CheckNumbers(const KernelContext& c, const StepInputs& inputs,
                    bool zero_rate) {
  const bool ftrl = inputs.names.back() == "lr_power";
  for (const int i : inputs.scalars) {
    const std::string_view name = inputs.names[i];
    const double x = RealOf(c.input(i));
    if (name == "lr" && !(x > 0 || (zero_rate && x >= 0))) {
      return InvalidArgument(
          "lr is not a positive scalar{}: []",
          ftrl ? " (or zero if multiply_linear_by_lr is set)" : "");
    }
    if (name == "l2_shrinkage" && !(x >= 0)) {
      return InvalidArgument(
          "l2 shrinkage regularization strength is not a non-negative scalar: "
          "[]");
    }
    if ((name == "l1" || name == "l2") && !(x >= 0)) {
      return InvalidArgument(
          "{} regularization strength is not a non-negative scalar: []", name);
    }
    if (name == "lr_power" && !(x <= 0)) {
      return InvalidArgument("lr_power is not a non-positive scalar: []");
    }
  }
  return OkStatus();
}

Status CheckRows(const KernelContext& c, const StepInputs& inputs,
                 const TensorShape& own) {
  const TensorShape& grad = c.input(inputs.grad).shape();
  const TensorShape& indices = c.input(inputs.indices).shape();
  if (own.rank() < 1) {
    return InvalidArgument("{} must be at least 1 dimensional",
                           inputs.names[0]);
  }
  if (indices.rank() != 1) {
    return InvalidArgument("indices must be one-dimensional");
  }
  if (grad.rank() != own.rank()) {
    return InvalidArgument("grad must have the same number of dimensions as {}",
                           inputs.names[0]);
  }
  for (int d = 1; d < own.rank(); ++d) {
    if (grad.dim(d) == own.dim(d)) continue;
    return InvalidArgument("{} and grad must match in dimension {}",
                           inputs.names[0], d);
  }
  if (grad.dim(0) != indices.dim(0)) {
    return InvalidArgument(
        "grad must be the same size as indices in the first dimension.");
  }
  return OkStatus();
}

StatusOr<std::vector<int64_t>> RowsOf(const Tensor& indices, int64_t limit) {
  std::vector<int64_t> rows(indices.num_elements());
  for (size_t i = 0; i < rows.size(); ++i) {
    rows[i] = indices.dtype() == DataType::kInt32 ? indices.data<int32_t>()[i]
                                                  : indices.data<int64_t>()[i];
    if (rows[i] < 0 || rows[i] >= limit) {
      return InvalidArgument("Index {} at offset {} in indices is out of range",
                             rows[i], i);
    }
  }
  return rows;
}

}  // namespace

StepInputs InputsOf(const OpRecord& record) {
  StepInputs inputs;
  std::string_view left = record.inputs;
  for (int i = 0; !left.empty(); ++i) {
    const size_t end = std::min(left.find(';'), left.size());
    std::string_view one = left.substr(0, end);
    left.remove_prefix(std::min(end + 2, left.size()));
    const size_t colon = one.find(':');
    const std::string_view name = one.substr(0, colon);
    inputs.names.push_back(name);
    if (one.substr(colon + 2) == "resource") {
      inputs.states = i + 1;
    } else if (name == "grad" || name == "delta") {
      inputs.grad = i;
    } else if (name == "indices") {
      inputs.indices = i;
    } else {
      inputs.scalars.push_back(i);
    }
  }
  return inputs;
}

Status RunStep(KernelContext& c, const StepInputs& inputs,
               const RuleFacts& rule) {
  const Tensor& grad = c.input(inputs.grad);
  const bool is_set = *rule.flag != '\0' && c.attr<bool>(rule.flag);
  const StepFunctions step = rule.find(grad.dtype(), is_set);
  if (step.loop == nullptr) return c.NoKernel();
  for (const int i : inputs.scalars) {
    if (c.input(i).rank() == 0) continue;
    return InvalidArgument("{} is not a scalar: {}", inputs.names[i],
                           c.input(i).shape().DebugString());
  }
  if (rule.positive || (rule.positive_of_rows && inputs.indices >= 0)) {
    GK_RETURN_IF_ERROR(CheckNumbers(c, inputs, is_set));
  }
  std::array<VariableResource*, kMostStates> variables{};
  for (int k = 0; k < inputs.states; ++k) {
    GK_ASSIGN_OR_RETURN(variables[k], VariableOf(c.input(k)));
    if (variables[k]->dtype() == grad.dtype()) continue;
    return InvalidArgument(
        "Trying to read variable with wrong dtype. Expected {} got {}",
        DataTypeString(variables[k]->dtype()), DataTypeString(grad.dtype()));
  }
  std::array<std::complex<double>, kMostScalars> scalars{};
  step.prepare(c, inputs, scalars.data());
  const auto update = [&](std::span<Tensor> values) -> Status {
    const TensorShape& own = values[0].shape();
    for (int k = 1; k < inputs.states; ++k) {
      if (values[k].shape() == own) continue;
      return OtherShape(inputs, k, own, values[k].shape());
    }
    std::array<char*, kMostStates> states{};
    for (int k = 0; k < inputs.states; ++k) {
      states[k] = static_cast<char*>(values[k].raw_data());
    }
    const auto* gradients = static_cast<const char*>(grad.raw_data());
    const auto size = static_cast<int64_t>(DataTypeSize(grad.dtype()));
    const auto run = [&](int64_t to, int64_t from, int64_t n) {
      std::array<void*, kMostStates> at{};
      for (int k = 0; k < inputs.states; ++k) at[k] = states[k] + to * size;
      step.loop(at.data(), gradients + from * size, scalars.data(), n);
    };
    if (inputs.indices >= 0) {
      GK_RETURN_IF_ERROR(CheckRows(c, inputs, own));
      GK_ASSIGN_OR_RETURN(const std::vector<int64_t> rows,
                          RowsOf(c.input(inputs.indices), own.dim(0)));
      int64_t length = 1;
      for (int d = 1; d < own.rank(); ++d) length *= own.dim(d);
      // One after another: a row may be there twice.
      for (size_t i = 0; i < rows.size(); ++i) {
        run(rows[i] * length, static_cast<int64_t>(i) * length, length);
      }
      return OkStatus();
    }
    if (grad.shape() != own) {
      return OtherShape(inputs, inputs.grad, own, grad.shape());
    }
    const int64_t n = grad.num_elements();
    Parallel(&ThreadPool::Global())
        .For((n + kBlock - 1) / kBlock, [&](int64_t b) {
          run(b * kBlock, b * kBlock, std::min(kBlock, n - b * kBlock));
        });
    return OkStatus();
  };
  return UpdateTogether({variables.data(), static_cast<size_t>(inputs.states)},
                        update);
}

Status StepShape(InferenceContext& c) {
  const StepInputs inputs = InputsOf(c.record());
  PartialTensorShape own;
  for (const int i : inputs.scalars) {
    PartialTensorShape scalar;
    GK_RETURN_IF_ERROR(c.WithRank(i, 0, &scalar));
  }
  for (int k = 0; k < inputs.states; ++k) {
    const HandleData* h = c.input_handle(k);
    if (!h || h->empty()) continue;
    if ((*h)[0].dtype != c.input_type(inputs.grad)) {
      return InvalidArgument(
          "Trying to read variable with wrong dtype. Expected {} got {}",
          DataTypeString((*h)[0].dtype),
          DataTypeString(c.input_type(inputs.grad)));
    }
    if (!own.IsCompatibleWith((*h)[0].shape)) {
      return InvalidArgument("Shapes must be equal: {} {}, {} {}",
                             inputs.names[0], own.DebugString(),
                             inputs.names[k], (*h)[0].shape.DebugString());
    }
    if (k == 0) own = (*h)[0].shape;
  }
  if (inputs.indices < 0 && !own.IsCompatibleWith(c.input(inputs.grad))) {
    return InvalidArgument("Shapes must be equal: {} {}, {} {}",
                           inputs.names[0], own.DebugString(),
                           inputs.names[inputs.grad],
                           c.input(inputs.grad).DebugString());
  }
  if (inputs.indices >= 0) {
    PartialTensorShape indices;
    GK_RETURN_IF_ERROR(c.WithRank(inputs.indices, 1, &indices));
  }
  return OkStatus();
}

}  // namespace gk::training
