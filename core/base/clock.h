#pragma once

namespace strata {

// Seconds since the Unix epoch.
double nowSeconds();

}  // namespace strata
