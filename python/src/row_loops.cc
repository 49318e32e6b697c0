#include "function/row_loops.h"

#include <optional>

#include "control_flow.h"
#include "dtype_type.h"
#include "staged_values.h"
#include "text_caster.h"

namespace gk::py {
namespace {

namespace nb = nanobind;

class PyRowHost final : public PythonHost<RowHost> {
 public:
  explicit PyRowHost(nb::handle function) : function_(function) {}
  StagedValue Step(const StagedValue& state, const StagedValue& row) override {
    return ValueOfStructure(function_(PythonValue(state), PythonValue(row)));
  }
  Status Compare(size_t, const StagedValue& a, const StagedValue& b) override {
    return Compared("compare_iterations", a, b);
  }
  std::string LeafName(size_t, const Tensor& before) const override {
    return NameOfVariable(before);
  }

 private:
  nb::handle function_;
};

nb::object FoldRows(nb::handle function, nb::handle elements,
                    nb::handle initial, bool scans, int64_t parallel_iterations,
                    bool reverse, bool infer_shape) {
  PyRowHost host(function);
  return Told([&] {
    const StagedValue rows = ValueOfStructure(elements);
    std::optional<StagedValue> first;
    if (!initial.is_none()) first = ValueOfStructure(initial);
    FoldOptions options;
    options.parallel_iterations = parallel_iterations;
    options.reverse = reverse;
    options.infer_shape = infer_shape;
    return PythonValue((scans ? Scan : Fold)(host, rows, first, options));
  });
}

// A function of a row's number and of the rows of tensors; it gives parts.
class PyPartHost final : public PythonHost<PartHost> {
 public:
  PyPartHost(nb::handle function, std::span<const RowPart> parts)
      : function_(function), parts_(parts) {}
  TensorVector Parts(const Tensor& place, const TensorVector& row) override {
    TensorVector parts;
    for (nb::handle value : nb::list(function_(Wrapped(place), Wrapped(row)))) {
      if (parts.size() == parts_.size()) {
        Throw(InvalidArgument("a row has more than {} parts", parts_.size()));
      }
      parts.push_back(ConvertedTo(value, parts_[parts.size()].dtype));
    }
    return parts;
  }
  std::string LeafName(size_t, const Tensor& before) const override {
    return NameOfVariable(before);
  }

 private:
  nb::handle function_;
  std::span<const RowPart> parts_;
};

// `count`: a number, or a tensor where it is not known now.
nb::object MapRowsOf(nb::handle function, nb::handle elements, nb::handle count,
                     nb::handle parts, int64_t parallel_iterations) {
  std::vector<RowPart> all;
  for (nb::handle part : parts) {
    const DataType dtype = AsDType(nb::object(part[0]).ptr());
    if (dtype == DataType::kInvalid) throw nb::python_error();
    all.push_back({dtype, Shape(nb::object(part[1])), nb::cast<bool>(part[2]),
                   nb::cast<bool>(part[3])});
  }
  PyPartHost host(function, all);
  return Told([&] {
    const bool known = PyLong_Check(count.ptr());
    Rows rows(Tensors(elements), known ? nb::cast<int64_t>(count) : -1,
              known ? Tensor() : Converted(count));
    FoldOptions options;
    options.parallel_iterations = parallel_iterations;
    return Wrapped(MapRows(host, std::move(rows), all, options));
  });
}

}  // namespace

void AddRowLoops(nb::module_& m) {
  m.def("_fold_rows", &FoldRows, nb::arg("function"), nb::arg("elements"),
        nb::arg("initial").none(), nb::arg("scans"),
        nb::arg("parallel_iterations"), nb::arg("reverse"),
        nb::arg("infer_shape"),
        "The last state, or all of them, of a function of a state and a row.");
  m.def("_map_rows", &MapRowsOf,
        "_map_rows(function, elements, count, parts, parallel_iterations): "
        "what `function(i, rows)` gives of each row; a part is (dtype, shape, "
        "joined or stacked, of one shape).");
  m.def(
      "_common_length",
      [](nb::handle shapes, const std::string& what) {
        return Told([&] { return CommonLength(Shapes(shapes), what); });
      },
      "_common_length(shapes, what): how many rows all of them have; -1: "
      "that is not known now.");
}

}  // namespace gk::py
