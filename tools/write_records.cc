// Writes the records of all ops as text: see ops/record_text.h. A part of the
// build, which derives the public headers of that text.
//
// usage: gk_write_records FILE     FILE keeps its time stamp if nothing changed
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "framework/op_registry.h"
#include "ops/record_text.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: gk_write_records FILE\n", stderr);
    return 2;
  }
  gk::RegisterAllOps();
  const std::string text = gk::RecordsText();
  {
    std::ifstream old(argv[1], std::ios::binary);
    const std::string before((std::istreambuf_iterator<char>(old)),
                             std::istreambuf_iterator<char>());
    if (old && before == text) return 0;
  }
  std::ofstream file(argv[1], std::ios::binary);
  file << text;
  file.close();
  if (!file) {
    std::fprintf(stderr, "gk_write_records: cannot write %s\n", argv[1]);
    return 1;
  }
  return 0;
}
