// Which embedding tables of a model are shared: every family's switches for it.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/run/key_table.h"

namespace strata {

// Values in a model's tables. A shared one counts where it is first used.
struct TableCounts {
  std::int64_t source = 0, target = 0, output = 0;
};

struct TableSharing {
  bool inputOutput = false;  // the output matrix is the decoder's table
  bool all = false;          // one table for both sides and the output; implies inputOutput

  bool tiesOutput() const { return inputOutput || all; }

  // What a family's tables are like.
  struct Tables {
    std::int64_t sourceWords, targetWords;
    std::int64_t width, outputWidth;  // of an embedding, and of the output layer's input
    std::string widths;               // the keys that set them: "embed_dim and hidden"
  };
  // Adds invalid combinations to `problems`.
  void check(const Tables& tables, std::vector<ConfigProblem>& problems) const;

  TableCounts counts(const Tables& tables) const;
  // Number of values in the model's tables: the encoder's, the decoder's and the output matrix.
  std::int64_t parameters(const Tables& tables) const;
};

void describe(KeyTable& keys, TableSharing& sharing);

}  // namespace strata
