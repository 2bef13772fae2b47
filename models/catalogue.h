#pragma once

namespace strata {

// Registers every paper's family with createModel. Call once at the start of a program or test;
// further calls do nothing.
void registerModels();

}  // namespace strata
