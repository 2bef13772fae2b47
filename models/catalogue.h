#pragma once

namespace strata {

// Makes every paper's family known to createModel. Call once at the start of a program or test;
// more calls do nothing.
void registerModels();

}  // namespace strata
