#pragma once
#include <cstddef>
#include <span>
#include <string>

namespace strata {

// Which of several presets is the usual baseline: the one with which the papers' tables compare
// most of the others; variants of a preset ("-cpu") count as the preset. If no table compares them,
// the first whose name says so ("demo/base"), else the first.
std::size_t usualBaseline(std::span<const std::string> presets);

}  // namespace strata
