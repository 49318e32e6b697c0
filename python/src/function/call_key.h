// CallKey: the arguments of a call flattened into words, and their tensors.
//
// Equal words mean that the same trace serves the call: dtypes and shapes of
// tensors, values and types of literals, classes and sizes of containers,
// identity of dict keys and of opaque objects (which a KnownCall holds or
// watches, so that no other object can have that address).
#ifndef GK_PYTHON_CALL_KEY_H_
#define GK_PYTHON_CALL_KEY_H_

#include <cstdint>
#include <span>

#include "framework/tensor.h"
#include "function/trace_cache.h"
#include "python/src/binding/py_ref.h"

namespace gk::py {

class CallKey {
 public:
  // `captured`: variables that the function captures.
  explicit CallKey(const CapturedVariables* captured) : captured_(captured) {}
  ~CallKey();
  CallKey(const CallKey&) = delete;

  // Adds the arguments of a vectorcall. False if some argument has no words;
  // an exception may be set.
  bool Add(PyObject* const* args, size_t n, PyObject* kwnames);

  std::span<const uint64_t> words() const { return {words_, num_words_}; }
  // Tensors, handles of variables and converted arrays, in the order met;
  // borrowed from the arguments, arrays owned by the key.
  std::span<const Tensor> tensors() const {
    return {reinterpret_cast<const Tensor*>(tensors_), num_tensors_};
  }

 private:
  friend class PyKnownCall;
  // The low byte of the first word of a value.
  enum Tag : uint64_t {
    kTensorTag = 1,
    kSymbolicTag,
    kVariableTag,
    kConstantTag,  // None, True, False, Ellipsis
    kIntTag,
    kFloatTag,
    kStrTag,
    kBytesTag,
    kListTag,
    kTupleTag,
    kRecordTag,
    kDictTag,
    kObjectTag,
    kArgumentsTag,
  };
  static constexpr size_t kInlineWords = 256, kInlineTensors = 64;

  bool AddValue(PyObject* o, int depth);
  bool AddObject(PyObject* o);
  // Every cached call passes here, once for each argument and more: none of
  // these is called where it is not rare.
  [[gnu::always_inline]] void Word(uint64_t w) {
    if (num_words_ == word_capacity_) [[unlikely]]
      GrowWords();
    words_[num_words_++] = w;
  }
  void Identity(PyObject* o) { Word(reinterpret_cast<uint64_t>(o)); }
  bool AddBytes(uint64_t tag, const char* data, size_t n);
  [[gnu::always_inline]] void AddTensor(TensorImpl* impl) {
    PushTensor(impl);
    if (impl->is_symbolic()) [[unlikely]]
      return AddSymbolicType(impl);
    AddType(impl->dtype(), impl->shape().dims());
  }
  [[gnu::always_inline]] void AddType(DataType dtype,
                                      std::span<const int64_t> dims) {
    Word(kTensorTag | static_cast<uint64_t>(dtype) << 8 |
         static_cast<uint64_t>(dims.size()) << 16);
    for (int64_t d : dims) Word(d);
  }
  [[gnu::always_inline]] void PushTensor(TensorImpl* impl) {
    if (num_tensors_ == tensor_capacity_) [[unlikely]]
      GrowTensors();
    tensors_[num_tensors_++] = impl;
  }
  void AddSymbolicType(TensorImpl* impl);
  void GrowWords();
  void GrowTensors();

  const CapturedVariables* captured_;
  size_t num_words_ = 0, word_capacity_ = kInlineWords;
  size_t num_tensors_ = 0, tensor_capacity_ = kInlineTensors;
  uint64_t* words_ = inline_words_;
  TensorImpl** tensors_ = inline_tensors_;
  // Only collected when a call is to be remembered.
  std::vector<PyObject*>* held_ = nullptr;     // strongly
  std::vector<PyObject*>* watched_ = nullptr;  // weakly
  std::vector<PyObject*> variables_;
  TensorVector converted_;
  uint64_t inline_words_[kInlineWords];
  TensorImpl* inline_tensors_[kInlineTensors];
};

// A call and the objects whose identity is in its words.
class PyKnownCall final : public KnownCall {
 public:
  // `order[i]`: which of the key's tensors is input i. Null with an exception
  // set on failure.
  static Ref<KnownCall> Make(const CapturedVariables& captured,
                             PyObject* const* args, size_t n,
                             PyObject* kwnames, Ref<Trace> trace,
                             std::vector<int> order);
  PyKnownCall(std::vector<uint64_t> words, Ref<Trace> trace,
              std::vector<int> order);
  ~PyKnownCall() override;

  bool IsCurrent() const override;
  // Empty if the tensors are in order.
  const std::vector<int>& order() const { return order_; }

 private:
  std::vector<int> order_;
  std::vector<PyObject*> held_;
  std::vector<std::pair<PyObject*, PyObject*>> watched_;  // weakref, address
};

}  // namespace gk::py

#endif  // GK_PYTHON_CALL_KEY_H_
