#include "core/run/hypothesis_tree.h"

#include <algorithm>
#include <utility>

namespace strata {
namespace {

// The node of these hypotheses (indices), which agree in their words before `begin`.
HypothesisNode nodeOf(const std::vector<Hypothesis>& all, const std::vector<std::size_t>& members,
                      std::size_t begin) {
  HypothesisNode node;
  const Hypothesis& first = all[members.front()];
  const auto agree = [&](std::size_t at) {
    return std::ranges::all_of(members, [&](std::size_t member) {
      return at < all[member].words.size() && all[member].words[at] == first.words[at];
    });
  };
  std::size_t at = begin;
  for (; at < first.words.size() && agree(at); ++at) {
    node.words.push_back(first.words[at]);
    node.logProbability += first.tokenLogProbabilities[at];
  }
  std::vector<std::pair<std::string, std::vector<std::size_t>>> branches;  // by the next word
  for (const std::size_t member : members) {
    if (all[member].words.size() == at) {
      if (node.hypothesis < 0) node.hypothesis = static_cast<int>(member);
      continue;
    }
    const std::string& word = all[member].words[at];
    auto branch = std::ranges::find(branches, word, [](const auto& each) { return each.first; });
    if (branch == branches.end()) branch = branches.insert(branch, {word, {}});
    branch->second.push_back(member);
  }
  for (const auto& [word, below] : branches) node.children.push_back(nodeOf(all, below, at));
  return node;
}

}  // namespace

HypothesisNode treeOf(const std::vector<Hypothesis>& hypotheses) {
  if (hypotheses.empty()) return {};
  std::vector<std::size_t> members;
  for (std::size_t i = 0; i < hypotheses.size(); ++i) members.push_back(i);
  return nodeOf(hypotheses, members, 0);
}

}  // namespace strata
