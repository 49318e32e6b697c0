// Walks over all records: what they say of an op is true of its kernel.
#include <gtest/gtest.h>

#include <cstring>

#include "eager/op_outcomes_for_test.h"
#include "framework/op_registry.h"
#include "framework/run_kernel.h"
#include "ops/fn/EmptyTensorList.h"
#include "ops/fn/TensorListLength.h"
#include "ops/fn/VarHandleOp.h"

namespace gk {
namespace {

const OpRegistry& Registry() {
  InitEager();
  return OpRegistry::Get();
}

const std::vector<const OpRecord*>& AllOps() { return Registry().all(); }

std::vector<const OpRecord*> OpsWith(Trait trait) {
  std::vector<const OpRecord*> out;
  for (const OpRecord* op : AllOps()) {
    if (op->Has(trait)) out.push_back(op);
  }
  EXPECT_FALSE(out.empty());
  return out;
}

std::vector<DataType> AllTypes() {
  std::vector<DataType> out;
  for (int i = 1; i < kNumDataTypes; ++i) {
    out.push_back(static_cast<DataType>(i));
  }
  return out;
}

bool SameBytes(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() &&
         std::memcmp(a.raw_data(), b.raw_data(), a.byte_size()) == 0;
}

// What a tile kernel makes of the same number everywhere.
std::optional<Tensor> OfNumbers(const TileKernel& tile,
                                std::initializer_list<double> numbers) {
  std::vector<Tensor> in;
  for (double number : numbers) {
    const DataType dtype = tile.in[in.size()];
    Tensor t = ValueOrThrow(Tensor::Zeros(dtype, TensorShape({3})));
    VisitType<half, bfloat16, float, double, int8_t, int16_t, int32_t, int64_t,
              uint8_t, uint16_t, uint32_t, uint64_t, complex64, complex128>(
        dtype, [&](auto tag) {
          using T = decltype(tag);
          for (int i = 0; i < 3; ++i) t.data<T>()[i] = T(number);
        });
    in.push_back(std::move(t));
  }
  if (in.size() != tile.num_inputs) return std::nullopt;
  std::vector<const void*> pointers;
  for (const Tensor& t : in) pointers.push_back(t.raw_data());
  TileParams params;
  if (tile.prepare) tile.prepare({}, &params);
  Tensor out = ValueOrThrow(Tensor::Zeros(tile.out, TensorShape({3})));
  if (tile.fn(out.raw_data(), pointers.data(), 3, &params) != 0) return {};
  return out;
}

bool IsZero(const Tensor& t) {
  bool zero = true;
  VisitType<bool, half, bfloat16, float, double, int8_t, int16_t, int32_t,
            int64_t, uint8_t, uint16_t, uint32_t, uint64_t, complex64,
            complex128>(t.dtype(), [&](auto tag) {
    using T = decltype(tag);
    for (int i = 0; i < t.num_elements(); ++i) zero &= t.data<T>()[i] == T(0);
  });
  return zero;
}

// True of every dtype, and said of every op of which it is true.
TEST(OpTraits, KeepsZero) {
  for (const OpRecord* op : AllOps()) {
    if (!op->kernel.tile || op->def->inputs.size() != 1) continue;
    bool tried = false, keeps = true;
    for (DataType t : AllTypes()) {
      if (!op->kernel.types.Contains(t)) continue;
      const TileKernel* tile = op->kernel.tile(t, {});
      if (tile == nullptr || tile->out == DataType::kBool) continue;
      const std::optional<Tensor> out = OfNumbers(*tile, {0});
      tried = true;
      keeps &= out && IsZero(*out);
    }
    if (!tried) continue;
    EXPECT_EQ(op->Has(kKeepsZero), keeps) << op->name;
  }
}

TEST(OpTraits, Cheap) {
  for (const OpRecord* op : OpsWith(kCheap)) {
    SCOPED_TRACE(op->name);
    EXPECT_FALSE(op->Has(kStateful | kRandom | kExpensive | kReduction |
                         kCallsFunction | kReadsResource | kWritesResource));
    for (DataType t : AllTypes()) {
      const TileKernel* tile =
          op->kernel.tile ? op->kernel.tile(t, {}) : nullptr;
      if (tile && !IsComplex(t)) {
        EXPECT_LE(tile->cost_ns, 1);
      }
    }
  }
}

TEST(OpTraits, ShapeOnly) {
  for (const OpRecord* op : OpsWith(kShapeOnly)) {
    SCOPED_TRACE(op->name);
    const TensorVector of_some = MakeOp(op->name, TensorVector{F({1, 2, 3})}),
                       of_others = MakeOp(op->name, TensorVector{F({7, 0, 9})});
    ASSERT_EQ(of_some.size(), of_others.size());
    for (size_t i = 0; i < of_some.size(); ++i) {
      EXPECT_TRUE(SameBytes(of_some[i], of_others[i]));
    }
  }
}

TEST(OpTraits, PassesValues) {
  const Tensor x = F({1, -2.5, 0});
  for (const OpRecord* op : OpsWith(kPassesValues)) {
    SCOPED_TRACE(op->name);
    AttrMap attrs;
    if (op->def->FindAttr("message")) attrs.Set("message", std::string("no"));
    if (op->def->FindAttr("shape")) attrs.Set("shape", PartialTensorShape());
    EXPECT_TRUE(SameBytes(MakeOp(op->name, TensorVector{x}, attrs)[0], x));
  }
}

TEST(OpTraits, ViewOfOne) {
  const Tensor x = F({1, -2.5, 0});
  for (const OpRecord* op : OpsWith(kViewOfOne)) {
    SCOPED_TRACE(op->name);
    const Tensor y = MakeOp(op->name, TensorVector{x})[0];
    EXPECT_EQ(y.num_elements(), 3);
    EXPECT_EQ(std::memcmp(y.raw_data(), x.raw_data(), x.byte_size()), 0);
  }
}

// Where nobody else has the input, its memory is the output's.
TEST(OpTraits, UpdatesInput) {
  for (const OpRecord* op : OpsWith(kUpdatesInput)) {
    SCOPED_TRACE(op->name);
    const OpDef& def = *op->def;
    ASSERT_GE(def.inputs.size(), 3u);
    EXPECT_EQ(def.inputs[0].type_attr, def.outputs[0].type_attr);
    const Tensor x = F({1, 2, 3});
    TensorVector in{x.Alias()};
    if (def.inputs[1].type_attr == def.inputs[0].type_attr) {
      in.push_back(F({5}));  // the update, where it begins
      in.push_back(I({1}));
    } else if (def.inputs.size() == 3) {  // indices or rows, updates
      const bool rows = def.inputs[1].name == "i";
      in.push_back(I({1}, rows ? TensorShape({1}) : TensorShape({1, 1})));
      in.push_back(F({5}));
    } else {  // begin, end, strides, value
      for (int i : {1, 2, 1}) in.push_back(I({i}));
      in.push_back(F({5}));
    }
    std::vector<DataType> types;
    for (const Tensor& t : in) types.push_back(t.dtype());
    AttrMap attrs;
    ASSERT_TRUE(ResolveAttrs(*op, types, false, &attrs).ok());
    in[0] = F({1, 2, 3});
    const void* const memory = in[0].raw_data();
    std::vector<const Tensor*> inputs;
    for (const Tensor& t : in) inputs.push_back(&t);
    TensorVector out(1);
    KernelContext c(*op, attrs, inputs, out);
    c.set_plan(nullptr, 1);
    ASSERT_TRUE(RunKernel(c).ok());
    EXPECT_EQ(out[0].raw_data(), memory);
    EXPECT_EQ(out[0].shape(), x.shape());
    EXPECT_EQ(out[0].data<float>()[0], 1);
    EXPECT_EQ(out[0].data<float>()[2], 3);
  }
}

TEST(OpTraits, Addition) {
  for (const OpRecord* op : OpsWith(kAddition)) {
    SCOPED_TRACE(op->name);
    if (!op->Has(kElementwise)) {  // of a row
      const Tensor sum = MakeOp1(op->name, {F({1, 2}, {1, 2}), F({3, 5})});
      EXPECT_EQ(Show(sum), Show(F({4, 7}, {1, 2})));
      continue;
    }
    for (DataType t : {DataType::kFloat, DataType::kInt32, DataType::kInt64}) {
      const TileKernel* tile = op->kernel.tile(t, {});
      ASSERT_NE(tile, nullptr);
      EXPECT_TRUE(
          SameBytes(*OfNumbers(*tile, {3, 4}), *OfNumbers(*tile, {7, 0})));
      EXPECT_FALSE(IsZero(*OfNumbers(*tile, {3, 4})));
    }
  }
}

TEST(OpTraits, OneOpEach) {
  const OpRegistry& all = Registry();
  const Tensor x = F({1, 2, 3});
  const Tensor constant = MakeOp(all.The(kConstant).name, {},
                                 {{"value", x}, {"dtype", x.dtype()}})[0];
  EXPECT_TRUE(SameBytes(constant, x));
  EXPECT_TRUE(SameBytes(MakeOp1(all.The(kIdentity).name, {x}), x));
  const OpDef& orders = *all.The(kOnlyOrders).def;
  EXPECT_TRUE(orders.inputs.empty() && orders.outputs.empty());
  EXPECT_TRUE(all.The(kPlaceholder).Has(kSourceOp));
  EXPECT_NE(all.The(kPlaceholder).def->FindAttr("shape"), nullptr);
  EXPECT_EQ(Show(MakeOp1(all.The(kUndefined).name, {},
                         {{"dtype", DataType::kFloat},
                          {"shape", PartialTensorShape({2})}}))
                .substr(0, 9),
            "float [2]");
  EXPECT_EQ(Show(MakeOp1(all.The(kInequality).name, {x, F({1, 0, 3})})),
            "bool [3] {false true false}");
  EXPECT_EQ(Show(MakeOp1(all.The(kCounts).name, {I(1), I(6), I(2)})),
            "int32 [3] {1 3 5}");
  EXPECT_EQ(Show(MakeOp1(all.The(kSlices).name, {x, I({1}), I({3}), I({1})})),
            "float [2] {2 3}");
}

TEST(OpTraits, EndsOfLists) {
  const OpRegistry& all = Registry();
  const Tensor none = ops::EmptyTensorList(I(-1), I(-1), DataType::kFloat);
  const AttrMap attrs{{"element_dtype", DataType::kFloat}};
  const Tensor one = MakeOp1(all.The(kAppends).name, {none, F({4, 5})}, attrs);
  EXPECT_EQ(Show(ops::TensorListLength(one)), "int32 [] {1}");
  const TensorVector out =
      MakeOp(all.The(kTakesLast).name, TensorVector{one, I(-1)}, attrs);
  EXPECT_EQ(Show(ops::TensorListLength(out[0])), "int32 [] {0}");
  EXPECT_EQ(Show(out[1]), "float [2] {4 5}");
}

// What writes variables, alone or by the op that it says combines values.
TEST(OpTraits, Variables) {
  const OpRegistry& all = Registry();
  const AttrMap dtype{{"dtype", DataType::kFloat}};
  const Tensor handle = ops::VarHandleOp(
      DataType::kFloat, PartialTensorShape({2}), "", "written by all");
  const auto read = [&] {
    return MakeOp1(all.The(kReadsVariable).name, {handle}, dtype);
  };
  int combining = 0;
  for (const OpRecord* op : AllOps()) {
    if (op->combine.empty()) continue;
    SCOPED_TRACE(op->name);
    const OpRecord* how = all.Find(op->combine);
    ASSERT_NE(how, nullptr);
    EXPECT_TRUE(how->Has(kElementwise));
    EXPECT_TRUE(op->Has(kReadsResource) && op->Has(kWritesResource));
    MakeOp(all.The(kAssignsVariable).name, TensorVector{handle, F({5, -3})},
           dtype);
    EXPECT_EQ(Show(read()), "float [2] {5 -3}");
    MakeOp(op->name, TensorVector{handle, F({2, 8})}, dtype);
    EXPECT_TRUE(SameBytes(read(), MakeOp1(how->name, {F({5, -3}), F({2, 8})})));
    ++combining;
  }
  EXPECT_GT(combining, 0);
}

TEST(OpTraits, SpecialCases) {
  int cases = 0;
  for (const OpRecord* op : AllOps()) {
    if (op->special.op.empty()) continue;
    SCOPED_TRACE(op->name);
    const OpRecord* other = OpRegistry::Get().Find(op->special.op);
    ASSERT_NE(other, nullptr);
    for (DataType t : {DataType::kHalf, DataType::kFloat, DataType::kDouble,
                       DataType::kInt32, DataType::kInt64}) {
      const TileKernel* f = op->kernel.tile(t, {});
      const TileKernel* g = other->kernel.tile(t, {});
      ASSERT_TRUE(f && g);
      for (double x : {0.0, 1.0, -3.0, 11.0}) {
        EXPECT_TRUE(SameBytes(*OfNumbers(*f, {x, op->special.operand}),
                              *OfNumbers(*g, {x})))
            << DataTypeName(t) << " " << x;
        ++cases;
      }
    }
  }
  EXPECT_GT(cases, 0);
}

// Kinds of control have the attributes that they are asked for, both with
// and without side effects, and all else has none.
TEST(OpTraits, Control) {
  const auto has = [](const OpRecord& op, const char* name, bool list) {
    const AttrDef* attr = op.def->FindAttr(name);
    return attr && attr->type == AttrType::kFunc && attr->is_list == list;
  };
  int count = 0;
  for (const OpRecord* op : AllOps()) {
    SCOPED_TRACE(op->name);
    if (op->control == Control::kCall) {
      EXPECT_TRUE(has(*op, "f", false));
    }
    EXPECT_EQ(op->control == Control::kIf,
              has(*op, "then_branch", false) && has(*op, "else_branch", false));
    EXPECT_EQ(op->control == Control::kCase, has(*op, "branches", true));
    EXPECT_EQ(op->control == Control::kWhile,
              has(*op, "cond", false) && has(*op, "body", false));
    if (op->control == Control::kNone) continue;
    EXPECT_TRUE(op->Has(kCallsFunction));
    EXPECT_EQ(&OpRegistry::Get().Of(op->control, op->Has(kStateful)), op);
    ++count;
  }
  EXPECT_EQ(count, 8);
}

// Inputs that are known in full.
class Known final : public ShapeValueContext {
 public:
  Known(std::span<const Tensor> in, const AttrMap& attrs, const Tensor& out,
        int output)
      : in_(in), attrs_(attrs), out_(out.shape()), output_(output) {
    for (const Tensor& t : in) shapes_.push_back(t.shape());
  }
  int num_inputs() const override { return in_.size(); }
  const AttrMap& attrs() const override { return attrs_; }
  const PartialTensorShape& shape(int i) const override { return shapes_[i]; }
  std::optional<PartialTensorShape> elements(int i) const override {
    if (in_[i].dtype() != DataType::kInt32 || in_[i].rank() > 1) return {};
    PartialTensorShape all = PartialTensorShape::UnknownOfRank(0);
    for (int32_t e : in_[i].flat<int32_t>()) all.AddDim(e);
    return all;
  }
  std::optional<int64_t> integer(int i) const override {
    if (in_[i].num_elements() != 1) return {};
    return *in_[i].data<int32_t>();
  }
  int output() const override { return output_; }
  const PartialTensorShape& output_shape() const override { return out_; }

 private:
  const std::span<const Tensor> in_;
  const AttrMap& attrs_;
  const PartialTensorShape out_;
  const int output_;
  std::vector<PartialTensorShape> shapes_;
};

// Of whatever inputs an op takes its kernel makes what the record says.
TEST(OpTraits, ShapeValues) {
  const Tensor v = I({4, 7, 9, 2}), one = I(5);
  const std::vector<TensorVector> candidates = {
      {v},
      {F({1, 2, 3, 4, 5, 6}, TensorShape({2, 3}))},
      {one},
      {one, I(6), I(7)},
      {v, v},
      {v, I({8}), I(0)},
      {v, I({1}), I({3}), I({1})},
      {v, I({-1}), I({-9}), I({-2})}};
  const std::vector<AttrMap> more = {{},
                                     {{"DstT", DataType::kInt64}},
                                     {{"shrink_axis_mask", int64_t{1}}},
                                     {{"begin_mask", int64_t{1}}},
                                     {{"end_mask", int64_t{1}}}};
  for (const OpRecord* op : AllOps()) {
    if (op->shape_value == nullptr) continue;
    SCOPED_TRACE(op->name);
    int said = 0;
    for (const TensorVector& in : candidates) {
      for (AttrMap attrs : more) {
        TensorVector out;
        std::vector<DataType> types;
        for (const Tensor& t : in) types.push_back(t.dtype());
        if (!ResolveAttrs(*op, types, false, &attrs).ok()) continue;
        try {
          out = MakeOp(op->name, in, attrs);
        } catch (const Error&) {
          continue;
        }
        for (size_t i = 0; i < out.size(); ++i) {
          const auto all = op->shape_value(Known(in, attrs, out[i], i));
          if (!all) continue;
          std::vector<int64_t> made;
          if (out[i].dtype() == DataType::kInt32) {
            for (int32_t e : out[i].flat<int32_t>()) made.push_back(e);
          } else if (out[i].dtype() == DataType::kInt64) {
            for (int64_t e : out[i].flat<int64_t>()) made.push_back(e);
          } else {
            continue;
          }
          EXPECT_EQ(*all, PartialTensorShape(std::span<const int64_t>(made)))
              << all->DebugString() << " of " << Show(in[0]);
          ++said;
        }
      }
    }
    EXPECT_GT(said, 0);
  }
}

}  // namespace
}  // namespace gk
