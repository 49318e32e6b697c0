// What of a model can be called: tensors by name go in and come out.
#ifndef GK_COMMAND_LINE_CALLABLE_H_
#define GK_COMMAND_LINE_CALLABLE_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "function/concrete_function.h"

namespace gk::command {

// The one that is called if none is asked for.
inline constexpr char kDefaultSignature[] = "serving_default";

struct Callable {
  struct Input {
    std::string name;
    DataType dtype = DataType::kInvalid;
    PartialTensorShape shape;
    Tensor fallback;  // null: it must be given
  };

  std::string model;  // the path of what it is of
  std::string name;
  std::vector<Input> inputs;         // as the function takes them
  std::vector<std::string> outputs;  // as it gives them
  Ref<ConcreteFunction> function;
  std::shared_ptr<void> keep;  // what it is of
};

// "x": float32 (None, 4).
std::string InputText(const Callable::Input& input);

}  // namespace gk::command

#endif  // GK_COMMAND_LINE_CALLABLE_H_
