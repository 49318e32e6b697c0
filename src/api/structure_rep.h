// A public Structure is a reference to one of the library's.
#ifndef GK_API_STRUCTURE_REP_H_
#define GK_API_STRUCTURE_REP_H_

#include "framework/structure.h"
#include "graphkiln/structure.h"

namespace gk::api {

inline const ::gk::Structure& Inner(const Structure::Part& part) {
  return reinterpret_cast<const ::gk::Structure&>(part);
}
inline const Structure::Part* Outer(const ::gk::Structure* structure) {
  return reinterpret_cast<const Structure::Part*>(structure);
}

inline StructureRef Inner(const Structure& s) {
  return s.part() == nullptr ? ::gk::Structure::None()
                             : StructureRef(&Inner(*s.part()));
}
inline Structure Outer(StructureRef s) { return Structure(Outer(s.Release())); }

}  // namespace gk::api

#endif  // GK_API_STRUCTURE_REP_H_
