// Runs the tests of one file of a folder: PROGRAM TEST [FUNCTION...] [options of Qt Test]
#include "tests/program.h"

#include <cstdio>
#include <map>
#include <string>

namespace {
std::map<std::string, strata::TestFile::Run>& testFiles() {
  static std::map<std::string, strata::TestFile::Run> files;
  return files;
}
}  // namespace

strata::TestFile::TestFile(const char* file, Run run) {
  const std::string name(file);
  testFiles()[name.substr(0, name.rfind('.'))] = run;
}

int main(int argc, char** argv) {
  const auto chosen = argc > 1 ? testFiles().find(argv[1]) : testFiles().end();
  if (chosen != testFiles().end()) return chosen->second(argc - 1, argv + 1);
  std::fprintf(stderr, "usage: %s TEST [FUNCTION...] [options of Qt Test], where TEST is one of\n",
               argv[0]);
  for (const auto& [name, run] : testFiles()) std::fprintf(stderr, "  %s\n", name.c_str());
  return 2;  // nothing was tested
}
