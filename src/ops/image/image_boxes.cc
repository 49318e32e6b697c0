// Boxes drawn into pictures, and boxes drawn at random.
#include <array>
#include <bit>
#include <cmath>
#include <vector>

#include "base/interrupt.h"
#include "framework/op_registry.h"
#include "kernels/elementwise.h"
#include "kernels/random.h"
#include "ops/element_moves.h"
#include "ops/image/picture_sizes.h"
#include "ops/random/random_fill.h"
#include "ops/random/random_place.h"

namespace gk {
namespace {

// ---- DrawBoundingBoxes ----

// Of boxes that nobody gave a colour: yellow, blue, red, lime, purple, olive,
// maroon, navy, aqua, fuchsia.
constexpr float kColors[][4] = {
    {1, 1, 0, 1},     {0, 0, 1, 1},     {1, 0, 0, 1},   {0, 1, 0, 1},
    {0.5, 0, 0.5, 1}, {0.5, 0.5, 0, 1}, {0.5, 0, 0, 1}, {0, 0, 0.5, 1},
    {0, 1, 1, 1},     {1, 0, 1, 1}};

// fn(row, column) for each pixel of the frame of a box that is inside.
template <class Fn>
void ForFrame(const float* box, int64_t height, int64_t width, Fn&& fn) {
  struct Side {
    int64_t low, high, n;
    bool ok = true;
    Side(float a, float b, int64_t size) : n(size) {
      constexpr float kFar = 1e9f;
      const float last = static_cast<float>(size - 1);
      ok = !std::isnan(a) && !std::isnan(b);
      if (!ok) return;
      low = static_cast<int64_t>(std::clamp(a * last, -kFar, kFar));
      high = static_cast<int64_t>(std::clamp(b * last, -kFar, kFar));
      ok = low <= high && low < n && high >= 0;
    }
    int64_t first() const { return std::max<int64_t>(low, 0); }
    int64_t end() const { return std::min(high, n - 1) + 1; }
  };
  const Side rows(box[0], box[2], height), columns(box[1], box[3], width);
  if (!rows.ok || !columns.ok) return;
  for (const int64_t row : {rows.low, rows.high}) {
    if (row < 0 || row >= height) continue;
    for (int64_t x = columns.first(); x < columns.end(); ++x) fn(row, x);
  }
  for (const int64_t column : {columns.low, columns.high}) {
    if (column < 0 || column >= width) continue;
    for (int64_t y = rows.first(); y < rows.end(); ++y) fn(y, column);
  }
}

Status CheckDrawing(const Tensor& images, const Tensor& boxes) {
  if (images.rank() != 4) {
    return InvalidArgument("The rank of the images should be 4");
  }
  if (boxes.rank() != 3) {
    return InvalidArgument("The rank of the boxes tensor should be 3");
  }
  if (images.dim(0) != boxes.dim(0)) {
    return InvalidArgument("The batch sizes should be the same");
  }
  if (images.dim(3) != 4 && images.dim(3) != 1 && images.dim(3) != 3) {
    return InvalidArgument(
        "Channel depth should be either 1 (GRY), 3 (RGB), or 4 (RGBA)");
  }
  if (boxes.dim(2) != 4) {
    return InvalidArgument(
        "The size of the third dimension of the box must be 4. Received: {}",
        boxes.dim(2));
  }
  return OkStatus();
}

Status ComputeDrawing(KernelContext& c) {
  const Tensor &images = c.input(0), &boxes = c.input(1);
  GK_RETURN_IF_ERROR(CheckDrawing(images, boxes));
  const PictureSizes s = SizesOf(images);
  std::vector<std::array<float, 4>> colors;
  if (c.num_inputs() == 3) {
    const Tensor& given = c.input(2);
    if (given.rank() != 2) {
      return InvalidArgument("colors must be a 2-D matrix{}",
                             given.shape().DebugString());
    }
    if (given.dim(1) < s.channels) {
      return InvalidArgument(
          "colors must have equal or more channels than the image provided: "
          "{}",
          given.shape().DebugString());
    }
    for (int64_t i = 0; i < given.dim(0); ++i) {
      std::array<float, 4> color{};
      std::copy_n(given.data<float>() + i * given.dim(1), s.channels,
                  color.begin());
      colors.push_back(color);
    }
  }
  if (colors.empty()) {
    for (const auto& color : kColors) {
      colors.push_back(
          {s.channels == 1 ? 1 : color[0], color[1], color[2], color[3]});
    }
  }
  GK_ASSIGN_OR_RETURN(Tensor out, images.Copy());
  const int64_t n = boxes.dim(1);
  VisitType<float, half>(out.dtype(), [&](auto tag) {
    using T = decltype(tag);
    ThreadPool::Global().ParallelRange(
        s.batch, n * (s.height + s.width) * 4, [&](int64_t begin, int64_t end) {
          for (int64_t b = begin; b < end; ++b) {
            T* picture = out.data<T>() + b * s.height * s.line();
            for (int64_t i = 0; i < n; ++i) {
              const auto& color = colors[i % colors.size()];
              ForFrame(boxes.data<float>() + (b * n + i) * 4, s.height, s.width,
                       [&](int64_t y, int64_t x) {
                         T* pixel = picture + y * s.line() + x * s.channels;
                         for (int64_t k = 0; k < s.channels; ++k) {
                           pixel[k] = Convert<T>(color[k]);
                         }
                       });
            }
          }
        });
  });
  c.set_output(0, std::move(out));
  return OkStatus();
}

// ---- SampleDistortedBoundingBox ----

struct Rectangle {
  int64_t left = 0, top = 0, right = 0, bottom = 0;

  float Area() const {
    return right > left && bottom > top
               ? static_cast<float>((right - left) * (bottom - top))
               : 0.0f;
  }
  Rectangle Common(const Rectangle& o) const {
    return {std::max(left, o.left), std::max(top, o.top),
            std::min(right, o.right), std::min(bottom, o.bottom)};
  }
};

struct SampleRule {
  float covered = 0, aspect[2] = {}, area[2] = {};
  int64_t attempts = 0;
};

// Words of a generator, as a float of [0, 1) and as integers below n.
class Draws {
 public:
  explicit Draws(const Philox& gen) : words_(gen) {}
  float Unit() {
    const uint32_t bits = (words_.Word() & 0x7fffff) | 0x3f800000;
    return std::bit_cast<float>(bits) - 1.0f;
  }
  int64_t Below(uint32_t n) {
    if (n == 0) {
      words_.Word();
      return 0;
    }
    if ((n & (n - 1)) == 0) return words_.Word() & (n - 1);
    // The first few words would make small numbers more likely.
    const uint32_t skewed = UINT32_MAX % n + 1;
    uint32_t word = words_.Word();
    while (word < skewed) word = words_.Word();
    return word % n;
  }

 private:
  PhiloxStream words_;
};

int64_t Rounded(float v) { return std::lrintf(v); }

// A part of a picture with an area between the limits; false if there is none.
bool SampleCrop(const SampleRule& rule, int64_t width, int64_t height,
                float aspect, Draws& draws, Rectangle* crop) {
  if (!(rule.area[1] > 0) || !(aspect > 0) || width <= 0 || height <= 0 ||
      rule.area[0] > rule.area[1]) {
    return false;
  }
  const float w = static_cast<float>(width), h = static_cast<float>(height);
  const float least = rule.area[0] * w * h, most = rule.area[1] * w * h;
  int64_t rows = Rounded(std::sqrt(least / aspect));
  int64_t most_rows = Rounded(std::sqrt(most / aspect));
  const auto columns_of = [&](int64_t r) {
    return Rounded(static_cast<float>(r) * aspect);
  };
  if (columns_of(most_rows) > width) {
    constexpr float kEpsilon = 0.0000001f;
    most_rows = static_cast<int64_t>((w + 0.5 - kEpsilon) / aspect);
    if (columns_of(most_rows) > width) --most_rows;
  }
  most_rows = std::min(most_rows, height);
  rows = std::min(rows, most_rows);
  if (rows < most_rows) {
    rows += draws.Below(static_cast<uint32_t>(most_rows - rows + 1));
  }
  int64_t columns = columns_of(rows);
  float area = static_cast<float>(columns * rows);
  const auto change = [&](int64_t by) {
    rows += by;
    columns = columns_of(rows);
    area = static_cast<float>(columns * rows);
  };
  // Rounding may have left the limits.
  if (area < least) change(1);
  if (area > most) change(-1);
  if (area < least || area > most || columns > width || rows > height ||
      columns <= 0 || rows <= 0) {
    return false;
  }
  int64_t top = 0, left = 0;
  if (rows < height) top = draws.Below(static_cast<uint32_t>(height - rows));
  if (columns < width) {
    left = draws.Below(static_cast<uint32_t>(width - columns));
  }
  *crop = {left, top, left + columns, top + rows};
  return true;
}

bool Covers(const Rectangle& crop, float least,
            const std::vector<Rectangle>& objects) {
  if (crop.Area() < 1) return false;
  for (const Rectangle& object : objects) {
    if (object.Area() < 1) continue;
    if (object.Common(crop).Area() / object.Area() >= least) return true;
  }
  return false;
}

Status ReadPair(const KernelContext& c, std::string_view name,
                std::string_view what, float* pair) {
  const auto& list = c.attr<std::vector<float>>(name);
  if (list.size() != 2) {
    return InvalidArgument("{} field must specify 2 dimensions", what);
  }
  pair[0] = list[0];
  pair[1] = list[1];
  if (!(pair[0] > 0 && pair[1] > 0)) {
    return InvalidArgument("{} must be non-negative: [{}, {}]", what, pair[0],
                           pair[1]);
  }
  return OkStatus();
}

Status ReadSampleRule(const KernelContext& c, SampleRule* rule) {
  GK_RETURN_IF_ERROR(
      ReadPair(c, "aspect_ratio_range", "Aspect ratio range", rule->aspect));
  GK_RETURN_IF_ERROR(ReadPair(c, "area_range", "Area range", rule->area));
  if (rule->area[0] > 1 || rule->area[1] > 1) {
    return InvalidArgument(
        "Area range must be less then or equal to 1.0: [{}, {}]", rule->area[0],
        rule->area[1]);
  }
  rule->attempts = c.attr<int64_t>("max_attempts");
  if (rule->attempts <= 0 || rule->attempts > INT32_MAX) {
    return InvalidArgument("Max attempts must be non-negative: {}",
                           rule->attempts);
  }
  if (c.num_inputs() == 2) {
    rule->covered = c.attr<float>("min_object_covered");
  } else {
    const Tensor& covered = c.input(2);
    if (!covered.shape().IsScalar()) {
      return InvalidArgument("min_object_covered must be 0-D, got shape {}",
                             covered.shape().DebugString());
    }
    rule->covered = covered.scalar<float>();
  }
  if (!(rule->covered >= 0)) {
    return InvalidArgument("Min object covered must be non-negative: {}",
                           rule->covered);
  }
  return OkStatus();
}

// In pixels; the whole picture if there are none and that is allowed.
Status ReadObjects(const KernelContext& c, int64_t width, int64_t height,
                   std::vector<Rectangle>* objects) {
  const Tensor& boxes = c.input(1);
  if (boxes.rank() != 3) {
    return InvalidArgument(
        "input boxes must be 3-dimensional [batch, num_boxes, coords]: {}",
        boxes.shape().DebugString());
  }
  if (boxes.num_elements() > 0 && boxes.dim(2) != 4) {
    return InvalidArgument(
        "bounding boxes must have shape [4] or [*, 4], got {}",
        boxes.shape().DebugString());
  }
  for (const float v : boxes.flat<float>()) {
    if (!(v >= 0 && v <= 1)) {
      return InvalidArgument(
          "All bounding box coordinates must be in [0.0, 1.0]: {}", v);
    }
  }
  const float w = static_cast<float>(width), h = static_cast<float>(height);
  for (int64_t i = 0; i < boxes.num_elements(); i += 4) {
    const float* b = boxes.data<float>() + i;
    objects->push_back(
        {static_cast<int64_t>(b[1] * w), static_cast<int64_t>(b[0] * h),
         static_cast<int64_t>(b[3] * w), static_cast<int64_t>(b[2] * h)});
  }
  if (!objects->empty()) return OkStatus();
  if (!c.attr<bool>("use_image_if_no_bounding_boxes")) {
    return InvalidArgument(
        "No bounding boxes provided as input. One must enable "
        "use_image_if_no_bounding_boxes if you wish to not provide any "
        "bounding boxes.");
  }
  objects->push_back({0, 0, width, height});
  return OkStatus();
}

template <bool kStateless>
Status ComputeSample(KernelContext& c) {
  const Tensor& image_size = c.input(0);
  if (image_size.rank() != 1) {
    return InvalidArgument("image_size must be 1-dimensional{}",
                           image_size.shape().DebugString());
  }
  if (image_size.dim(0) != 3) {
    return InvalidArgument("image_size must contain 3 elements{}",
                           image_size.shape().DebugString());
  }
  std::vector<int64_t> size;
  GK_RETURN_IF_ERROR(IntegerValues(image_size, &size));
  const int64_t height = size[0], width = size[1];
  for (const int i : {0, 1}) {
    if (size[i] < 0 || size[i] >= INT32_MAX) {
      return InvalidArgument("image {} cannot be >= int32 max",
                             i == 0 ? "height" : "width");
    }
  }
  SampleRule rule;
  GK_RETURN_IF_ERROR(ReadSampleRule(c, &rule));
  std::vector<Rectangle> objects;
  GK_RETURN_IF_ERROR(ReadObjects(c, width, height, &objects));
  Philox gen;
  if constexpr (kStateless) {
    GK_ASSIGN_OR_RETURN(gen, GeneratorOfSeed(c.input(3)));
  } else {
    // Four words for each attempt.
    gen = TakePlace(c, [&](Philox& g) { g.Skip(rule.attempts); });
  }
  Draws draws(gen);
  Rectangle crop{0, 0, width, height};
  TurnPoll poll;
  for (int64_t i = 0; i < rule.attempts; ++i) {
    poll();
    Rectangle tried;
    const float aspect =
        draws.Unit() * (rule.aspect[1] - rule.aspect[0]) + rule.aspect[0];
    if (SampleCrop(rule, width, height, aspect, draws, &tried) &&
        Covers(tried, rule.covered, objects)) {
      crop = tried;
      break;
    }
  }
  const DataType t = image_size.dtype();
  Tensor *begin, *extent, *box;
  GK_RETURN_IF_ERROR(c.Allocate(0, t, TensorShape({3}), &begin));
  GK_RETURN_IF_ERROR(c.Allocate(1, t, TensorShape({3}), &extent));
  VisitType<int32_t, int64_t, uint8_t, int8_t, int16_t>(t, [&](auto tag) {
    using T = decltype(tag);
    const int64_t begins[] = {crop.top, crop.left, 0};
    const int64_t extents[] = {crop.bottom - crop.top, crop.right - crop.left,
                               -1};
    for (int i = 0; i < 3; ++i) {
      begin->data<T>()[i] = static_cast<T>(begins[i]);
      extent->data<T>()[i] = static_cast<T>(extents[i]);
    }
  });
  GK_RETURN_IF_ERROR(
      c.Allocate(2, DataType::kFloat, TensorShape({1, 1, 4}), &box));
  const int64_t sides[] = {crop.top, crop.left, crop.bottom, crop.right};
  for (int i = 0; i < 4; ++i) {
    box->data<float>()[i] = static_cast<float>(sides[i]) /
                            static_cast<float>(i % 2 == 0 ? height : width);
  }
  return OkStatus();
}

Status SampleShape(InferenceContext& c) {
  PartialTensorShape size, boxes, scalar;
  GK_RETURN_IF_ERROR(c.WithRank(0, 1, &size));
  GK_RETURN_IF_ERROR(c.WithRank(1, 3, &boxes));
  int64_t n;
  GK_RETURN_IF_ERROR(InferenceContext::MergeDims(boxes.dim(2), 4, &n));
  GK_RETURN_IF_ERROR(InferenceContext::MergeDims(size.dim(0), 3, &n));
  if (c.num_inputs() > 2) GK_RETURN_IF_ERROR(c.WithRank(2, 0, &scalar));
  if (c.num_inputs() > 3) {
    PartialTensorShape seed;
    GK_RETURN_IF_ERROR(c.WithRank(3, 1, &seed));
    GK_RETURN_IF_ERROR(InferenceContext::MergeDims(seed.dim(0), 2, &n));
  }
  c.set_output(0, {3});
  c.set_output(1, {3});
  c.set_output(2, {1, 1, 4});
  return OkStatus();
}

#define DRAWN_TYPE "T: type in [float, half] = float"
#define SIZE_TYPE "T: type in [uint8, int8, int16, int32, int64]; "
#define SAMPLE_OUTPUTS "begin: T; size: T; bboxes: float"
#define SAMPLE_RANGES                                                        \
  "aspect_ratio_range: list(float) = [0.75, 1.3300000429153442]; "           \
  "area_range: list(float) = [0.05000000074505806, 1.0]; max_attempts: int " \
  "= 100; use_image_if_no_bounding_boxes: bool = False"
#define SAMPLE_DOC                                                             \
  "A part of a picture of `image_size`, drawn at random, that shows at least " \
  "`min_object_covered` of one of the boxes [batch, n, 4]: its begin and "     \
  "size, "                                                                     \
  "as tf.slice takes them, and its box."

const OpRecord kRecords[] = {
    {.name = "DrawBoundingBoxes",
     .inputs = "images: T; boxes: float",
     .outputs = "output: T",
     .attrs = DRAWN_TYPE,
     .traits = kNoGradient,
     .shape = PictureLikeInput<0>,
     .kernel = {.compute = ComputeDrawing},
     .doc = "Pictures with the frames of boxes [batch, n, 4], in ten colours."},

    {.name = "DrawBoundingBoxesV2",
     .inputs = "images: T; boxes: float; colors: float",
     .outputs = "output: T",
     .attrs = DRAWN_TYPE,
     .shape = PictureLikeInput<0>,
     .kernel = {.compute = ComputeDrawing},
     .doc = "Pictures with the frames of boxes [batch, n, 4], in `colors` one "
            "after the other."},

    {.name = "SampleDistortedBoundingBox",
     .inputs = "image_size: T; bounding_boxes: float",
     .outputs = SAMPLE_OUTPUTS,
     .attrs = SIZE_TYPE "seed: int = 0; seed2: int = 0; min_object_covered: "
                        "float = 0.10000000149011612; " SAMPLE_RANGES,
     .traits = kStateful | kRandom | kNoGradient,
     .shape = SampleShape,
     .kernel = {.compute = ComputeSample<false>},
     .doc = SAMPLE_DOC},

    {.name = "SampleDistortedBoundingBoxV2",
     .inputs = "image_size: T; bounding_boxes: float; min_object_covered: "
               "float",
     .outputs = SAMPLE_OUTPUTS,
     .attrs = SIZE_TYPE "seed: int = 0; seed2: int = 0; " SAMPLE_RANGES,
     .traits = kStateful | kRandom | kNoGradient,
     .shape = SampleShape,
     .kernel = {.compute = ComputeSample<false>},
     .doc = SAMPLE_DOC},

    {.name = "StatelessSampleDistortedBoundingBox",
     .inputs = "image_size: T; bounding_boxes: float; min_object_covered: "
               "float; seed: Tseed",
     .outputs = SAMPLE_OUTPUTS,
     .attrs = SIZE_TYPE "Tseed: type in [int32, int64]; " SAMPLE_RANGES,
     .traits = kNoGradient,
     .shape = SampleShape,
     .kernel = {.compute = ComputeSample<true>},
     .doc = SAMPLE_DOC " It is determined by `seed`."},
};

}  // namespace

GK_REGISTER_OPS(image_boxes)

}  // namespace gk
