#include "framework/structure.h"

#include <gtest/gtest.h>

#include <thread>

#include "framework/structure_match.h"

namespace gk {
namespace {

using Kind = Structure::Kind;

Structure::Key Text(const std::string& s) { return {"s" + s, "'" + s + "'"}; }

// {'b': ., 'a': (., None)} in the order of a program.
StructureRef Mapping() {
  return Structure::Of(
      {.kind = Kind::kDict, .keys = {Text("a"), Text("b")}, .order = {1, 0}},
      {Structure::Tuple({Structure::Leaf(), Structure::None()}),
       Structure::Leaf()});
}

StructureRef Point(uint64_t identity, const std::string& name = "Point") {
  return Structure::Of({.kind = Kind::kNamedTuple,
                        .name = name,
                        .identity = identity,
                        .keys = {{"sx", "x"}, {"sy", "y"}}},
                       {Structure::Leaf(), Structure::Leaf()});
}

std::string Difference(const StructureRef& a, const StructureRef& b,
                       bool check_types = true) {
  const Status status =
      AssertSameStructure(*a, *b, check_types, StructureWords(*a, *b));
  return status.ok() ? "" : status.ToString();
}

TEST(Structure, EqualOnesAreOne) {
  EXPECT_EQ(Mapping().get(), Mapping().get());
  EXPECT_EQ(Structure::Leaf().get(), Structure::Leaf().get());
  EXPECT_NE(Structure::List({}).get(), Structure::Tuple({}).get());
  EXPECT_NE(Point(1).get(), Point(2).get());
  EXPECT_EQ(Mapping()->num_leaves(), 2u);
}

TEST(Structure, ThreadsShareThem) {
  const StructureRef kept = Structure::List({Point(3)});
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 2000; ++i) {
        EXPECT_EQ(Structure::List({Point(3)}).get(), kept.get());
        Structure::List({Mapping()});  // made and dropped by all at once
      }
    });
  }
  for (std::thread& t : threads) t.join();
}

TEST(Structure, PrintsInTheOrderOfTheProgram) {
  EXPECT_EQ(Mapping()->Text(), "{'b': ., 'a': (., None)}");
  EXPECT_EQ(Mapping()->Text([](size_t i) { return std::to_string(i); }),
            "{'b': 1, 'a': (0, None)}");
  EXPECT_EQ(Point(1)->Text(), "Point(x=., y=.)");
  EXPECT_EQ(Structure::Tuple({Structure::Leaf()})->Text(), "(.,)");
  EXPECT_EQ(
      Structure::Of({.kind = Kind::kDict, .name = "OrderedDict"}, {})->Text(),
      "OrderedDict({})");
}

TEST(Structure, NamesTheWayToEachLeaf) {
  const StructureRef s = Structure::List({Mapping(), Point(1)});
  EXPECT_EQ(s->JoinedLeafPaths("/"),
            (std::vector<std::string>{"0/a/0", "0/b", "1/x", "1/y"}));
}

// A value that is compared by more than identity.
class Metadata final : public LanguageValue {
 public:
  explicit Metadata(int i) : i_(i) {}
  bool Equals(const LanguageValue& other) const override {
    return i_ == static_cast<const Metadata&>(other).i_;
  }

 private:
  int i_;
};

TEST(Structure, OpaqueOnesAreComparedByTheirValues) {
  auto make = [](int i) {
    return Structure::List({Structure::Of({.kind = Kind::kFlattened,
                                           .name = "Masked",
                                           .value = MakeRef<Metadata>(i),
                                           .opaque = true},
                                          {Structure::Leaf()})});
  };
  EXPECT_TRUE(make(1)->opaque());
  EXPECT_NE(make(1).get(), make(1).get());
  EXPECT_TRUE(make(1)->Equals(*make(1)));
  EXPECT_FALSE(make(1)->Equals(*make(2)));
}

TEST(StructureMatch, ClassesCountOnDemand) {
  const StructureRef list = Structure::List({Structure::Leaf()});
  const StructureRef tuple = Structure::Tuple({Structure::Leaf()});
  EXPECT_EQ(Difference(list, list), "");
  EXPECT_NE(
      Difference(list, tuple)
          .find("The two namedtuples don't have the same sequence type. First "
                "structure type=list str=[.] has type list, while second "
                "structure type=tuple str=(.,) has type tuple"),
      std::string::npos);
  EXPECT_EQ(Difference(list, tuple, false), "");
  EXPECT_EQ(Difference(Point(1), Point(2)), "");
  EXPECT_NE(Difference(Point(1), Point(2, "Place")), "");
}

TEST(StructureMatch, SaysWhichPartOfANameDiffers) {
  const auto difference = [](const StructureRef& a, const StructureRef& b) {
    return AssertSameStructure(*a, *b, true, StructureWords(*a, *b), "y")
        .message();
  };
  const auto deep = [](StructureRef part) {
    return Structure::List(
        {Structure::Leaf(),
         Structure::Of(
             {.kind = Structure::Kind::kDict, .keys = {{"sa", "'a'"}}},
             {Structure::Tuple({std::move(part)})})});
  };
  EXPECT_EQ(difference(deep(Point(1)), deep(Point(2))), "");
  EXPECT_EQ(
      difference(deep(Structure::Leaf()), deep(Structure::List({}))),
      "The two structures don't have the same nested structure.\n\n"
      "First structure: type=list str=[., {'a': (.,)}]\n\n"
      "Second structure: type=list str=[., {'a': ([],)}]\n\n"
      "More specifically: y[1]['a'][0]: Substructure \"type=list str=[]\" "
      "is a sequence, while substructure \"type=leaf str=.\" is not");
  EXPECT_NE(difference(Structure::List({}), Structure::Tuple({}))
                .find("More specifically: y: The two namedtuples"),
            std::string::npos);
}

TEST(StructureMatch, SaysWhereTheyDiffer) {
  const StructureRef deep = Structure::List({Mapping(), Structure::Leaf()});
  const StructureRef flat =
      Structure::List({Structure::Leaf(), Structure::Leaf()});
  const Status status =
      AssertSameStructure(*flat, *deep, true, StructureWords(*flat, *deep));
  EXPECT_EQ(status.code(), Code::kValueError);
  EXPECT_EQ(status.message(),
            "The two structures don't have the same nested structure.\n\n"
            "First structure: type=list str=[., .]\n\n"
            "Second structure: type=list str=[{'b': ., 'a': (., None)}, .]\n\n"
            "More specifically: Substructure \"type=dict str={'b': ., 'a': "
            "(., None)}\" is a sequence, while substructure \"type=leaf "
            "str=.\" is not\n"
            "Entire first structure:\n[., .]\n"
            "Entire second structure:\n[{'b': ., 'a': (., None)}, .]");
  EXPECT_NE(Difference(flat, Structure::List({Structure::Leaf()}))
                .find("same number of elements. First structure: type=list"),
            std::string::npos);
}

TEST(StructureMatch, ShallowOnesEndEarlier) {
  const StructureRef deep = Structure::List({Mapping(), Structure::Leaf()});
  const StructureRef shallow =
      Structure::List({Structure::Leaf(), Structure::Leaf()});
  const StructureWords words(*deep, *shallow);
  EXPECT_TRUE(AssertShallowStructure(*deep, *shallow, {}, words).ok());
  const StructureWords turned(*shallow, *deep);
  EXPECT_EQ(AssertShallowStructure(*shallow, *deep, {}, turned).message(),
            "If shallow structure is a sequence, input must also be a "
            "sequence. Input has type: 'leaf'.");
  const StructureRef tuple =
      Structure::Tuple({Structure::Leaf(), Structure::None()});
  const StructureWords third(*tuple, *deep);
  EXPECT_EQ(AssertShallowStructure(*tuple, *deep, {}, third).code(),
            Code::kTypeError);
  const StructureRef gaps =
      Structure::Tuple({Structure::None(), Structure::Leaf()});
  const StructureWords fourth(*gaps, *deep);
  EXPECT_TRUE(AssertShallowStructure(
                  *gaps, *deep, {.any_sequence = true, .gaps = true}, fourth)
                  .ok());
}

}  // namespace
}  // namespace gk
