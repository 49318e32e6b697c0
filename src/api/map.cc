// Rows of values that specs describe, for map_fn.
#include "graphkiln/map.h"

#include "api/result_parts.h"
#include "api/staged_host.h"
#include "api/type_spec_inner.h"
#include "function/loop_builder.h"
#include "function/specs/spec_rows.h"

namespace gk::api::detail {
namespace {

using InnerSpec = ::gk::TypeSpec;

TensorVector TensorsOf(const ResultPart& part) {
  return Inner(std::vector<Tensor>(part.tensors.begin(), part.tensors.end()));
}

using PartsFn = std::function<void(const std::vector<Tensor>&, Results*)>;

class RowsHost final : public LoopWords<SpecRowHost> {
 public:
  RowsHost(const PartsFn& f, Place where) : LoopWords(where, where), f_(f) {}

  void Collect(const TypeSpec& spec) {
    if (Inner(spec).kind > InnerSpec::Kind::kSparse) {
      throw ::gk::Error(TypeError("map_fn: rows of {} cannot be collected",
                                  spec.to_string()));
    }
    collectors.emplace_back(Inner(spec), /*infer_shape=*/true);
  }
  std::vector<TensorVector> Call(
      const std::vector<TensorVector>& rows) override {
    std::vector<TensorVector> parts;
    ForParts(rows, false, [&](const ResultPart& part) {
      const InnerSpec given = Inner(part.spec);
      const InnerSpec& wanted = collectors[parts.size()].spec();
      const bool fits = given.kind == wanted.kind ||
                        (given.kind == InnerSpec::Kind::kTensor &&
                         wanted.kind == InnerSpec::Kind::kRagged);
      if (!fits || given.dtype != wanted.dtype) {
        throw ::gk::Error(
            ValueError("map_fn: the function returned {}, its signature says "
                       "{}",
                       part.spec.to_string(), Outer(wanted).to_string()));
      }
      parts.push_back(TensorsOf(part));
    });
    return parts;
  }
  std::span<const RowCollector> CollectorsOf(
      const std::vector<TensorVector>& rows) override {
    ForParts(rows, true, [&](const ResultPart& part) { Collect(part.spec); });
    return collectors;
  }
  std::vector<RowCollector> collectors;

 private:
  void ForParts(const std::vector<TensorVector>& rows, bool uniform,
                FunctionRef<void(const ResultPart&)> see) {
    std::vector<Tensor> tensors;
    for (const TensorVector& row : rows) {
      for (const InnerTensor& t : row) tensors.push_back(Outer(t));
    }
    ElementLeaves leaves;
    leaves.parts = true;
    leaves.uniform = uniform;
    Results results;
    results.leaves = &leaves;
    f_(tensors, &results);
    for (const ResultPart& part : PartsOf(results)) see(part);
  }

  const PartsFn& f_;
};

}  // namespace

std::vector<TypeSpec> RowSpecs(const Results& elements) {
  return Guarded([&] {
    std::vector<TypeSpec> rows;
    for (const ResultPart& part : PartsOf(elements)) {
      const InnerSpec spec = Inner(part.spec);
      if (spec.kind > InnerSpec::Kind::kSparse) {
        throw ::gk::Error(TypeError("The rows of {} cannot be taken",
                                    part.spec.to_string()));
      }
      CommonLength({&spec.shape, 1}, "Elements in elems");
      rows.push_back(Outer(spec.Row()));
    }
    if (rows.empty()) ThrowNoElems();
    return rows;
  });
}

MappedRows MapSpecRows(const Results& elements,
                       const std::vector<TypeSpec>* signature, const PartsFn& f,
                       const WhileOptions& options, Place where) {
  return Guarded([&] {
    ThrowIfError(CheckParallelIterations(options.parallel_iterations));
    EnsureReady();
    std::vector<RowSource> sources;
    for (const ResultPart& part : PartsOf(elements)) {
      sources.emplace_back(Inner(part.spec), TensorsOf(part));
    }
    RowsHost host(f, where);
    ::gk::FoldOptions loop;
    loop.name = options.name;
    loop.parallel_iterations = options.parallel_iterations;
    std::vector<TensorVector> made;
    if (signature == nullptr) {
      made = host.MapSharing(sources, std::vector<size_t>(sources.size(), 1),
                             loop);
    } else {
      for (const TypeSpec& spec : *signature) host.Collect(spec);
      made = host.Map(sources, host.collectors, loop);
    }
    MappedRows mapped;
    for (const TensorVector& parts : made) {
      for (const InnerTensor& t : parts) mapped.tensors.push_back(Outer(t));
    }
    for (const RowCollector& c : host.collectors) {
      mapped.specs.push_back(Outer(c.spec().Batched(host.known_count())));
    }
    return mapped;
  });
}

void ThrowOtherRowResults(const std::vector<TypeSpec>& signature) {
  ThrowPublic(TypeError("map_fn: the results of the function are not of the "
                        "kinds of fn_output_signature={}",
                        SpecsText(signature)));
}

}  // namespace gk::api::detail
