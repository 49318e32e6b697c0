// Checks: what must hold before something is used.
//
// Eagerly a check that fails throws at once. In a graph what is known to fail
// throws, what is known to hold leaves nothing behind, and of the others what
// is made afterwards waits. One thread.
#ifndef GK_FUNCTION_RAGGED_CHECKS_H_
#define GK_FUNCTION_RAGGED_CHECKS_H_

#include <string_view>
#include <vector>

#include "function/func_graph.h"
#include "ops/composition.h"

namespace gk {

class Checks {
 public:
  // `condition` of bools, of any rank. InvalidArgument with the message, and
  // the values `shown`, unless all are true.
  Checks& Require(const Tensor& condition, std::string_view message,
                  const TensorVector& shown = {});
  // As the assertions of that name tell it.
  Checks& Equal(const Tensor& x, const Tensor& y, std::string_view message);
  Checks& NonNegative(const Tensor& x, std::string_view message);
  Checks& Less(const Tensor& x, const Tensor& y, std::string_view message);
  Checks& LessEqual(const Tensor& x, const Tensor& y, std::string_view message);
  // Vectors of integers, of any two sizes and dtypes.
  Checks& Same(const Tensor& x, const Tensor& y, std::string_view message = {});
  // Of the conditions of a case: one holds; no more than one does.
  Checks& AnyCase(const TensorVector& conditions);
  Checks& OneCase(const TensorVector& conditions);
  // `t`, after the checks.
  Tensor Then(const Tensor& t) const;

  // All that is made while this lives waits for the checks.
  class Scope {
   public:
    explicit Scope(const Checks& checks);
    ~Scope();
    Scope(const Scope&) = delete;

   private:
    Ref<FuncGraph> graph_;
  };

 private:
  Checks& Assert(std::string_view assertion,
                 std::vector<CompositionValue> values,
                 std::string_view message);
  Checks& Assert(std::string_view assertion,
                 std::vector<CompositionValue> values);

  std::vector<Node*> nodes_;
};

}  // namespace gk

#endif  // GK_FUNCTION_RAGGED_CHECKS_H_
