// Datasets that are saved to files and read again: what both faces make.
//
// Called on the thread that builds. Functions throw Error.
#ifndef GK_FUNCTION_DATASET_SAVING_H_
#define GK_FUNCTION_DATASET_SAVING_H_

#include <string>

#include "function/dataset_steps.h"

namespace gk::steps {

// Writes the elements to the files of a folder. `shard`: gives the number of an
// element's shard, an int64 scalar; null: there is one.
void Save(const TypedDataset& d, const Tensor& path,
          const std::string& compression, const ElementFunction* shard);
// The elements, which are written as they are asked for. An iterator that goes
// on where one was saved goes on with its files.
TypedDataset Saving(const TypedDataset& d, const Tensor& path,
                    const std::string& compression,
                    const ElementFunction* shard);

// The elements, of `e`, in the files of a folder. `reader`: makes a dataset of
// elements of one of those of the shards; null: these take turns.
TypedDataset Load(const Tensor& path, const ElementSignature& e,
                  const std::string& compression,
                  const ElementFunction* reader);
// The elements, which the first complete pass writes to the files of a folder
// and later ones read from there. `shard` and `reader` as above; without a
// shard, there are as many as CPUs, which take turns.
TypedDataset Snapshot(const TypedDataset& d, const Tensor& path,
                      const std::string& compression,
                      const ElementFunction* reader,
                      const ElementFunction* shard);
// InvalidArgument for a compression that there is not.
void CheckSavedCompression(const std::string& name);
// ValueError unless a reader returned elements of `wanted`.
void CheckRead(const ElementSignature& wanted, const ElementSignature& read);

}  // namespace gk::steps

#endif  // GK_FUNCTION_DATASET_SAVING_H_
