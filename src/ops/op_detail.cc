#include "ops/op_detail.h"

#include "base/format.h"

namespace gk {
namespace {

std::string ListText(const std::vector<DataType>& types,
                     const std::vector<TensorShape>& shapes) {
  std::string text;
  for (size_t i = 0; i < types.size(); ++i) {
    if (i > 0) text += ", ";
    text += DataTypeName(types[i]);
    text += shapes[i].DebugString();
  }
  return text;
}

double BytesOf(const std::vector<DataType>& types,
               const std::vector<TensorShape>& shapes) {
  double bytes = 0;
  for (size_t i = 0; i < types.size(); ++i) {
    if (types[i] == DataType::kInvalid) continue;
    bytes += static_cast<double>(shapes[i].num_elements()) *
             static_cast<double>(DataTypeSize(types[i]));
  }
  return bytes;
}

}  // namespace

std::string OpDetail::ShapesText() const {
  const std::string out = ListText(output_types, outputs);
  return Format("({}) -> {}", ListText(input_types, inputs),
                output_types.size() == 1 ? out : "(" + out + ")");
}

double OpDetail::Bytes() const {
  return BytesOf(input_types, inputs) + MadeBytes();
}

double OpDetail::MadeBytes() const { return BytesOf(output_types, outputs); }

}  // namespace gk
