// What the handles of one public table share.
#ifndef GK_API_LOOKUP_REP_H_
#define GK_API_LOOKUP_REP_H_

#include <functional>
#include <optional>
#include <string>

#include "graphkiln/lookup.h"

namespace gk::api::lookup {

struct Table::Rep {
  // Gives the content to the table of a handle: empty of tables that change.
  using Fill = std::function<void(const Tensor& handle)>;

  bool changes() const { return !fill; }

  Tensor handle;
  // What kind of table, and another one of it that is found by a name.
  std::string kind;
  std::function<Tensor(const std::string& name)> make_named;
  Fill fill;
  std::optional<saved_model::Asset> file;  // that it is filled from
  // Their addresses stand for what is made of it.
  char initializer = 0, vocabulary = 0;
};

}  // namespace gk::api::lookup

#endif  // GK_API_LOOKUP_REP_H_
