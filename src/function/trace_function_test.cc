// The order of a trace, and that it is left after whatever happens in it.
#include "function/trace_function.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "function/function_attributes.h"
#include "function/trace_writes.h"

namespace gk {
namespace {

using Steps = std::vector<std::string>;

class FakeBody final : public TracedBody {
 public:
  explicit FakeBody(FuncGraph* graph) : graph_(graph), arguments_(this) {}

  ArgumentFace* arguments() override { return &arguments_; }
  Status Call() override {
    Note("call");
    EXPECT_EQ(graph_->inputs().arguments().size(), 1u);
    EXPECT_TRUE(graph_->signature().type);
    if (writes) write = TraceWrites::Add("write at net.cc:1");
    if (throws) throw std::runtime_error("thrown");
    return fails;
  }
  Status CheckArguments() override {
    Note("check arguments");
    return changed;
  }
  StatusOr<StructureRef> Results(AddResult add) override {
    Note("results");
    GK_RETURN_IF_ERROR(add(arguments_.made));
    return Structure::Leaf();
  }
  Status NotAlone(Status error) override {
    steps.push_back("not alone");
    return error;
  }

  bool throws = false, writes = false;
  Status fails, changed;
  std::shared_ptr<UnusedWrite> write;
  Steps steps;

 private:
  class Arguments final : public ArgumentFace {
   public:
    explicit Arguments(FakeBody* body)
        : ArgumentFace(body->graph_), body_(body) {}
    Names NamesOf(const TraceType&, const std::string& parameter,
                  const std::string& path) override {
      return {parameter, path};
    }
    Status Tensor(const gk::Tensor& placeholder) override {
      body_->Note("argument");
      made = placeholder;
      return OkStatus();
    }
    Status Variable(const TraceType&, const gk::Tensor&,
                    const std::string&) override {
      return OkStatus();
    }
    gk::Tensor made;

   private:
    FakeBody* const body_;
  };

  // Steps that belong into the graph.
  void Note(const char* step) {
    steps.push_back(step);
    EXPECT_EQ(FuncGraph::Current(), graph_);
  }

  FuncGraph* const graph_;
  Arguments arguments_;
};

class TraceFunctionTest : public testing::Test {
 protected:
  Status Run() {
    const auto type = MakeRef<FunctionType>(std::vector<FunctionParameter>{
        {"x", ParameterKind::kPositionalOrKeyword, false,
         TraceType::Tensor(DataType::kFloat, {2})}});
    auto made =
        TraceFunction(graph_.get(), {"f", type, {}, attributes_}, &body_);
    EXPECT_EQ(FuncGraph::Current(), nullptr);
    EXPECT_FALSE(TraceWrites::AreWatched());
    if (!made.ok()) return made.status();
    made_ = *std::move(made);
    return OkStatus();
  }

  Ref<FuncGraph> graph_ = MakeRef<FuncGraph>("f");
  FakeBody body_{graph_.get()};
  AttrMap attributes_;
  Ref<ConcreteFunction> made_;
};

TEST_F(TraceFunctionTest, GoesThroughItsStepsInOrder) {
  ASSERT_TRUE(Run().ok());
  EXPECT_EQ(body_.steps,
            (Steps{"argument", "call", "check arguments", "results"}));
  EXPECT_TRUE(graph_->finished());
  EXPECT_TRUE(made_->signature().type);
  EXPECT_TRUE(made_->signature().output);
}

TEST_F(TraceFunctionTest, IsLeftAfterAnErrorOfTheBody) {
  body_.fails = ValueError("of the body");
  EXPECT_EQ(Run().message(), "of the body");
  EXPECT_EQ(body_.steps, (Steps{"argument", "call"}));
}

TEST_F(TraceFunctionTest, IsLeftWhileAnExceptionPasses) {
  body_.throws = true;
  EXPECT_THROW((void)Run(), std::runtime_error);
  EXPECT_EQ(FuncGraph::Current(), nullptr);
  EXPECT_FALSE(TraceWrites::AreWatched());
  EXPECT_EQ(body_.steps, (Steps{"argument", "call"}));
}

TEST_F(TraceFunctionTest, LooksAtNoResultOfABodyThatChangedItsArguments) {
  body_.changed = ValueError("changed");
  EXPECT_EQ(Run().message(), "changed");
  EXPECT_EQ(body_.steps, (Steps{"argument", "call", "check arguments"}));
}

TEST_F(TraceFunctionTest, RefusesAWriteThatIsLost) {
  body_.writes = true;
  const Status lost = Run();
  EXPECT_EQ(lost.code(), Code::kValueError);
  EXPECT_EQ(lost.message(), LostWrite("write at net.cc:1"));
  EXPECT_EQ(body_.steps.back(), "results");
}

TEST_F(TraceFunctionTest, TellsEffectsNoOrderWhereThatIsOff) {
  attributes_.Set(kDisableAcd, true);
  ASSERT_TRUE(Run().ok());
  EXPECT_FALSE(graph_->automatic_control());
}

TEST_F(TraceFunctionTest, SaysThatAFunctionDoesNotStandAlone) {
  attributes_.Set(kImplements, std::string("known"));
  ASSERT_TRUE(Run().ok());

  const auto other = MakeRef<FuncGraph>("g");
  FakeBody body(other.get());
  ASSERT_TRUE(
      other->inputs()
          .CaptureDeferred([] { return Tensor(); }, DataType::kFloat, {})
          .ok());
  const auto type = MakeRef<FunctionType>(std::vector<FunctionParameter>{
      {"x", ParameterKind::kPositionalOrKeyword, false,
       TraceType::Tensor(DataType::kFloat, {2})}});
  const auto made =
      TraceFunction(other.get(), {"g", type, {}, attributes_}, &body);
  EXPECT_EQ(made.status().code(), Code::kFailedPrecondition);
  EXPECT_EQ(body.steps.back(), "not alone");
}

}  // namespace
}  // namespace gk
