// Calls of one op that eager code made before: what their attributes' Python
// values were turned into.
//
// A repeated call with tensors of the same dtypes and with equal attributes of
// plain Python types costs some comparisons in place of the conversions and
// checks. Attributes are compared by type and value, lists item by item, as
// they are at each call: a list that was changed since is another one. What is
// not of a plain type is never remembered. Used with the GIL held.
#ifndef GK_PYTHON_KNOWN_CALLS_H_
#define GK_PYTHON_KNOWN_CALLS_H_

#include <span>
#include <vector>

#include "eager/eager_context.h"
#include "python/src/binding/py_ref.h"

namespace gk::py {

class KnownCalls {
 public:
  // The call, its tensors added to `inputs`; null: it is not known. The first
  // `num_inputs` of `arguments` are the op's inputs, the rest attributes.
  CheckedCall* Find(std::span<PyObject* const> arguments, size_t num_inputs,
                    TensorVector* inputs);
  // Of arguments that were converted to these.
  void Remember(const OpRecord& record, const OpDef& def,
                std::span<PyObject* const> arguments,
                std::span<const Tensor> inputs, const AttrMap& attrs);

 private:
  static constexpr size_t kMost = 4;
  struct Attr {
    PyRef value;  // null: not given; of a list or tuple: a tuple of its items
    bool is_list = false;
  };
  struct Entry {
    Ref<CheckedCall> call;
    std::vector<int> lengths;  // of each input; -1: one tensor
    std::vector<Attr> attrs;
  };
  static bool Matches(const Entry& entry, std::span<PyObject* const> arguments,
                      size_t num_inputs);

  std::vector<Entry> entries_;
  size_t next_ = 0;  // to be replaced
  int futile_ = 0;   // entries replaced, less calls found
};

// Internal unless `call` on `inputs` is what these converted arguments ask for:
// where runs are checked, each known call is converted all the same.
Status CheckSameCall(const CheckedCall& call, std::span<const Tensor> inputs,
                     std::span<const Tensor> converted, AttrMap attrs);

}  // namespace gk::py

#endif  // GK_PYTHON_KNOWN_CALLS_H_
