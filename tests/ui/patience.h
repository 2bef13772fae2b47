#pragma once

namespace strata::ui {

inline constexpr int kPatience = 90000;  // ms; the machine may be busy

}  // namespace strata::ui
