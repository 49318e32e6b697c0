// Variable: a mutable tensor that outlives the calls that use it.
//
// A handle; copying shares the variable. Its operations are atomic, also
// between threads. Inside a traced function they become part of the graph.
#ifndef GRAPHKILN_VARIABLE_H_
#define GRAPHKILN_VARIABLE_H_

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <utility>

#include <graphkiln/tensor.h>

namespace gk {
GK_API_NAMESPACE {

class Operation;

// Of a variable that is made.
struct VariableOptions {
  std::string name = "Variable";
  // Do gradient tapes watch it by themselves?
  bool trainable = true;
  // What values must match; by default the initial value's shape.
  Shape shape = Shape::UnknownRank();
  // Does a variable that is made while a function is traced outlive the calls?
  // Otherwise each run makes its own, from what the initial value is there,
  // and every trace may make one.
  bool lifted = true;
};

// A value that can be assigned to; a handle, copying shares it.
class GK_EXPORT Variable {
 public:
  // Inside a traced function only while it is traced for the first time; the
  // initial value is then computed at once, of what the call gives. Neither
  // holds for one that is not lifted. In a gk::Graph its value is what
  // `initializer` gives it.
  explicit Variable(const Tensor& initial_value,
                    const VariableOptions& options = {});

  // What it is called, what values it takes, and whether tapes watch it by
  // themselves.
  const std::string& name() const;
  DataType dtype() const;
  const Shape& shape() const;
  bool trainable() const;
  // In a gk::Graph, which whoever runs it initialises: what does so, and what
  // with. Elsewhere not defined().
  Operation initializer() const;
  Tensor initial_value() const;

  // The value now; later assignments do not change it.
  Tensor value() const;
  operator Tensor() const { return value(); }
  Tensor read_value() const { return value(); }
  // Has it a value yet? A bool scalar.
  Tensor is_initialized() const;
  // Where the value is, as Tensor::device().
  std::string device() const { return handle().device(); }
  // Of one of a graph: what makes the handle, and the graph, as Tensor's.
  Operation op() const;
  Graph graph() const;

  // Throws Error, and changes nothing, if the type or shape does not match.
  const Variable& assign(const Tensor& value) const;
  const Variable& assign_add(const Tensor& delta) const;
  const Variable& assign_sub(const Tensor& delta) const;
  template <Number T>
  const Variable& assign(T number) const {
    return assign(detail::Like(number, dtype()));
  }
  template <Number T>
  const Variable& assign_add(T number) const {
    return assign_add(detail::Like(number, dtype()));
  }
  template <Number T>
  const Variable& assign_sub(T number) const {
    return assign_sub(detail::Like(number, dtype()));
  }

  // Change the slices at `indices`, by the updates for each: the shape of
  // `updates` is that of `indices` and a slice's.
  const Variable& scatter_add(const Tensor& indices,
                              const Tensor& updates) const;
  const Variable& scatter_sub(const Tensor& indices,
                              const Tensor& updates) const;
  const Variable& scatter_mul(const Tensor& indices,
                              const Tensor& updates) const;
  const Variable& scatter_div(const Tensor& indices,
                              const Tensor& updates) const;
  const Variable& scatter_max(const Tensor& indices,
                              const Tensor& updates) const;
  const Variable& scatter_min(const Tensor& indices,
                              const Tensor& updates) const;
  const Variable& scatter_update(const Tensor& indices,
                                 const Tensor& updates) const;
  // The same in each batch: the leading dimensions of `indices` are the
  // variable's own.
  const Variable& batch_scatter_update(const Tensor& indices,
                                       const Tensor& updates) const;
  // Change single elements or slices, each named by a row of `indices`.
  const Variable& scatter_nd_add(const Tensor& indices,
                                 const Tensor& updates) const;
  const Variable& scatter_nd_sub(const Tensor& indices,
                                 const Tensor& updates) const;
  const Variable& scatter_nd_max(const Tensor& indices,
                                 const Tensor& updates) const;
  const Variable& scatter_nd_min(const Tensor& indices,
                                 const Tensor& updates) const;
  const Variable& scatter_nd_update(const Tensor& indices,
                                    const Tensor& updates) const;
  // The slices at `indices`, without a read of the others.
  Tensor sparse_read(const Tensor& indices) const;
  // The elements or slices that the rows of `indices` name.
  Tensor gather_nd(const Tensor& indices) const;
  // Adds 1 to a scalar and gives what was there; throws Error at `limit`.
  Tensor count_up_to(int64_t limit) const;

  // "Variable(name=w, shape=(2,), dtype=float32, value=[1 2])".
  std::string to_string() const;

  // --- For the library itself: the resource that operations name.
  const Tensor& handle() const;
  struct Facts;
  // --- For the library itself.
  static Variable Of(std::shared_ptr<const Facts> facts) {
    Variable v;
    v.facts_ = std::move(facts);
    return v;
  }
  const Facts& facts() const { return *facts_; }

 private:
  Variable() = default;
  std::shared_ptr<const Facts> facts_;
};

// Writes the name, the shape, the type and the value.
GK_EXPORT std::ostream& operator<<(std::ostream& out, const Variable& v);

// While it lives, a Variable that this thread makes is what `creator` returns:
// it gets what makes the variable otherwise, and what that is made with. Of
// several the innermost is asked first; its `next` is the one around it. Holds
// in functions that are traced below it, but not in another gk::Graph.
//
//   gk::variable_creator_scope frozen(
//       [](const auto& next, const gk::Tensor& initial_value,
//          gk::VariableOptions options) {
//         options.trainable = false;
//         return next(initial_value, options);
//       });
class GK_EXPORT variable_creator_scope {
 public:
  // Makes a variable in the usual way; what is asked instead.
  using Next = std::function<Variable(const Tensor& initial_value,
                                      const VariableOptions& options)>;
  using Creator =
      std::function<Variable(const Next& next, const Tensor& initial_value,
                             const VariableOptions& options)>;
  // Until it is destroyed.
  explicit variable_creator_scope(Creator creator);
  ~variable_creator_scope();
  variable_creator_scope(const variable_creator_scope&) = delete;

 private:
  struct Rep;
  const std::unique_ptr<const Rep> rep_;
};

}  // GK_API_NAMESPACE
}  // namespace gk

#endif  // GRAPHKILN_VARIABLE_H_
