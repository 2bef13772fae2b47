#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/papers/paper_table.h"

namespace strata {

// A row of a paper's table as the beginning of a run: what `paper run` queues for it. Quoted rows
// and those that only combine the runs of others are none. A row whose columns need different
// presets or datasets is several.
struct PaperStart {
  std::string name;     // "mlrf/table2 Enc-AVG"; of several: "... (De-En 64)"
  std::string preset;   // with the suffix of the columns
  std::string dataset;  // its recipe
  std::vector<std::string> overrides;
  std::string printed;  // by the paper: "valid 34.34, test 32.71"
};
std::vector<PaperStart> paperStarts(const PaperTable& table);

// By which a run is known to be a paper's.
struct PaperRunKey {
  std::string preset, dataset;
  std::int64_t version = 1;                // of the dataset
  std::vector<std::string> settings = {};  // key=value, beyond the preset
  std::string label = {};                  // empty: none
};
// "mlrf-base.multi30k"; a run's name also has its seed: ".s1".
std::string paperRunName(const PaperRunKey& key);

}  // namespace strata
