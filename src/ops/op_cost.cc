#include "ops/op_cost.h"

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

#include "framework/op_registry.h"

namespace gk {
namespace {

using Shapes = std::span<const TensorShape>;
using CostFn = double (*)(const AttrMap& attrs, Shapes inputs, Shapes outputs);

double Elements(const TensorShape& shape) {
  return static_cast<double>(shape.num_elements());
}

// [..., m, k] (or [..., k, m]) by [..., k, n]: each element of the result is
// a sum of k products.
double Product(const AttrMap&, Shapes in, Shapes out) {
  const TensorShape& c = out[0];
  const int rank = in[0].rank();
  if (rank < 2 || c.rank() < 2) return 0;
  double batch = 1;
  for (int i = 0; i + 2 < rank; ++i) batch *= in[0].dim(i);
  const double rows = batch * c.dim(c.rank() - 2);
  return rows == 0 ? 0 : 2 * Elements(c) * Elements(in[0]) / rows;
}

// A filter [..., in, out] used once for each place of the result.
double Windows(const TensorShape& filter, const TensorShape& result) {
  const int rank = filter.rank();
  if (rank < 2 || filter.dim(rank - 1) == 0) return 0;
  return 2 * Elements(result) * Elements(filter) / filter.dim(rank - 1);
}
double Convolution(const AttrMap&, Shapes in, Shapes out) {
  return Windows(in[1], out[0]);
}
double ConvolutionInput(const AttrMap&, Shapes in, Shapes) {
  return Windows(in[1], in[2]);
}
double ConvolutionFilter(const AttrMap&, Shapes in, Shapes out) {
  return Windows(out[0], in[2]);
}
// A filter [height, width, in, multiplier]: each result sees one channel.
double PerChannel(const TensorShape& filter, const TensorShape& result) {
  if (filter.rank() != 4) return 0;
  return 2 * Elements(result) * filter.dim(0) * filter.dim(1);
}
double Depthwise(const AttrMap&, Shapes in, Shapes out) {
  return PerChannel(in[1], out[0]);
}
double DepthwiseInput(const AttrMap&, Shapes in, Shapes) {
  return PerChannel(in[1], in[2]);
}
double DepthwiseFilter(const AttrMap&, Shapes in, Shapes out) {
  return PerChannel(out[0], in[2]);
}

// The product of the sizes of all labels; twice if something is summed.
double Einsum(const AttrMap& attrs, Shapes in, Shapes out) {
  const auto* equation = attrs.Get<std::string>("equation");
  if (equation == nullptr || out.empty()) return 0;
  std::map<char, double> sizes;
  size_t at = 0;
  for (const TensorShape& shape : in) {
    const size_t end = equation->find_first_of(",-", at);
    const std::string_view labels =
        std::string_view(*equation).substr(at, end - at);
    // Dimensions that an ellipsis stands for are those of the result.
    const size_t dots = labels.find("...");
    const int named = labels.size() - (dots == labels.npos ? 0 : 3);
    for (int i = 0, k = 0; i < named && k < shape.rank(); ++i, ++k) {
      if (static_cast<size_t>(i) == dots) k += shape.rank() - named;
      const size_t label =
          i + (dots != labels.npos && size_t(i) >= dots ? 3 : 0);
      if (k < shape.rank()) sizes[labels[label]] = shape.dim(k);
    }
    if (end == equation->npos) break;
    at = end + 1;
  }
  const size_t arrow = equation->find("->");
  double summed = 1;
  for (const auto& [label, size] : sizes) {
    if (arrow == equation->npos ||
        equation->find(label, arrow + 2) == equation->npos) {
      summed *= size;
    }
  }
  return (in.size() > 1 ? 2 : 1) * Elements(out[0]) * summed;
}

double Pool(const AttrMap& attrs, Shapes, Shapes out) {
  double window = 1;
  if (const auto* sizes = attrs.Get<std::vector<int64_t>>("ksize")) {
    for (const int64_t size : *sizes) window *= static_cast<double>(size);
  }
  return window * Elements(out[0]);
}

// So many an element of input 0.
template <int kCount>
double PerElement(const AttrMap&, Shapes in, Shapes) {
  return kCount * Elements(in[0]);
}

double Sum(const AttrMap&, Shapes in, Shapes out) {
  return (static_cast<double>(in.size()) - 1) * Elements(out[0]);
}

// Those whose cost does not follow of what their records say.
const std::unordered_map<std::string_view, CostFn>& Costs() {
  static const auto* costs = new std::unordered_map<std::string_view, CostFn>{
      {"MatMul", Product},
      {"BatchMatMul", Product},
      {"BatchMatMulV2", Product},
      {"BatchMatMulV3", Product},
      {"Einsum", Einsum},
      {"Conv2D", Convolution},
      {"Conv3D", Convolution},
      {"Conv2DBackpropInput", ConvolutionInput},
      {"Conv3DBackpropInputV2", ConvolutionInput},
      {"Conv2DBackpropFilter", ConvolutionFilter},
      {"Conv3DBackpropFilterV2", ConvolutionFilter},
      {"DepthwiseConv2dNative", Depthwise},
      {"DepthwiseConv2dNativeBackpropInput", DepthwiseInput},
      {"DepthwiseConv2dNativeBackpropFilter", DepthwiseFilter},
      {"MaxPool", Pool},
      {"AvgPool", Pool},
      {"MaxPool3D", Pool},
      {"AvgPool3D", Pool},
      {"BiasAdd", PerElement<1>},
      {"BiasAddGrad", PerElement<1>},
      {"L2Loss", PerElement<3>},
      {"Softmax", PerElement<5>},
      {"LogSoftmax", PerElement<5>},
      {"SoftmaxCrossEntropyWithLogits", PerElement<8>},
      {"SparseSoftmaxCrossEntropyWithLogits", PerElement<8>},
      {"FusedBatchNormV3", PerElement<8>},
      {"FusedBatchNormGradV3", PerElement<12>},
      {"AddN", Sum},
  };
  return *costs;
}

}  // namespace

double FlopsOf(const OpRecord& record, const AttrMap& attrs, Shapes inputs,
               Shapes outputs) {
  if (inputs.empty() || outputs.empty()) return 0;
  const auto found = Costs().find(record.name);
  if (found != Costs().end()) {
    // An input or output that a graph of others leaves out.
    if (inputs.size() < static_cast<size_t>(record.def->inputs.size())) {
      return 0;
    }
    return found->second(attrs, inputs, outputs);
  }
  if (record.Has(kView | kIdentity)) return 0;
  if (record.Has(kElementwise)) return Elements(outputs[0]);
  if (record.Has(kReduction)) return Elements(inputs[0]);
  return 0;
}

}  // namespace gk
