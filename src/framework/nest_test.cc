#include "framework/nest.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "base/ref.h"
#include "framework/structure_match.h"

namespace gk {
namespace {

// A language of texts, lists and nothing.
struct Thing {
  std::string text;
  std::vector<std::shared_ptr<Thing>> items;
  bool is_list = false;
};
using ThingRef = std::shared_ptr<Thing>;

ThingRef T(std::string text) {
  return std::make_shared<Thing>(Thing{std::move(text), {}, false});
}
ThingRef L(std::vector<ThingRef> items) {
  return std::make_shared<Thing>(Thing{{}, std::move(items), true});
}
std::string Text(const ThingRef& t) {
  if (!t) return "null";
  if (!t->is_list) return t->text;
  std::string text;
  for (const ThingRef& item : t->items) {
    text += (text.empty() ? "" : " ") + Text(item);
  }
  return "[" + text + "]";
}

class Things {
 public:
  using Value = ThingRef;
  class Node : public RefCounted {};

  int Open(const ThingRef& t, std::vector<ThingRef>* parts, Node*) {
    if (t->text == "bad") return -1;
    if (t->is_list) *parts = t->items;
    return t->is_list;
  }
  ThingRef Close(const Node&, std::span<const ThingRef> parts,
                 const ThingRef&) {
    return L({parts.begin(), parts.end()});
  }
  StructureRef Describe(Ref<Node>, std::vector<StructureRef> parts) {
    return Structure::List(std::move(parts));
  }
  bool IsNothing(const ThingRef& t) { return t->text == "nothing"; }
  bool Enter() { return ++depth <= 3; }
  void Leave() { --depth; }

  int depth = 0;
};

const ThingRef kNested = L({T("a"), L({T("b"), T("c")}), L({})});

TEST(NestTest, FlattensFromLeftToRight) {
  Things host;
  std::string all;
  const auto leaf = [&](const ThingRef& t) {
    all += t->text;
    return t->text != "b";
  };
  EXPECT_TRUE(FlattenNest(host, L({T("x"), L({T("y")})}), leaf));
  EXPECT_EQ(all, "xy");
  EXPECT_FALSE(FlattenNest(host, kNested, leaf));
  EXPECT_EQ(all, "xyab");
  EXPECT_FALSE(FlattenNest(host, L({T("bad")}), leaf));
  EXPECT_EQ(host.depth, 0);
}

TEST(NestTest, DescribesValues) {
  Things host;
  const auto leaf = [](const ThingRef&) { return true; };
  EXPECT_EQ(DescribeNest(host, kNested, leaf)->Text(), "[., [., .], []]");
  EXPECT_EQ(DescribeNest(host, T("nothing"), leaf).get(),
            Structure::None().get());
  EXPECT_FALSE(DescribeNest(host, L({T("bad")}), leaf));
  EXPECT_FALSE(DescribeNest(host, L({L({L({L({})})})}), leaf));  // too deep
}

TEST(NestTest, DescribesAsFarAsAnother) {
  Things host;
  const auto shallow = Structure::List({Structure::Leaf(), Structure::Leaf()});
  std::vector<std::string> parts;
  const auto part = [&](const ThingRef& t) { parts.push_back(Text(t)); };
  EXPECT_EQ(
      DescribeUpTo(host, L({T("a"), L({T("b"), T("c")})}), *shallow, part),
      shallow);
  EXPECT_EQ(parts, (std::vector<std::string>{"a", "[b c]"}));
  parts.clear();
  EXPECT_EQ(DescribeUpTo(host, T("nothing"), *shallow, part),
            Structure::None());
  EXPECT_EQ(parts.size(), 2u);
  EXPECT_EQ(DescribeUpTo(host, T("a"), *shallow, part), Structure::Leaf());
  EXPECT_EQ(DescribeUpTo(host, kNested, *shallow, part)->children().size(), 3u);
}

TEST(NestTest, MapsLeaves) {
  Things host;
  const auto twice = [](const ThingRef& t) {
    return t->text == "c" ? nullptr : T(t->text + t->text);
  };
  EXPECT_EQ(Text(MapNest(host, L({T("a"), L({T("b")})}), twice)), "[aa [bb]]");
  EXPECT_EQ(Text(MapNest(host, kNested, twice)), "null");
  EXPECT_EQ(Text(MapNest(host, L({T("bad")}), twice)), "null");
}

TEST(NestTest, PacksLeaves) {
  const auto pair = Structure::Tuple({Structure::Leaf(), Structure::Leaf()});
  const auto s = Structure::List({Structure::Leaf(), pair, Structure::None()});
  const std::vector<ThingRef> leaves{T("a"), T("b"), T("c")};
  const auto packed = [&](std::span<const ThingRef> given, bool whole) {
    size_t next = 0;
    return Text(PackNest(
        *s, given, &next,
        [&](const Structure& part) {
          if (part.kind() == Structure::Kind::kNone) return T("none");
          return whole && &part == pair.get() ? T("pair") : nullptr;
        },
        [](const Structure&, std::span<const ThingRef> parts) {
          return L({parts.begin(), parts.end()});
        }));
  };
  EXPECT_EQ(packed(leaves, false), "[a [b c] none]");
  EXPECT_EQ(packed(leaves, true), "[a pair none]");
  EXPECT_EQ(packed(std::span(leaves).first(2), false), "null");
}

TEST(NestTest, SaysWhichNumbersDiffer) {
  EXPECT_EQ(WrongLeafCount(3, 1, "[., [., .]]").message(),
            "Could not pack sequence. Structure had 3 atoms, but flat_sequence "
            "had 1 items.  Structure: [., [., .]].");
  EXPECT_EQ(WrongLeafCount(1, 2, "[0]", "[1, 2]").message(),
            "Could not pack sequence. Structure had 1 atoms, but flat_sequence "
            "had 2 items.  Structure: [0], flat_sequence: [1, 2].");
}

}  // namespace
}  // namespace gk
