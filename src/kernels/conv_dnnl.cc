// Float convolutions by one-thread oneDNN primitives over groups of images,
// or over rows of the output when there are few images. Images stay NHWC; the
// filter is reordered per call, which costs next to nothing. What is said of
// an image's rows holds for a volume's slices.
#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "kernels/conv_impl.h"
#include "kernels/dnnl_primitive.h"
#include "kernels/isa.h"
#include "kernels/scratch.h"

namespace gk::conv_internal {
namespace {

using dnnl::memory;
constexpr auto kF32 = memory::data_type::f32;
constexpr int64_t kMaxSlices = 16;
// Multiply-adds in a slice: enough to bury the cost of handing it out.
constexpr double kSliceWork = 1 << 20;
// Partial filter gradients, one buffer each, added in order.
constexpr int64_t kMaxPartials = 4;

struct AddBody {
  GK_INLINE static void Run(const float* from, int64_t count, float* to) {
    for (int64_t i = 0; i < count; ++i) to[i] += from[i];
  }
};

// What one primitive works on: part of the images, part of the rows.
struct Piece {
  int64_t images, in_rows, out_rows, pad;
  auto operator<=>(const Piece&) const = default;
};
struct PieceAt {
  int64_t image, in_row, out_row;
  DnnlPrimitive* primitive;
  int64_t first, count;  // elements of the result
};

struct Axis {
  int64_t in, taps, out, stride, dilation, pad;

  int64_t pad_behind() const {
    return std::max<int64_t>(
        0, (out - 1) * stride + (taps - 1) * dilation + 1 - in - pad);
  }
};

// Depth, if any, height and width.
std::vector<Axis> AxesOf(const Conv2DDesc& d) {
  std::vector<Axis> axes;
  if (d.is_volume()) {
    axes.push_back(
        {d.in_d, d.filter_d, d.out_d, d.stride_d, d.dilation_d, d.pad_front});
  }
  axes.push_back(
      {d.in_h, d.filter_h, d.out_h, d.stride_h, d.dilation_h, d.pad_top});
  axes.push_back(
      {d.in_w, d.filter_w, d.out_w, d.stride_w, d.dilation_w, d.pad_left});
  return axes;
}

class DnnlConv : public Conv2D {
 public:
  explicit DnnlConv(const Conv2DDesc& d) : Conv2D(d), axes_(AxesOf(d)) {}

  Status Prepare() {
    const Conv2DDesc& d = desc_;
    const Axis& rows_of = axes_[0];
    const double pixels =
        static_cast<double>(d.output_size()) / static_cast<double>(d.out_c);
    const double products = pixels * static_cast<double>(d.filter_size());
    int64_t slices = std::clamp<int64_t>(
        std::min<double>(products / kSliceWork, kMaxSlices), 1, kMaxSlices);
    if (d.pass == ConvPass::kBackwardFilter) {
      slices = std::min(slices, kMaxPartials);
    }
    if (d.batch < 4 && d.pass != ConvPass::kBackwardInput) {
      const int64_t pieces = std::min<int64_t>(slices, 8);
      const int64_t rows = (rows_of.out + pieces - 1) / pieces;
      for (int64_t image = 0; image < d.batch; ++image) {
        for (int64_t row = 0; row < rows_of.out; row += rows) {
          GK_RETURN_IF_ERROR(
              AddRows(image, row, std::min(rows, rows_of.out - row)));
        }
      }
    } else {
      const int64_t images = (d.batch + slices - 1) / slices;
      for (int64_t i = 0; i < d.batch; i += images) {
        GK_RETURN_IF_ERROR(Add({std::min(images, d.batch - i), rows_of.in,
                                rows_of.out, rows_of.pad},
                               i, 0, 0));
      }
    }
    return PrepareReorder();
  }

 private:
  bool backward_filter() const {
    return desc_.pass == ConvPass::kBackwardFilter;
  }

  Status AddRows(int64_t image, int64_t row, int64_t rows) {
    const Axis& a = axes_[0];
    const int64_t top = row * a.stride - a.pad;
    const int64_t bottom =
        top + (rows - 1) * a.stride + (a.taps - 1) * a.dilation + 1;
    const int64_t first = std::max<int64_t>(top, 0);
    const int64_t last = std::min(bottom, a.in);
    if (last <= first) return Unimplemented("rows of padding alone");
    return Add({1, last - first, rows, first - top}, image, first, row);
  }

  Status Add(Piece piece, int64_t image, int64_t in_row, int64_t out_row) {
    auto& primitive = primitives_[piece];
    if (primitive == nullptr) {
      GK_ASSIGN_OR_RETURN(primitive, Make(piece));
    }
    const bool forward = desc_.pass == ConvPass::kForward;
    const int64_t size = forward ? desc_.output_size() : desc_.input_size();
    const int64_t rows = desc_.batch * (forward ? axes_[0].out : axes_[0].in);
    const int64_t first =
        forward ? image * axes_[0].out + out_row : image * axes_[0].in + in_row;
    const int64_t count =
        piece.images * (forward ? piece.out_rows : piece.in_rows);
    pieces_.push_back({image, in_row, out_row, primitive.get(),
                       first * (size / rows), count * (size / rows)});
    return OkStatus();
  }

  memory::desc UserFilter() const {
    const Conv2DDesc& d = desc_;
    const int64_t in = d.group_in(), out = d.group_out();
    memory::dims sizes{out, in}, steps{1, d.out_c};
    if (d.groups > 1) {
      sizes.insert(sizes.begin(), d.groups);
      steps.insert(steps.begin(), out);
    }
    int64_t step = d.filter_size();
    for (const Axis& a : axes_) {
      sizes.push_back(a.taps);
      steps.push_back(step /= a.taps);
    }
    return memory::desc(sizes, kF32, steps);
  }

  // oneDNN's plain loops, which it falls back to, are slower than ours.
  static void ExpectFast(const dnnl::primitive_desc_base& made) {
    if (std::string_view(made.impl_info_str()).starts_with("ref")) {
      throw dnnl::error(dnnl_unimplemented, "plain loops");
    }
  }

  StatusOr<std::unique_ptr<DnnlPrimitive>> Make(const Piece& p) {
    return DnnlPrimitive::Create(
        [&](const dnnl::engine& engine) { return Parts(p, engine); });
  }

  DnnlPrimitive::Parts Parts(const Piece& p, const dnnl::engine& engine) {
    const Conv2DDesc& d = desc_;
    constexpr auto kAlgorithm = dnnl::algorithm::convolution_direct;
    const auto layout =
        d.is_volume() ? memory::format_tag::ndhwc : memory::format_tag::nhwc;
    memory::dims in{p.images, d.in_c}, out{p.images, d.out_c};
    memory::dims strides, dilations, before, behind;
    for (size_t i = 0; i < axes_.size(); ++i) {
      Axis a = axes_[i];
      if (i == 0) a.in = p.in_rows, a.out = p.out_rows, a.pad = p.pad;
      in.push_back(a.in);
      out.push_back(a.out);
      strides.push_back(a.stride);
      dilations.push_back(a.dilation - 1);
      before.push_back(a.pad);
      behind.push_back(a.pad_behind());
    }
    const memory::desc input(in, kF32, layout), output(out, kF32, layout);
    // Every piece must agree on the filter's layout: the first one chooses.
    const memory::desc filter =
        inner_filter_.data.ndims != 0
            ? inner_filter_
            : memory::desc(UserFilter().dims(), kF32, memory::format_tag::any);
    const dnnl::primitive_attr attr = UserScratchpad();
    const dnnl::convolution_forward::primitive_desc forward(
        {dnnl::prop_kind::forward_training, kAlgorithm, input, filter, output,
         strides, dilations, before, behind},
        attr, engine);
    if (d.pass == ConvPass::kForward) {
      ExpectFast(forward);
      inner_filter_ = forward.weights_desc();
      return {dnnl::convolution_forward(forward),
              forward.scratchpad_desc(),
              {{DNNL_ARG_SRC, input},
               {DNNL_ARG_WEIGHTS, inner_filter_},
               {DNNL_ARG_DST, output}}};
    }
    if (d.pass == ConvPass::kBackwardInput) {
      const dnnl::convolution_backward_data::primitive_desc made(
          {kAlgorithm, input, filter, output, strides, dilations, before,
           behind},
          attr, engine, forward);
      ExpectFast(made);
      inner_filter_ = made.weights_desc();
      return {dnnl::convolution_backward_data(made),
              made.scratchpad_desc(),
              {{DNNL_ARG_DIFF_DST, output},
               {DNNL_ARG_WEIGHTS, inner_filter_},
               {DNNL_ARG_DIFF_SRC, input}}};
    }
    const dnnl::convolution_backward_weights::primitive_desc made(
        {kAlgorithm, input, filter, output, strides, dilations, before, behind},
        attr, engine, forward);
    ExpectFast(made);
    inner_filter_ = made.diff_weights_desc();
    return {dnnl::convolution_backward_weights(made),
            made.scratchpad_desc(),
            {{DNNL_ARG_SRC, input},
             {DNNL_ARG_DIFF_DST, output},
             {DNNL_ARG_DIFF_WEIGHTS, inner_filter_}}};
  }

  Status PrepareReorder() {
    const memory::desc user = UserFilter();
    const memory::desc& from = backward_filter() ? inner_filter_ : user;
    const memory::desc& to = backward_filter() ? user : inner_filter_;
    filter_bytes_ =
        (static_cast<int64_t>(inner_filter_.get_size()) + 63) / 64 * 64;
    const int64_t buffers =
        backward_filter() ? static_cast<int64_t>(pieces_.size()) : 1;
    filters_ = std::make_unique<ScratchPool>(filter_bytes_ * buffers);
    GK_ASSIGN_OR_RETURN(reorder_,
                        DnnlPrimitive::Create([&](const dnnl::engine& engine) {
                          const dnnl::reorder::primitive_desc made(
                              engine, from, engine, to, UserScratchpad());
                          return DnnlPrimitive::Parts{
                              dnnl::reorder(made),
                              made.scratchpad_desc(),
                              {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}}};
                        }));
    return OkStatus();
  }

  Status DoRun(const void* x, const void* y, void* result,
               Parallel parallel) override {
    return RunPieces(x, y, result, parallel, nullptr);
  }
  Status DoRunInParts(const void* x, const void* y, void* result,
                      Parallel parallel, PartDone done) override {
    return RunPieces(x, y, result, parallel,
                     backward_filter() ? nullptr : &done);
  }

  Status RunPieces(const void* x, const void* y, void* result,
                   Parallel parallel, const PartDone* told) {
    const Conv2DDesc& d = desc_;
    ScratchPool::Lease filters = filters_->Take();
    if (filters.data() == nullptr) {
      return ResourceExhausted("out of memory in a convolution");
    }
    if (!backward_filter()) {
      void* const both[] = {const_cast<void*>(y), filters.data()};
      GK_RETURN_IF_ERROR(reorder_->Run(both));
    }
    std::mutex mutex;
    Status failure;
    const int64_t count = static_cast<int64_t>(pieces_.size());
    int64_t in_row = d.in_c, out_row = d.out_c;
    for (size_t i = 1; i < axes_.size(); ++i) {
      in_row *= axes_[i].in;
      out_row *= axes_[i].out;
    }
    parallel.For(count, [&](int64_t i) {
      const PieceAt& at = pieces_[i];
      const int64_t in = (at.image * axes_[0].in + at.in_row) * in_row;
      const int64_t out = (at.image * axes_[0].out + at.out_row) * out_row;
      const auto offset = [](const void* p, int64_t elements) -> void* {
        return const_cast<float*>(static_cast<const float*>(p) + elements);
      };
      void* const forward[] = {offset(x, in), filters.data(),
                               offset(result, out)};
      void* const input[] = {offset(x, out), filters.data(),
                             offset(result, in)};
      void* const filter[] = {offset(x, in), offset(y, out),
                              filters.data() + i * filter_bytes_};
      const auto& pointers = d.pass == ConvPass::kForward ? forward
                             : backward_filter()          ? filter
                                                          : input;
      Status done = at.primitive->Run(pointers);
      if (done.ok()) {
        if (told != nullptr) (*told)(at.first, at.count);
        return;
      }
      std::lock_guard<std::mutex> lock(mutex);
      if (failure.ok()) failure = std::move(done);
    });
    GK_RETURN_IF_ERROR(failure);
    if (!backward_filter()) return OkStatus();
    for (int64_t i = 1; i < count; ++i) {
      Stamp<AddBody, void(const float*, int64_t, float*)>::Best()(
          reinterpret_cast<const float*>(filters.data() + i * filter_bytes_),
          static_cast<int64_t>(inner_filter_.get_size() / sizeof(float)),
          reinterpret_cast<float*>(filters.data()));
    }
    void* const both[] = {filters.data(), result};
    return reorder_->Run(both);
  }

  const std::vector<Axis> axes_;
  memory::desc inner_filter_;
  std::map<Piece, std::unique_ptr<DnnlPrimitive>> primitives_;
  std::vector<PieceAt> pieces_;
  std::unique_ptr<DnnlPrimitive> reorder_;
  std::unique_ptr<ScratchPool> filters_;
  int64_t filter_bytes_ = 0;
};

}  // namespace

Created CreateDnnl(const Conv2DDesc& desc) {
  auto made = std::make_shared<DnnlConv>(desc);
  GK_RETURN_IF_ERROR(made->Prepare());
  return std::shared_ptr<Conv2D>(std::move(made));
}

}  // namespace gk::conv_internal
