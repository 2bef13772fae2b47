#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/store/workspace.h"

namespace strata {

// One scoring of a set named as a test set.
struct TestLook {
  double time = 0;       // seconds since the Unix epoch; 0 when recorded: now
  std::int64_t run = 0;  // 0: a model outside the workspace's runs
  std::string dataset = {}, set = {};
  std::string checkpoint = {};  // "step-00012000", or the folder of a model outside runs
  Json settings = nullptr;      // decoding and scoring settings
  Json scores = nullptr;        // {"BLEU": 34.2, ...}
};

// Written before the score is shown, so that no look is missed.
void recordTestLook(Workspace& workspace, const TestLook& look);
// Of one run, oldest first; of all runs and models if `run` is negative.
std::vector<TestLook> listTestLooks(Workspace& workspace, std::int64_t run = -1);

// Whether a set is a test set by its name: one of its parts is "test" ("test", "test2016",
// "flickr-test").
bool isTestSet(const std::string& set);

}  // namespace strata
