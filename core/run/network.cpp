#include "core/run/network.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

namespace strata {
namespace {

constexpr const char* kLinkNames[] = {"plain",     "residual", "dense",  "fast-forward", "summary",
                                      "attention", "history",  "fusion", "shared"};

Network::LinkKind linkKindFrom(const std::string& name) {
  const auto* found = std::find(std::begin(kLinkNames), std::end(kLinkNames), name);
  return found == std::end(kLinkNames)
             ? Network::LinkKind::kPlain
             : static_cast<Network::LinkKind>(found - std::begin(kLinkNames));
}

}  // namespace

const char* nameOf(Network::LinkKind kind) {
  return kLinkNames[static_cast<std::size_t>(kind)];
}

std::size_t Network::add(Part part) {
  parts.push_back(std::move(part));
  return parts.size() - 1;
}

void Network::link(std::size_t from, std::size_t to, LinkKind kind) {
  links.push_back({from, to, kind});
}

std::int64_t Network::parameters() const {
  return std::accumulate(parts.begin(), parts.end(), std::int64_t{0},
                         [](std::int64_t sum, const Part& part) { return sum + part.parameters; });
}

Json Network::json() const {
  Json partList = Json::array(), linkList = Json::array();
  for (const Part& part : parts) {
    partList.push_back({{"name", part.name},
                        {"title", part.title},
                        {"column", part.column},
                        {"width", part.width},
                        {"parameters", part.parameters},
                        {"equation", part.equation},
                        {"detail", part.detail}});
  }
  for (const Link& link : links)
    linkList.push_back({{"from", link.from}, {"to", link.to}, {"kind", nameOf(link.kind)}});
  return {{"columns", columns}, {"parts", std::move(partList)}, {"links", std::move(linkList)}};
}

Network Network::read(const Json& json) {
  Network network;
  network.columns = json.at("columns").get<std::vector<std::string>>();
  for (const Json& part : json.at("parts"))
    network.parts.push_back({.name = part.at("name").get<std::string>(),
                             .title = part.at("title").get<std::string>(),
                             .column = part.at("column").get<std::size_t>(),
                             .width = part.at("width").get<std::int64_t>(),
                             .parameters = part.at("parameters").get<std::int64_t>(),
                             .equation = part.at("equation").get<std::string>(),
                             .detail = part.at("detail").get<std::string>()});
  for (const Json& link : json.at("links"))
    network.links.push_back({link.at("from").get<std::size_t>(), link.at("to").get<std::size_t>(),
                             linkKindFrom(link.at("kind").get<std::string>())});
  return network;
}

}  // namespace strata
