// Argument: what functions like gk::reduce_sum take where a tensor, a number,
// a text or a list of integers may stand.
//
// Numbers take the element type that the function wants; without a wish,
// integers are int32 and others float32.
#ifndef GRAPHKILN_ARGUMENT_H_
#define GRAPHKILN_ARGUMENT_H_

#include <graphkiln/tensor.h>
#include <graphkiln/variable.h>

#include <concepts>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace gk {
GK_API_NAMESPACE {
  class RaggedTensor;
  class SparseTensor;

  // As an argument: explicitly nothing.
  struct None {};

  namespace detail {

  // A ragged or sparse tensor in its parts.
  struct RowParts {
    bool sparse;
    Tensor values;
    std::vector<Tensor> places;  // the row splits; or indices and dense shape
  };
  GK_EXPORT RowParts RowPartsOf(const RaggedTensor& ragged);
  GK_EXPORT RowParts RowPartsOf(const SparseTensor& sparse);

  }  // namespace detail

  // What a function takes in place of a tensor, a text, a list: converted from
  // all that can stand there.
  class Argument {
   public:
    // Stands for an argument that is not given.
    struct Default {};
    using Value =
        std::variant<Default, None, Tensor, std::vector<Tensor>, bool, int64_t,
                     double, std::string, DataType, std::vector<int64_t>,
                     detail::RowParts, std::vector<detail::RowParts>>;

    Argument() = default;  // the function's default
    // Whatever an argument may be, as it is written in a call.
    Argument(None none) : value_(none) {}
    Argument(const Tensor& t) : value_(t) {}
    Argument(const Variable& v) : value_(v.value()) {}
    Argument(std::vector<Tensor> list) : value_(std::move(list)) {}
    template <Number T>
    Argument(T number) : value_(Widened(number)) {}
    Argument(const char* text) : value_(std::string(text)) {}
    Argument(std::string text) : value_(std::move(text)) {}
    Argument(DataType t) : value_(t) {}
    Argument(std::initializer_list<int64_t> ints)
        : value_(std::vector<int64_t>(ints)) {}
    template <Element T>
    Argument(detail::List2<T> values) : value_(Tensor(values)) {}
    template <Element T>
    Argument(detail::List3<T> values) : value_(Tensor(values)) {}
    template <Element T>
    Argument(detail::List4<T> values) : value_(Tensor(values)) {}
    Argument(std::vector<int64_t> ints) : value_(std::move(ints)) {}
    Argument(const Shape& shape) : value_(shape.dims()) {}
    // What takes ragged and sparse tensors says so; others refuse them.
    template <class T>
    requires std::same_as<T, RaggedTensor> || std::same_as<T, SparseTensor>
    Argument(const T& rows) : value_(detail::RowPartsOf(rows)) {}
    template <class T>
    requires std::same_as<T, RaggedTensor> || std::same_as<T, SparseTensor>
    Argument(const std::vector<T>& list) {
      std::vector<detail::RowParts> parts;
      for (const T& rows : list) parts.push_back(detail::RowPartsOf(rows));
      value_ = std::move(parts);
    }

    // --- For the library itself.
    const Value& value() const { return value_; }

   private:
    template <class T>
    static Value Widened(T number) {
      if constexpr (std::is_same_v<T, bool>)
        return Value(number);
      else if constexpr (std::is_floating_point_v<T>) {
        return Value(std::in_place_type<double>, number);
      } else {
        return Value(std::in_place_type<int64_t>, static_cast<int64_t>(number));
      }
    }
    Value value_;
  };

  namespace detail {

  // Calls the public function of this name.
  GK_EXPORT std::vector<Tensor> CallPublicFunction(
      std::string_view name, std::span<const Argument> arguments);

  inline std::vector<Tensor> CallPublicFunction(
      std::string_view name, std::initializer_list<Argument> arguments) {
    return CallPublicFunction(name,
                              std::span(arguments.begin(), arguments.size()));
  }

  // Arguments as tensors. Those with the same letter in `type_of` share an
  // element type.
  GK_EXPORT std::vector<Tensor> Operands(
      std::initializer_list<Argument> arguments, std::string_view type_of);

  }  // namespace detail

}  // GK_API_NAMESPACE
}  // namespace gk

#endif  // GRAPHKILN_ARGUMENT_H_
