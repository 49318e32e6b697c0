#include "api/trace_words.h"

#include <bit>
#include <cstring>

#include "graphkiln/trace_structure.h"

namespace gk::api::detail {
namespace {

class WordReader {
 public:
  explicit WordReader(std::span<const uint64_t> words) : words_(words) {}
  uint64_t Next() { return words_[at_++]; }

  TraceTypeRef Part() {
    const uint64_t word = Next();
    switch (static_cast<WordTag>(word & 0xff)) {
      case kTensorWord:
        return TraceType::Tensor(Type(word), TakeShape(word));
      case kVariableWord: {
        const PartialTensorShape shape = TakeShape(word);
        return TraceType::Variable(Type(word), shape, (word >> 32) & 1,
                                   static_cast<int>(word >> 33));
      }
      case kLiteralWord:
        return TakeLiteral(static_cast<char>(word >> 8 & 0xff), word >> 16);
      case kTupleWord:
        return TraceType::Sequence(TraceType::Kind::kTuple, Parts(word >> 8));
      case kListWord:
        return TraceType::Sequence(TraceType::Kind::kList, Parts(word >> 8));
      case kMapWord:
        return Map(word >> 8);
      case kStructureWord:
        return Structure(word >> 8);
    }
    throw Error(Internal("a call has an unknown word"));
  }
  std::vector<TraceTypeRef> Parts(uint64_t n) {
    std::vector<TraceTypeRef> parts;
    for (uint64_t i = 0; i < n; ++i) parts.push_back(Part());
    return parts;
  }

 private:
  static DataType Type(uint64_t word) {
    return static_cast<DataType>(word >> 8 & 0xff);
  }
  TraceTypeRef Map(uint64_t n) {
    std::vector<std::string> keys, texts;
    std::vector<TraceTypeRef> parts;
    for (uint64_t i = 0; i < n; ++i) {
      const TraceTypeRef key = Part();
      keys.push_back(key->key());
      texts.push_back(key->name());
      parts.push_back(Part());
    }
    return TraceType::Dict(std::move(keys), std::move(texts), 0,
                           std::move(parts), nullptr);
  }
  TraceTypeRef Structure(uint64_t n) {
    const uint64_t address = Next();
    const auto& facts = *reinterpret_cast<const StructureFacts*>(address);
    return TraceType::Record(TraceType::Kind::kAttrs, facts.name, address,
                             facts.fields, Parts(n), nullptr);
  }
  PartialTensorShape TakeShape(uint64_t word) {
    const int rank = static_cast<int>(word >> 16 & 0xffff) - 1;
    if (rank < 0) return PartialTensorShape();
    std::vector<int64_t> dims(rank);
    for (int64_t& d : dims) d = static_cast<int64_t>(Next());
    return PartialTensorShape(std::span<const int64_t>(dims));
  }
  TraceTypeRef TakeLiteral(char kind, size_t size) {
    std::string bytes(size, '\0');
    if (size > 0) std::memcpy(bytes.data(), &words_[at_], size);
    at_ += (size + 7) / 8;
    std::string text;
    if (kind == 's') {
      text = "'" + bytes + "'";
    } else if (kind == 'b') {
      text = bytes[0] ? "True" : "False";
    } else {
      uint64_t bits = 0;
      std::memcpy(&bits, bytes.data(), sizeof bits);
      if (kind == 'f' || kind == 'd') {
        text = Format("{}", std::bit_cast<double>(bits));
      } else if (kind == 'u') {
        text = Format("{}", bits);
      } else {
        text = Format("{}", static_cast<int64_t>(bits));
      }
    }
    return TraceType::Literal(kind + bytes, std::move(text), nullptr);
  }

  std::span<const uint64_t> words_;
  size_t at_ = 0;
};

TraceTypeRef PartWithTensors(const TraceTypeRef& type,
                             std::span<const TraceTypeRef>* tensors) {
  if (type->kind() == TraceType::Kind::kTensor) {
    if (tensors->empty()) return nullptr;
    TraceTypeRef first = tensors->front();
    *tensors = tensors->subspan(1);
    return first;
  }
  if (!type->is_container()) return type;
  std::vector<TraceTypeRef> parts;
  for (const TraceTypeRef& child : type->children()) {
    parts.push_back(PartWithTensors(child, tensors));
    if (!parts.back()) return nullptr;
  }
  switch (type->kind()) {
    case TraceType::Kind::kDict:
      return TraceType::Dict(type->keys(), type->key_texts(), type->identity(),
                             std::move(parts), type->value());
    case TraceType::Kind::kAttrs:
      return TraceType::Record(type->kind(), type->name(), type->identity(),
                               type->keys(), std::move(parts), type->value());
    default:
      return TraceType::Sequence(type->kind(), std::move(parts));
  }
}

}  // namespace

Ref<FunctionType> WithTensors(const FunctionType& type,
                              std::span<const TraceTypeRef> tensors) {
  std::vector<FunctionParameter> parameters = type.parameters();
  for (FunctionParameter& p : parameters) {
    p.type = PartWithTensors(p.type, &tensors);
    if (!p.type) return nullptr;
  }
  if (!tensors.empty()) return nullptr;
  return MakeRef<FunctionType>(std::move(parameters),
                               std::vector<FunctionType::Capture>(), nullptr,
                               type.host_signature());
}

Ref<FunctionType> TypeOfWords(std::span<const uint64_t> words,
                              const std::vector<std::string>& names) {
  WordReader reader(words);
  const uint64_t signature = reader.Next();
  const uint64_t n = reader.Next() >> 8;
  std::vector<FunctionParameter> parameters;
  for (uint64_t i = 0; i < n; ++i) {
    FunctionParameter p;
    p.name =
        i < names.size() && !names[i].empty() ? names[i] : Format("args_{}", i);
    p.kind = ParameterKind::kPositionalOnly;
    p.type = reader.Part();
    parameters.push_back(std::move(p));
  }
  return MakeRef<FunctionType>(std::move(parameters),
                               std::vector<FunctionType::Capture>(), nullptr,
                               signature);
}

}  // namespace gk::api::detail
