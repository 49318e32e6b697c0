#include "graphkiln/structure.h"

#include "api/inner.h"
#include "api/structure_rep.h"
#include "framework/structure_match.h"

namespace gk::api {

using InnerKind = ::gk::Structure::Kind;
using InnerStructure = ::gk::Structure;

void Structure::AddRef(const Part* part) { Inner(*part).AddRef(); }
void Structure::Unref(const Part* part) { Inner(*part).Unref(); }

Structure::Kind Structure::kind() const {
  switch (Inner(*this)->kind()) {
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

const std::string& Structure::name() const { return Inner(*this)->name(); }

size_t Structure::size() const { return Inner(*this)->children().size(); }

Structure Structure::child(size_t i) const {
  return Guarded([&] {
    if (i >= size()) {
      throw ::gk::Error(
          IndexError("a structure of {} parts has no part {}", size(), i));
    }
    return Outer(StructureRef(Inner(*this)->children()[i]));
  });
}

std::string Structure::key(size_t i) const {
  return Guarded([&] {
    child(i);
    return Inner(*this)->ChildName(i);
  });
}

size_t Structure::num_leaves() const { return Inner(*this)->num_leaves(); }

std::vector<std::string> Structure::leaf_paths(
    std::string_view separator) const {
  return Inner(*this)->JoinedLeafPaths(separator);
}

std::string Structure::to_string() const { return Inner(*this)->Text(); }

bool operator==(const Structure& a, const Structure& b) {
  return Inner(a)->Equals(*Inner(b));
}

std::ostream& operator<<(std::ostream& out, const Structure& s) {
  return out << s.to_string();
}

namespace detail {
namespace {

// A container of the parts from `begin` on, in their place.
void Close(std::vector<Structure>* parts, size_t begin,
           InnerStructure::Facts facts) {
  std::vector<StructureRef> children;
  children.reserve(parts->size() - begin);
  for (size_t i = begin; i < parts->size(); ++i) {
    children.push_back(Inner((*parts)[i]));
  }
  parts->resize(begin);
  parts->push_back(
      Outer(InnerStructure::Of(std::move(facts), std::move(children))));
}

}  // namespace

const Structure::Part* StructureView::Nothing() {
  static const StructureRef none = InnerStructure::None();
  return Outer(none.get());
}
bool StructureView::IsNothing(const Structure::Part* part) {
  return Inner(*part).kind() == InnerKind::kNone;
}
const Structure::Part* StructureView::PartOf(const Structure::Part* part,
                                             size_t i) {
  return Outer(Inner(*part).children()[i].get());
}
bool StructureView::is_tuple() const {
  return Inner(*part_).kind() == InnerKind::kTuple;
}
StructureView::Numbers StructureView::numbers() const {
  const InnerStructure& part = Inner(*part_);
  return {part.children().size(), part.num_leaves()};
}
std::string_view StructureView::key(size_t i) const {
  const InnerStructure::Key& key = Inner(*part_).keys()[i];
  const std::string_view bytes = key.bytes;
  return bytes.starts_with('s') ? bytes.substr(1) : key.text;
}

void StructureMaker::Leaf() { parts_.push_back(Outer(InnerStructure::Leaf())); }
void StructureMaker::EndList(size_t begin) {
  Close(&parts_, begin, {.kind = InnerKind::kList});
}
void StructureMaker::EndTuple(size_t begin) {
  Close(&parts_, begin, {.kind = InnerKind::kTuple});
}

void StructureMaker::EndMap(size_t begin,
                            const std::vector<std::string>& keys) {
  InnerStructure::Facts facts{.kind = InnerKind::kDict};
  for (const std::string& key : keys) {
    facts.keys.push_back({"s" + key, "'" + key + "'"});
  }
  Close(&parts_, begin, std::move(facts));
}

void StructureMaker::EndStruct(size_t begin, const StructureFacts& facts) {
  InnerStructure::Facts inner{.kind = InnerKind::kAttrs,
                              .name = facts.name,
                              .identity = reinterpret_cast<uintptr_t>(&facts)};
  for (const std::string& field : facts.fields) {
    inner.keys.push_back({"s" + field, field});
  }
  Close(&parts_, begin, std::move(inner));
}

void AssertSameStructure(const Structure& first, const Structure& second,
                         bool check_types) {
  Guarded([&] {
    const StructureRef a = Inner(first), b = Inner(second);
    ThrowIfError(
        ::gk::AssertSameStructure(*a, *b, check_types, StructureWords(*a, *b)));
  });
}

void CheckLeaves(const Structure& structure, size_t n) {
  if (structure.num_leaves() == n) return;
  ThrowPublic(WrongLeafCount(structure.num_leaves(), n, structure.to_string()));
}

}  // namespace detail
}  // namespace gk::api
