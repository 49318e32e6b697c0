#include "graphkiln/structure.h"

#include "api/inner.h"
#include "api/structure_rep.h"
#include "framework/structure_match.h"

namespace gk::api {

using InnerKind = ::gk::Structure::Kind;
using InnerStructure = ::gk::Structure;

Structure::Structure() : Structure(Outer(InnerStructure::None())) {}

Structure::Kind Structure::kind() const {
  switch (rep_->inner->kind()) {
    case InnerKind::kLeaf:
      return Kind::kLeaf;
    case InnerKind::kNone:
      return Kind::kNone;
    case InnerKind::kList:
      return Kind::kList;
    case InnerKind::kTuple:
      return Kind::kTuple;
    case InnerKind::kDict:
      return Kind::kMap;
    case InnerKind::kAttrs:
      return Kind::kStruct;
    default:
      return Kind::kOther;
  }
}

const std::string& Structure::name() const { return rep_->inner->name(); }

size_t Structure::size() const { return rep_->inner->children().size(); }

Structure Structure::child(size_t i) const {
  return Guarded([&] {
    if (i >= size()) {
      throw ::gk::Error(
          IndexError("a structure of {} parts has no part {}", size(), i));
    }
    return Outer(rep_->inner->children()[i]);
  });
}

std::string Structure::key(size_t i) const {
  return Guarded([&] {
    child(i);
    return rep_->inner->ChildName(i);
  });
}

size_t Structure::num_leaves() const { return rep_->inner->num_leaves(); }

std::vector<std::string> Structure::leaf_paths(
    std::string_view separator) const {
  return rep_->inner->JoinedLeafPaths(separator);
}

std::string Structure::to_string() const { return rep_->inner->Text(); }

bool operator==(const Structure& a, const Structure& b) {
  return Inner(a)->Equals(*Inner(b));
}

std::ostream& operator<<(std::ostream& out, const Structure& s) {
  return out << s.to_string();
}

namespace detail {

struct StructureMaker::Rep {
  std::vector<std::vector<StructureRef>> open{{}};

  void Add(StructureRef part) { open.back().push_back(std::move(part)); }
  void End(InnerStructure::Facts facts) {
    std::vector<StructureRef> parts = std::move(open.back());
    open.pop_back();
    Add(InnerStructure::Of(std::move(facts), std::move(parts)));
  }
};

StructureMaker::StructureMaker() : rep_(std::make_unique<Rep>()) {}
StructureMaker::~StructureMaker() = default;

void StructureMaker::Leaf() { rep_->Add(InnerStructure::Leaf()); }
void StructureMaker::None() { rep_->Add(InnerStructure::None()); }
void StructureMaker::Begin() { rep_->open.emplace_back(); }
void StructureMaker::EndList() { rep_->End({.kind = InnerKind::kList}); }
void StructureMaker::EndTuple() { rep_->End({.kind = InnerKind::kTuple}); }

void StructureMaker::EndMap(const std::vector<std::string>& keys) {
  InnerStructure::Facts facts{.kind = InnerKind::kDict};
  for (const std::string& key : keys) {
    facts.keys.push_back({"s" + key, "'" + key + "'"});
  }
  rep_->End(std::move(facts));
}

void StructureMaker::EndStruct(const StructureFacts& facts) {
  InnerStructure::Facts inner{.kind = InnerKind::kAttrs,
                              .name = facts.name,
                              .identity = reinterpret_cast<uintptr_t>(&facts)};
  for (const std::string& field : facts.fields) {
    inner.keys.push_back({"s" + field, field});
  }
  rep_->End(std::move(inner));
}

Structure StructureMaker::Take() {
  return Outer(std::move(rep_->open.back().back()));
}

void AssertSameStructure(const Structure& first, const Structure& second,
                         bool check_types) {
  Guarded([&] {
    const InnerStructure &a = *Inner(first), &b = *Inner(second);
    ThrowIfError(
        ::gk::AssertSameStructure(a, b, check_types, StructureWords(a, b)));
  });
}

void CheckLeaves(const Structure& structure, size_t n) {
  if (structure.num_leaves() == n) return;
  ThrowPublic(WrongLeafCount(structure.num_leaves(), n, structure.to_string()));
}

}  // namespace detail
}  // namespace gk::api
