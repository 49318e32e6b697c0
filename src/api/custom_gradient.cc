#include "graphkiln/custom_gradient.h"

#include <utility>

#include "api/inner.h"
#include "api/variable_facts.h"
#include "framework/grad_context.h"
#include "function/custom_gradient.h"
#include "function/function_gradient.h"

namespace gk::api {
namespace {

std::vector<Tensor> OuterDense(std::span<const Gradient> gradients) {
  std::vector<Tensor> out;
  for (const Gradient& g : gradients) {
    out.push_back(g.is_none()     ? Tensor()
                  : g.is_slices() ? Outer(Densify(g))
                                  : Outer(g.dense));
  }
  return out;
}

// What the program's function gives for the arguments and then the variables.
std::vector<Gradient> GradientsBy(const OwnGradient& made,
                                  const std::vector<Tensor>& upstream,
                                  const TensorVector& handles) {
  std::vector<Gradient> found;
  const auto add = [&](const std::vector<Tensor>& gradients) {
    for (const Tensor& t : gradients)
      found.push_back({.dense = InnerOrNull(t)});
  };
  if (!made.gradient_with_variables) {
    if (!handles.empty()) {
      throw ::gk::Error(TypeError(
          "A function under gk::custom_gradient reads {} trainable variables, "
          "whose gradients it does not give: give "
          "OwnGradient::gradient_with_variables, or read them outside and pass "
          "them as arguments",
          handles.size()));
    }
    add(made.gradient(upstream));
    return found;
  }
  std::vector<Variable> variables;
  for (const ::gk::Tensor& handle : handles) {
    variables.push_back(VariableOfHandle(handle));
  }
  const OwnGradients both = made.gradient_with_variables(upstream, variables);
  if (both.variables.size() != variables.size()) {
    throw ::gk::Error(ValueError(
        "A function under gk::custom_gradient must give a gradient for each of "
        "the {} variables that it reads: got {}",
        variables.size(), both.variables.size()));
  }
  add(both.arguments);
  add(both.variables);
  return found;
}

using InnerFunction = std::function<::gk::OwnGradient(const TensorVector&)>;

TensorFunction Made(InnerFunction function, bool forget) {
  return [function = std::move(function),
          forget](const std::vector<Tensor>& arguments) {
    return Guarded([&] {
      return Outer(CallWithOwnGradient(Inner(arguments), function, forget));
    });
  };
}

}  // namespace

TensorFunction custom_gradient(
    std::function<OwnGradient(const std::vector<Tensor>&)> f) {
  return Made(
      [f = std::move(f)](const TensorVector& inputs) {
        OwnGradient made = f(Outer(inputs));
        TensorVector results = Inner(made.results);
        return ::gk::OwnGradient{
            std::move(results),
            [made = std::move(made)](std::span<const Gradient> upstream,
                                     const TensorVector& variables) {
              return GradientsBy(made, OuterDense(upstream), variables);
            }};
      },
      /*forget=*/false);
}

TensorFunction recompute_grad(TensorFunction f) {
  const auto run = [f = std::move(f)](const TensorVector& inputs) {
    return Inner(f(Outer(inputs)));
  };
  return Made(
      [run](const TensorVector& inputs) {
        return ::gk::OwnGradient{
            run(inputs), [run, inputs](std::span<const Gradient> upstream,
                                       const TensorVector& variables) {
              return GradientsOfRerun(run, inputs, variables, upstream);
            }};
      },
      /*forget=*/true);
}

TensorFunction grad_pass_through(TensorFunction f) {
  return Made(
      [f = std::move(f)](const TensorVector& inputs) {
        return ::gk::OwnGradient{
            Inner(f(Outer(inputs))), [](std::span<const Gradient> upstream,
                                        const TensorVector& variables) {
              std::vector<Gradient> passed(upstream.begin(), upstream.end());
              passed.resize(passed.size() + variables.size());
              return passed;
            }};
      },
      /*forget=*/false);
}

void RegisterGradient(const std::string& op_type, OperationGradient f) {
  Guarded([&] {
    ThrowIfError(
        ::gk::RegisterGradient(op_type, [f = std::move(f)](GradContext& c) {
          std::vector<Tensor> upstream;
          for (int i = 0; i < c.num_outputs(); ++i) {
            upstream.push_back(Outer(c.dy(i)));
          }
          std::vector<Gradient> found;
          for (const Tensor& t : f(Operation(Outer(c.y(0))), upstream)) {
            found.push_back({.dense = InnerOrNull(t)});
          }
          SetRegistered(std::move(found), &c);
        }));
  });
}

void no_gradient(const std::string& op_type) {
  Guarded([&] { ThrowIfError(DeclareNoGradient(op_type)); });
}

}  // namespace gk::api
