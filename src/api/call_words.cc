// Calls in words: see trace_words.h for what they mean.
#include <cstring>

#include "api/inner.h"
#include "api/trace_words.h"
#include "function/tensor_array.h"
#include "graphkiln/call_structure.h"

namespace gk::api::detail {
namespace {

void AddTensorWords(WordTag tag, InnerType dtype,
                    const PartialTensorShape& shape, uint64_t extra,
                    std::vector<uint64_t>* words) {
  words->push_back(uint64_t{tag} | uint64_t(dtype) << 8 |
                   uint64_t(shape.rank() + 1) << 16 | extra << 32);
  for (int64_t d : shape.dims()) words->push_back(static_cast<uint64_t>(d));
}

}  // namespace

void CallWords::Add(const Tensor& t) {
  Guarded([&] {
    const InnerTensor inner = Inner(t);
    if (inner.dtype() == InnerType::kResource) {
      throw ::gk::Error(TypeError("the handle of a variable was given to a "
                                  "function: give the variable"));
    }
    AddTensorWords(kTensorWord, inner.dtype(), inner.partial_shape(), 0,
                   &words_);
    inputs_.push_back(t);
  });
}

void CallWords::Add(const Variable& v) {
  Guarded([&] {
    size_t alias = 0;
    while (alias < variables_.size() &&
           variables_[alias].handle().impl() != v.handle().impl()) {
      ++alias;
    }
    if (alias == variables_.size()) {
      variables_.push_back(v);
      inputs_.push_back(v.handle());
    }
    if (alias > 0x7fffffff) {
      throw ::gk::Error(InvalidArgument("too many variables in one call"));
    }
    AddTensorWords(kVariableWord, Inner(v.dtype()), Inner(v.shape()),
                   uint64_t{v.trainable()} | alias << 1, &words_);
  });
}

void CallWords::Add(const TensorSpec& spec) {
  Guarded([&] {
    AddTensorWords(kTensorWord, Inner(spec.dtype), Inner(spec.shape), 0,
                   &words_);
    spec_names_.push_back(spec.name);
  });
}

void CallWords::BeginArray(const TensorArraySpec& spec) {
  static const StructureFacts facts = MakeStructureFacts(
      "TensorArray", "dtype, dynamic_size, infer_shape, element_shape, flow",
      5);
  const std::string shape = spec.element_shape.to_string();
  BeginStructure(facts);
  AddTo(*this, spec.dtype);
  AddTo(*this, spec.dynamic_size);
  AddTo(*this, spec.infer_shape);
  AddTo(*this, shape);
}

void CallWords::Add(const TensorArray& array) {
  Guarded([&] {
    const TensorArrayFacts& known = array.impl()->facts();
    BeginArray({array.element_shape(), Outer(known.dtype), known.dynamic_size,
                known.infer_shape});
    Add(array.flow());
  });
}

void CallWords::Add(const TensorArraySpec& spec) {
  BeginArray(spec);
  Add(TensorSpec{.shape = {}, .dtype = DataType::kVariant});
}

void CallWords::AddLiteral(char kind, const void* bytes, size_t size) {
  words_.push_back(uint64_t{kLiteralWord} | uint64_t(kind) << 8 |
                   uint64_t{size} << 16);
  const size_t at = words_.size();
  words_.resize(at + (size + 7) / 8);
  if (size > 0) std::memcpy(&words_[at], bytes, size);
}

void CallWords::BeginTuple(size_t n) {
  words_.push_back(uint64_t{kTupleWord} | uint64_t{n} << 8);
}
void CallWords::BeginList(size_t n) {
  words_.push_back(uint64_t{kListWord} | uint64_t{n} << 8);
}

void CallWords::BeginMap(size_t n) {
  words_.push_back(uint64_t{kMapWord} | uint64_t{n} << 8);
}
void CallWords::BeginStructure(const StructureFacts& facts) {
  words_.push_back(uint64_t{kStructureWord} |
                   uint64_t{facts.fields.size()} << 8);
  words_.push_back(reinterpret_cast<uintptr_t>(&facts));
}

}  // namespace gk::api::detail
