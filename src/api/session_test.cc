// Sessions over graphs that programs make.
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "graphkiln/graphkiln.h"

namespace {

using gk::Tensor;
using Floats = std::vector<float>;

struct Program {
  gk::Graph graph;
  Tensor x, y, sum;
  std::optional<gk::Variable> w;
  gk::Operation more;

  Program() {
    const auto inside = graph.as_default();
    x = gk::placeholder(gk::DataType::kFloat, {2}, "x");
    w.emplace(Tensor(2.0f));
    y = x * w->value();
    sum = gk::math::reduce_sum(y);
    w->assign_add(Tensor(1.0f));
    more = graph.get_operations().back();
  }
};

TEST(SessionTest, RunsWhatTheFetchesNeed) {
  const Program p;
  const gk::Session session(p.graph);
  session.run({}, {}, {p.w->initializer()});
  const std::vector<Tensor> got =
      session.run({p.y, p.sum}, {{p.x, Tensor{1.0f, 2.0f}}});
  EXPECT_EQ(got[0].to_vector<float>(), (Floats{2, 4}));
  EXPECT_EQ(got[1].item<float>(), 6.0f);
  // A value in between may be fed, too.
  EXPECT_EQ(session.run({p.sum}, {{p.y, Tensor{5.0f, 6.0f}}})[0].item<float>(),
            11.0f);
  EXPECT_TRUE(session.graph() == p.graph);
}

TEST(SessionTest, TellsWhatARunDid) {
  const Program p;
  const gk::Session session(p.graph);
  session.run({}, {}, {p.w->initializer()});
  std::string metadata = "before";
  const auto run = [&](const gk::SessionRunOptions& options) {
    return session.run({p.sum}, {{p.x, Tensor{1.0f, 2.0f}}}, {}, options,
                       &metadata)[0];
  };
  EXPECT_EQ(run({}).item<float>(), 6.0f);
  EXPECT_EQ(metadata, "");
  EXPECT_EQ(run({.trace = true}).item<float>(), 6.0f);
  EXPECT_NE(metadata.find("device:CPU:0"), metadata.npos);
  EXPECT_NE(metadata.find("Sum"), metadata.npos);
  run({.output_partition_graphs = true});
  EXPECT_EQ(metadata.find("device:CPU:0"), metadata.npos);
  EXPECT_NE(metadata.find("ReadVariableOp"), metadata.npos);
}

// Functions compute initial values in the graph around them, for its sessions.
TEST(SessionTest, RunsFunctionsThatMakeVariables) {
  const gk::Graph graph;
  std::optional<gk::Variable> v;
  const auto scale = gk::function([&](const Tensor& x) {
    if (!v) v.emplace(gk::math::sqrt(Tensor{4.0f, 16.0f} + Tensor{0.0f, 9.0f}));
    return x * v->value();
  });
  Tensor y;
  {
    const auto inside = graph.as_default();
    y = scale(Tensor{10.0f, 10.0f});
  }
  const gk::Session session(graph);
  session.run({}, {}, {v->initializer()});
  EXPECT_EQ(session.run({y})[0].to_vector<float>(), (Floats{20, 50}));
}

TEST(SessionTest, RefusesVariablesOfWhatOnlyCallsKnow) {
  const gk::Graph graph;
  std::optional<gk::Variable> v;
  const auto scale = gk::function([&](const Tensor& x) {
    if (!v) v.emplace(x * 2.0f);
    return x * v->value();
  });
  const auto inside = graph.as_default();
  try {
    scale(Tensor{10.0f, 10.0f});
    ADD_FAILURE() << "no error";
  } catch (const gk::Error& error) {
    EXPECT_NE(std::string(error.what()).find("depends transitively"),
              std::string::npos)
        << error.what();
  }
}

TEST(SessionTest, HasVariablesOfItsOwn) {
  const Program p;
  const gk::Session first(p.graph), second(p.graph);
  const std::vector<std::pair<Tensor, Tensor>> feeds = {
      {p.x, Tensor{1.0f, 1.0f}}};
  first.run({}, {}, {p.w->initializer()});
  EXPECT_THROW(second.run({p.sum}, feeds), gk::Error);
  first.run({}, {}, {p.more});
  second.run({}, {}, {p.w->initializer()});
  EXPECT_EQ(first.run({p.sum}, feeds)[0].item<float>(), 6.0f);
  EXPECT_EQ(second.run({p.sum}, feeds)[0].item<float>(), 4.0f);
}

TEST(SessionTest, RefusesWhatCannotRun) {
  const Program p;
  const gk::Session session(p.graph);
  try {
    session.run({p.y});
    ADD_FAILURE() << "ran without a feed";
  } catch (const gk::Error& e) {
    EXPECT_NE(std::string(e.what()).find("You must feed a value for "
                                         "placeholder tensor 'x'"),
              std::string::npos)
        << e.what();
  }
  EXPECT_THROW(session.run({Tensor(1.0f)}), gk::Error);
  session.close();
  EXPECT_THROW(session.run({p.sum}, {{p.y, Tensor{5.0f, 6.0f}}}), gk::Error);
  session.close();
}

// A graph that waits for an element that nobody gives.
struct Waiting {
  gk::Graph graph;
  Tensor element;

  Waiting() {
    const auto inside = graph.as_default();
    const gk::queue::FIFOQueue queue(3, {gk::DataType::kInt32});
    element = queue.dequeue()[0];
  }
};

TEST(SessionTest, RunsEndAtTheirDeadline) {
  const Waiting waiting;
  const gk::Session session(waiting.graph);
  const auto now = std::chrono::steady_clock::now();
  try {
    session.run({waiting.element}, {}, {},
                {.deadline = now + std::chrono::milliseconds(50)}, nullptr);
    ADD_FAILURE() << "waited for an element";
  } catch (const gk::Error& e) {
    EXPECT_EQ(e.code(), gk::ErrorCode::kDeadlineExceeded) << e.what();
  }
}

TEST(SessionTest, ClosingEndsWhatOthersRun) {
  const Waiting waiting;
  const gk::Session session(waiting.graph);
  std::optional<gk::ErrorCode> ended;
  std::thread other([&] {
    try {
      session.run({waiting.element});
    } catch (const gk::Error& e) {
      ended = e.code();
    }
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  session.close();
  other.join();
  // A thread that came late found the session closed.
  EXPECT_TRUE(ended == gk::ErrorCode::kCancelled ||
              ended == gk::ErrorCode::kInvalidArgument);
}

TEST(SessionTest, RunsInSteps) {
  const Program p;
  const gk::Session session(p.graph);
  session.run({}, {}, {p.w->initializer()});
  Tensor z, scaled;
  {
    const auto inside = p.graph.as_default();
    z = gk::placeholder(gk::DataType::kFloat, {}, "z");
    scaled = p.sum * z;
  }
  const std::string run =
      session.partial_run_setup({p.sum, scaled}, {p.x, z}, {p.more});
  const Tensor sum =
      session.partial_run(run, {p.sum}, {{p.x, Tensor{1.0f, 2.0f}}})[0];
  EXPECT_EQ(sum.item<float>(), 6.0f);
  EXPECT_THROW(session.partial_run("other", {scaled}), gk::Error);
  const Tensor end = session.partial_run(run, {scaled}, {{z, sum}})[0];
  EXPECT_EQ(end.item<float>(), 36.0f);
  // What was to run has run, once.
  EXPECT_EQ(
      session.run({p.y}, {{p.x, Tensor{1.0f, 2.0f}}})[0].to_vector<float>(),
      (Floats{3, 6}));
  EXPECT_THROW(session.partial_run(run, {scaled}), gk::Error);
}

TEST(SessionTest, KeepsTensorsForLaterRuns) {
  const gk::Graph graph;
  Tensor x, kept, handle, found;
  {
    const auto inside = graph.as_default();
    x = gk::placeholder(gk::DataType::kFloat, {2}, "x");
    kept = gk::ops::GetSessionHandle(x * Tensor(2.0f));
    handle = gk::placeholder(gk::DataType::kString, {}, "handle");
    found =
        gk::ops::GetSessionTensor(handle, gk::DataType::kFloat) + Tensor(1.0f);
  }
  const gk::Session session(graph), other(graph);
  const Tensor name = session.run({kept}, {{x, Tensor{1.0f, 2.0f}}})[0];
  EXPECT_EQ(session.run({found}, {{handle, name}})[0].to_vector<float>(),
            (Floats{3, 5}));
  EXPECT_THROW(other.run({found}, {{handle, name}}), gk::Error);
}

}  // namespace
