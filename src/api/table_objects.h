// Tables and assets of programs in C++ as checkpoints and saved models see
// them.
#ifndef GK_API_TABLE_OBJECTS_H_
#define GK_API_TABLE_OBJECTS_H_

#include "graphkiln/asset.h"
#include "graphkiln/lookup.h"
#include "saved_model/exported_object.h"

namespace gk::api {

// Of what only holds others together.
ExportedFacts FactsOfHolder();

// One object has one address.
const void* IdentityOf(const lookup::Table& table);
const void* IdentityOf(const lookup::StaticVocabularyTable& table);
const void* IdentityOf(const saved_model::Asset& asset);

// Has a checkpoint something of it? Of the others only saved models have.
inline bool IsInCheckpoints(const saved_model::Asset&) { return false; }
inline bool IsInCheckpoints(const lookup::StaticVocabularyTable&) {
  return false;
}
bool IsInCheckpoints(const lookup::Table& table);

// For a checkpoint, or `whole`, for a saved model: with the functions that make
// a table again, and with what it is filled from.
ExportedObjectRef Described(const lookup::Table& table, bool whole);
ExportedObjectRef Described(const lookup::StaticVocabularyTable& table,
                            bool whole);
ExportedObjectRef Described(const saved_model::Asset& asset, bool whole);

}  // namespace gk::api

#endif  // GK_API_TABLE_OBJECTS_H_
