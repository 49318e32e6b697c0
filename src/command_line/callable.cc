#include "command_line/callable.h"

#include "command_line/console.h"

namespace gk::command {

std::string InputText(const Callable::Input& input) {
  return Format("{}: {} {}", Shown(input.name), DataTypeName(input.dtype),
                input.shape.PythonString());
}

}  // namespace gk::command
