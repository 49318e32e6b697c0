// LoopState: the values that a loop carries, from before it through its parts
// to behind it: what an iteration may change, what zeros stand in for until
// the first iteration, and what is said where iterations do not agree.
//
// A value that only the body assigns starts late: its place in the loop is
// made when the body, traced once, has told what it is.
#ifndef GK_FUNCTION_LOOP_STATE_H_
#define GK_FUNCTION_LOOP_STATE_H_

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "framework/handle_data.h"
#include "function/staged_value.h"

namespace gk {

class LoopHost : public ValueHost {
 public:
  // Errors that do not speak of symbols: tensor `k`, which is `before` the
  // loop, as "loop_vars[1]"; and where the loop was written, " (...)".
  virtual std::string LeafName(size_t, const Tensor&) const { return ""; }
  virtual std::string WhereWritten() const { return ""; }
  // Does the loop itself assign value `i` in each iteration (for i in ...)?
  virtual bool Iterates(size_t) const { return false; }
  // May a loop that runs now change the dtypes of its variables?
  virtual bool lets_dtypes_vary() const { return false; }
};

// TypeError or ValueError unless a variable nests after an iteration as it did
// `before`.
Status CheckIteration(LoopHost& host, const StagedValue& before,
                      const StagedValue& after);
// The same unless it then has tensors where it had some, of the same dtypes.
Status CheckLoopDtypes(const LoopHost& host, const StagedValue& before,
                       const StagedValue& after);

// TypeError unless an iteration leaves the dtype of a variable as it is.
Status CheckLoopDtype(const LoopHost& host, std::string_view name,
                      DataType before, DataType after);

// The outputs of a loop; InvalidArgument when it runs unless there was an
// iteration (`ran`), which has to give these symbols values.
TensorVector OnlyIfIterated(const Tensor& ran,
                            const std::vector<std::string>& symbols,
                            const TensorVector& outputs);

class LoopState {
 public:
  // `host` outlives it.
  LoopState(LoopHost* host, std::vector<StagedValue> before);

  // The shapes that the tensors of value `i` have in all iterations.
  // ValueError unless it begins with such.
  void SetInvariant(size_t i, std::vector<PartialTensorShape> shapes);
  // Shapes without an invariant may change from one iteration to the next.
  void LetShapesVary() { shapes_vary_ = true; }

  const std::vector<StagedValue>& before() const { return before_; }
  // What is carried so far: initial values and shapes, in the order of the
  // node's inputs.
  TensorVector tensors() const;
  std::vector<PartialTensorShape> shapes() const;
  // The values in a part, or behind the loop, of the tensors that stand for
  // what is carried there. Those that are not carried are what they were.
  std::vector<StagedValue> Values(std::span<const Tensor> tensors) const;

  // While the body is traced: open list `i` begins with lists of such
  // elements, for which `add` makes variables; what stands for them.
  const TensorVector& PlaceList(
      size_t i, std::span<const HandleData> elements,
      const std::function<Tensor(const HandleData&)>& add);

  // The values after the body. Throws unless each is what it was before;
  // those that only the body has given a value become late ones.
  void SetAfter(std::vector<StagedValue> after);
  // Throws unless value `i` is what it was before; true if only the body has
  // given it one.
  bool CheckAfter(size_t i, const StagedValue& after) const;
  // Lets shapes be what they also are after the body; false if they are
  // already.
  bool Widen();
  // Carries the late ones too, those of PlaceList first. New nodes: zeros and
  // empty lists.
  void StartLate();
  // How many tensors of lists that PlaceList has made variables of are among
  // the late ones; they are first.
  size_t num_placed() const { return num_placed_; }
  // After the body, in the order of what is carried.
  TensorVector Next() const;
  // The values that an iteration must give; to users.
  std::vector<std::string> NeedIteration() const;

  // An error of the body that may be about a value that there is none of
  // before the loop: the error to raise instead. `symbol`: as far as is known
  // which one; `of_attribute`: it is about an attribute.
  std::optional<Status> ErrorOfBody(std::string_view symbol, bool of_attribute,
                                    std::string_view type,
                                    std::string_view text) const;
  // What reading a name says that nothing has assigned behind the loop.
  std::string LostText(size_t i) const;

 private:
  enum class Late { kNo, kYes, kResult, kPending, kList };
  struct Carried {
    std::optional<StagedValue> value;  // as it begins
    std::vector<PartialTensorShape> shapes;
    Late late = Late::kNo;
    bool has_invariant = false;
    TensorVector placed;
  };

  Status NeedsValue(size_t i, std::string_view type,
                    std::string_view text) const;
  void CheckSymbol(size_t i, const StagedValue& after) const;
  void CheckVariables(size_t i, const StagedValue& after) const;

  LoopHost* host_;
  std::vector<StagedValue> before_, after_;
  std::vector<Carried> carried_;
  std::vector<size_t> order_;   // of what is carried
  std::vector<size_t> placed_;  // open lists with places
  std::vector<size_t> late_;
  size_t num_placed_ = 0;
  bool shapes_vary_ = false;
};

}  // namespace gk

#endif  // GK_FUNCTION_LOOP_STATE_H_
