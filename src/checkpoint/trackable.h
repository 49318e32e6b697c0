// Trackable: what a checkpoint asks of an object of the program. Each face
// describes its objects so; variables are described here for both.
#ifndef GK_CHECKPOINT_TRACKABLE_H_
#define GK_CHECKPOINT_TRACKABLE_H_

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "framework/tensor.h"
#include "framework/variable.h"

namespace gk {

class Restoration;

// The tensor that tells which objects a checkpoint is of.
inline constexpr char kObjectGraphKey[] = "_CHECKPOINTABLE_OBJECT_GRAPH";

inline constexpr char kVariableValue[] = "VARIABLE_VALUE";

// Descriptions are made anew as objects are met; those of one object have one
// identity. Methods throw Error; called by one thread at a time.
class Trackable {
 public:
  virtual ~Trackable() = default;
  virtual const void* identity() const = 0;
  // For messages.
  virtual std::string Text() const = 0;

  struct Child {
    std::string name;
    std::shared_ptr<Trackable> object;
  };
  virtual std::vector<Child> Children() { return {}; }

  // A value that is saved. Where it is of several tensors, each has a suffix of
  // the value's key.
  struct Value {
    std::string name;
    std::string full_name;  // of variables: what they are called
    std::vector<std::string> suffixes = {""};
    // Of what can take no other; of what can, invalid.
    DataType dtype = DataType::kInvalid;
  };
  virtual std::vector<Value> Values() { return {}; }
  // The tensors of all values, in their order.
  virtual TensorVector Save() { return {}; }
  // The tensors of one value.
  virtual void Restore(const std::string& value, const TensorVector& tensors) {}
  // All values that one restoration has, {name, tensors}, at once.
  using RestoredValues = std::vector<std::pair<std::string, TensorVector>>;
  virtual void RestoreAll(const RestoredValues& values) {
    for (const auto& [name, tensors] : values) Restore(name, tensors);
  }

  // The child of that name is not there yet: whoever adds one calls
  // Restoration::Resume(node, child). By default the child never comes.
  virtual void Await(const std::string& child,
                     const std::shared_ptr<Restoration>& restoration,
                     int node) {}
  // Of an optimizer: variables that it has for variables of others, by what
  // they are to it ("momentum"). They are saved as its slots, under the ways to
  // their variables.
  virtual std::vector<std::string> SlotNames() { return {}; }
  // Null if it has none for that object.
  virtual std::shared_ptr<Trackable> Slot(const Trackable& variable,
                                          const std::string& slot) {
    return nullptr;
  }
  // The slot, made now if need be and if that can be. Null if it comes later:
  // whoever makes it calls Restoration::Resume(node, slot), as far as slots are
  // known to the object at all.
  virtual std::shared_ptr<Trackable> CreateSlot(
      const std::shared_ptr<Trackable>& variable, const std::string& slot,
      const std::shared_ptr<Restoration>& restoration, int node) {
    return nullptr;
  }
  // Which restoration its values are of, 0 if of none: an older one does not
  // write over those of a newer one.
  virtual int64_t restored_by() const { return 0; }
  virtual void set_restored_by(int64_t number) {}
};
using TrackablePtr = std::shared_ptr<Trackable>;

// The value of a variable, which is checked as an assigned one is.
TensorVector SaveVariable(const Tensor& handle);
// Whether a variable can have that value. ValueError for another shape.
Status CheckRestored(const std::string& name, DataType dtype,
                     const PartialTensorShape& shape, const Tensor& value);
void RestoreVariable(const Tensor& handle, const Tensor& value);

// Where an iterator over a dataset is, one string (IteratorResource::Save).
inline constexpr char kIteratorState[] = "ITERATOR";
TensorVector SaveIterator(const Tensor& handle);
void RestoreIterator(const Tensor& handle, const Tensor& state);

}  // namespace gk

#endif  // GK_CHECKPOINT_TRACKABLE_H_
