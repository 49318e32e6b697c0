#include "framework/resource_manager.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace gk {
namespace {

class NamedThing final : public Resource {
 public:
  explicit NamedThing(int number) : number(number) {}
  std::string_view kind() const override { return "Thing"; }
  std::string_view type_name() const override { return "Thing"; }
  const int number;
};

Ref<Resource> Named(const std::string& container, const std::string& name,
                    int number = 0, std::string_view kind = "thing") {
  return *ResourceManager::Get().FindOrMake(
      {container, name, kind}, [&]() -> StatusOr<Ref<Resource>> {
        return Ref<Resource>(MakeRef<NamedThing>(number));
      });
}

TEST(ResourceManager, OneNameIsOneResource) {
  const Ref<Resource> a = Named("", "a");
  EXPECT_EQ(Named("", "a").get(), a.get());
  EXPECT_EQ(Named("localhost", "a").get(), a.get());
  EXPECT_NE(Named("", "b").get(), a.get());
  EXPECT_NE(Named("other", "a").get(), a.get());
  EXPECT_NE(Named("", "a", 0, "other thing").get(), a.get());
}

TEST(ResourceManager, HandlesOfErasedOnesReferToWhatHasTheNameSince) {
  class Place final : public NamedResource {
   public:
    std::string_view kind() const override { return "Place"; }
    std::string_view type_name() const override { return "gk::Place"; }
  };
  ResourceManager& all = ResourceManager::Get();
  const auto make = [&](std::string_view kind) -> Ref<Resource> {
    return *all.FindOrMake({"", "place", kind}, [] {
      return StatusOr<Ref<Resource>>(Ref<Resource>(MakeRef<Place>()));
    });
  };
  const Ref<Resource> first = make("place");
  const ResourceHandle handle(first, "place", {}, "localhost");
  EXPECT_EQ((*all.Now(handle)).get(), first.get());
  EXPECT_TRUE(all.Erase("localhost", "place", first.get()));
  Named("", "place", 1, "thing of that name");
  const Status gone = all.Now(handle).status();
  EXPECT_EQ(gone.code(), Code::kNotFound);
  EXPECT_EQ(gone.message(),
            "Resource localhost/place/N2gk5PlaceE does not exist.");
  const Ref<Resource> second = make("place");
  EXPECT_NE(second.get(), first.get());
  EXPECT_EQ((*all.Now(handle)).get(), second.get());
}

TEST(ResourceManager, WhatCannotBeMadeIsNotKept) {
  const StatusOr<Ref<Resource>> failed = ResourceManager::Get().FindOrMake(
      {"", "failed", "thing"},
      []() -> StatusOr<Ref<Resource>> { return InvalidArgument("no"); });
  EXPECT_EQ(failed.status().code(), Code::kInvalidArgument);
  EXPECT_NE(Named("", "failed").get(), nullptr);
}

TEST(ResourceManager, ErasedNamesAreMadeAnew) {
  const Ref<Resource> old = Named("", "erased");
  EXPECT_FALSE(ResourceManager::Get().Erase("localhost", "erased", nullptr));
  EXPECT_TRUE(ResourceManager::Get().Erase("localhost", "erased", old.get()));
  EXPECT_FALSE(ResourceManager::Get().Erase("localhost", "erased", old.get()));
  EXPECT_NE(Named("", "erased").get(), old.get());
}

TEST(ResourceManager, AContainerIsDroppedWhole) {
  const Ref<Resource> a = Named("dropped", "a"), b = Named("dropped", "b"),
                      other = Named("dropped2", "a");
  ResourceManager::Get().Drop("dropped");
  EXPECT_NE(Named("dropped", "a").get(), a.get());
  EXPECT_NE(Named("dropped", "b").get(), b.get());
  EXPECT_EQ(Named("dropped2", "a").get(), other.get());
}

TEST(ResourceManager, ThreadsThatMeetGetOne) {
  std::vector<Ref<Resource>> found(8);
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&found, i] { found[i] = Named("", "met", i); });
  }
  for (std::thread& t : threads) t.join();
  for (const auto& f : found) EXPECT_EQ(f.get(), found[0].get());
}

}  // namespace
}  // namespace gk
