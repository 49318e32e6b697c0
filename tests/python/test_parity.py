"""How many of Python's public names C++ has: docs/reference/parity.md."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))

import parity  # noqa: E402
import parity_members  # noqa: E402

# What there is; it only grows, to 0.95.
FLOOR = 0.95
MEMBERS_FLOOR = 400
# Members that C++ lacks for no reason.
MISSING = 0

HEADER = """
#ifndef A_H_
#define A_H_
namespace gk {
GK_API_NAMESPACE {
class Early;
template <class T>
class GK_EXPORT Box : public Base {
 public:
  explicit Box(int size);
  template <class U>
  U get(const U& other = {}) const { return other; }
};
enum class Kind { kOne, kTwo };
namespace detail {
void Hidden();
}  // namespace detail
namespace math {
GK_EXPORT Tensor add(const Tensor& a, std::vector<int> b = {});  // no_name(x)
template <class F>
  requires(!kIsOptions<F>)
auto map(F&& f) { return helper(f); }
}  // namespace math
}  // GK_API_NAMESPACE
}  // namespace gk
#endif
"""


def test_names_are_read_from_headers():
    assert set(parity.names_in(HEADER)) == {
        "gk::Early", "gk::Box", "gk::Box::Box", "gk::Box::get", "gk::Kind",
        "gk::math::add", "gk::math::map",
    }


def test_names_are_found():
    assert parity.cpp_name("math.add") == "gk::math::add"
    assert parity.cpp_name("case") == "gk::case_"
    assert parity.cpp_name("initializers.HeNormal") == "gk::initializers::he_normal"
    assert parity.cpp_name("TensorShape") == "gk::Shape"
    assert parity.cpp_name("no.such.name") == ""


def test_what_is_written_otherwise_is_there():
    assert set(parity.WRITTEN.values()) <= parity.cpp_names()


def test_the_share_only_grows():
    have, can = parity.totals(parity.entries())
    assert have >= FLOOR * can, f"{have} of {can}"


def test_every_reason_is_needed():
    reasons = {entry.reason for entry in parity.entries()}
    assert set(parity.ONLY_PYTHON) <= reasons


MEMBERS = """
namespace gk {
class Base { public: void both(); };
template <class T>
class GK_EXPORT Box : public Base {
 public:
  explicit Box(int size);
  std::vector<T> values = {}, others;
  Shape shape = Shape::Unknown();
  void Stop(std::function<int(int)> f = {});
  enum class Kind { kOne = 1, kTwoThree };
};
using Other = ::gk::Box;
bool is_one(Kind kind);
bool other(Kind kind, int more = 0);
bool third(int more, Kind kind);
}
"""


def test_members_are_read_from_headers():
    assert set(parity_members.facts_in(MEMBERS)) == {
        ("Base", "has", "both"), ("Box", "is", "Base"), ("Box", "has", "Box"),
        ("Box", "has", "values"), ("Box", "has", "others"), ("Box", "has", "shape"),
        ("Box", "has", "Stop"), ("Kind", "goes to", "is_one"),
        ("Kind", "goes to", "other"), ("int", "goes to", "third"),
        ("Box", "has", "Kind"), ("Kind", "has", "One"), ("Kind", "has", "TwoThree"),
        ("Other", "is", "Box"),
    }


def test_members_in_both_only_grow():
    have, of = parity_members.totals()
    assert have >= MEMBERS_FLOOR, f"{have} of {of}"
    found = {c.name: c for c in parity_members.classes()}
    assert {"value", "assign_add"} <= set(found["Variable"].have)
    assert "from_row_splits" in found["experimental.RowPartition"].have
    assert "AUTO_SELECT" in found["random.Algorithm"].have
    assert "numpy" in found["Variable"].lack
    assert {"is_floating", "size", "name"} <= set(found["DType"].have)


def test_members_that_are_missing_are_told_why():
    missing = [f"{c.name}.{m}" for c in parity_members.classes() for m in c.missing]
    assert len(missing) <= MISSING, missing


def test_every_reason_of_members_is_needed():
    reasons = {
        parity_members.why(c.name, m)
        for c in parity_members.classes() for m in c.lack
    }
    assert set(parity_members.WHY) <= reasons
