#include "core/base/key_path.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace strata {
namespace {

// Edits (insert, delete, replace, swap of neighbours) that turn one word into the other.
std::size_t editDistance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      now[j] =
          std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        now[j] = std::min(now[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, now);
  }
  return last[b.size()];
}

std::string lastPart(const std::string& path) {
  return path.substr(path.rfind('.') + 1);
}

}  // namespace

std::string dotted(const std::string& path, const std::string& key) {
  return path.empty() ? key : path + "." + key;
}

std::string nearestOf(const std::string& word, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t least = std::numeric_limits<std::size_t>::max();
  for (const std::string& candidate : candidates) {
    // A key under the wrong section is as close as its last part is; ties go to the full path.
    const std::size_t distance =
        std::min(2 * editDistance(word, candidate),
                 2 * editDistance(lastPart(word), lastPart(candidate)) + 1);
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

const Json* findAt(const Json& tree, const std::string& path) {
  const Json* at = &tree;
  for (std::size_t start = 0; start <= path.size();) {
    const std::size_t dot = std::min(path.find('.', start), path.size());
    if (!at->is_object()) return nullptr;
    const auto found = at->find(path.substr(start, dot - start));
    if (found == at->end()) return nullptr;
    at = &*found;
    start = dot + 1;
  }
  return at;
}

Json& placeAt(Json& tree, const std::string& path) {
  Json* at = &tree;
  for (std::size_t start = 0; start <= path.size();) {
    const std::size_t dot = std::min(path.find('.', start), path.size());
    if (!at->is_object()) *at = Json::object();
    at = &(*at)[path.substr(start, dot - start)];
    start = dot + 1;
  }
  return *at;
}

void eraseAt(Json& tree, const std::string& path) {
  const auto dot = path.rfind('.');
  Json* parent = &tree;
  if (dot != std::string::npos) {
    if (findAt(tree, path.substr(0, dot)) == nullptr) return;
    parent = &placeAt(tree, path.substr(0, dot));
  }
  if (parent->is_object()) parent->erase(path.substr(dot == std::string::npos ? 0 : dot + 1));
}

}  // namespace strata
