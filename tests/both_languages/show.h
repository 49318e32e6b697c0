// What the programs of the tables write; table.py writes the same.
#ifndef TESTS_BOTH_LANGUAGES_SHOW_H_
#define TESTS_BOTH_LANGUAGES_SHOW_H_

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <graphkiln/graphkiln.h>

// Writes tensors to standard output, each on a line.
class Show {
 public:
  void operator()(const gk::Tensor& t) const;
  void operator()(const gk::Variable& v) const { (*this)(v.value()); }
  void operator()(const std::vector<gk::Tensor>& tensors) const {
    for (const gk::Tensor& t : tensors) (*this)(t);
  }
  template <gk::Number T>
  void operator()(T number) const {
    (*this)(gk::Tensor(number));
  }
  template <class... T>
  void operator()(const std::tuple<T...>& items) const {
    std::apply([this](const auto&... item) { ((*this)(item), ...); }, items);
  }
  template <class A, class B>
  void operator()(const std::pair<A, B>& items) const {
    (*this)(items.first);
    (*this)(items.second);
  }
};

// Of programs of extension types.
struct Money {
  gk::Tensor amount;
  std::string currency;
};
GK_EXTENSION_TYPE(Money, amount, currency)
struct Basket {
  Money price;
  gk::RaggedTensor rows;
};
GK_EXTENSION_TYPE(Basket, price, rows)
// Its shape is stacked as its values are.
struct Grid {
  gk::Shape shape;
  gk::Tensor values;
};
GK_EXTENSION_TYPE(Grid, shape, values)
// Stacked as one tensor.
struct Interval {
  gk::Tensor low, high;
};
GK_EXTENSION_TYPE(Interval, low, high)
template <>
struct gk::BatchEncoder<Interval> {
  static Tensor encode(const Interval& i) {
    return gk::stack({i.low, i.high}, -1);
  }
  static Interval decode(const Tensor& both) {
    const std::vector<Tensor> parts = gk::unstack(both, 2, -1);
    return {parts[0], parts[1]};
  }
};

struct Program {
  const char* name;
  void (*run)(Show&);
};

// Of all tables; generated.
std::vector<Program> AllPrograms();

#endif  // TESTS_BOTH_LANGUAGES_SHOW_H_
