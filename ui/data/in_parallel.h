#pragma once
#include <functional>

namespace strata::ui {

// Calls `work` for parts 0 to parts - 1, in this thread and in those of Qt's pool that are free,
// and returns when all are done. `work` throws nothing.
void inParallel(int parts, const std::function<void(int part)>& work);

}  // namespace strata::ui
