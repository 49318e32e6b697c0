// How trace types print.
#include "function/trace_type.h"

namespace gk {

std::string TensorSpecText(DataType dtype, const PartialTensorShape& shape,
                           std::string_view name) {
  return Format("TensorSpec(shape={}, dtype=tf.{}, name={})",
                shape.PythonString(), DataTypeName(dtype),
                name.empty() ? "None" : Format("'{}'", name));
}

namespace {

std::string Joined(const std::vector<TraceTypeRef>& children) {
  std::string text;
  for (const TraceTypeRef& c : children) {
    if (!text.empty()) text += ", ";
    text += c->Text();
  }
  return text;
}

std::string Pairs(const TraceType& t) {
  std::string text;
  for (size_t i = 0; i < t.children().size(); ++i) {
    if (!text.empty()) text += ", ";
    text += t.kind() == TraceType::Kind::kDict ? "[" + t.key_texts()[i]
                                               : "['" + t.keys()[i] + "'";
    text += ", " + t.children()[i]->Text() + "]";
  }
  return text;
}

}  // namespace

std::string TraceType::Text() const {
  switch (kind_) {
    case Kind::kTensor:
      return TensorSpecText(dtype_, shape_, name_);
    case Kind::kVariable:
      return Format(
          "VariableSpec(shape={}, dtype=tf.{}, trainable={}, alias_id={})",
          shape_.PythonString(), DataTypeName(dtype_),
          trainable_ ? "True" : "False", alias_);
    case Kind::kLiteral:
      return "Literal[" + name_ + "]";
    case Kind::kObject:
    case Kind::kCustom:
      return value_->Text();
    case Kind::kList:
      return "List[" + Joined(children_) + "]";
    case Kind::kTuple:
      return "Tuple[" + Joined(children_) + "]";
    case Kind::kDict:
      return "Dict[" + Pairs(*this) + "]";
    case Kind::kNamedTuple:
    case Kind::kAttrs:
      return name_ + "[" + Pairs(*this) + "]";
    case Kind::kComposite:
      return Format("CustomNestTraceType [metadata={}, components=({}{})]",
                    value_->Text(), Joined(children_),
                    children_.size() == 1 ? "," : "");
  }
  return {};
}

}  // namespace gk
