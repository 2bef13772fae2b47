#include "core/papers/network_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/run/network_layout.h"

namespace strata {
namespace {

constexpr double kColumn = 230, kSides = 120, kHead = 62, kLegendRow = 18, kLegendEntry = 130;
constexpr const char* kStyle =
    "font-family=\"sans-serif\" font-size=\"12\" fill=\"currentColor\" stroke=\"none\"";

bool isDashed(Network::LinkKind kind) {
  using Kind = Network::LinkKind;
  return kind == Kind::kSummary || kind == Kind::kHistory || kind == Kind::kShared;
}

// Plain connections and shared tables in grey, the others in the colours of the charts.
const char* colourOf(Network::LinkKind kind) {
  using Kind = Network::LinkKind;
  if (kind == Kind::kPlain || kind == Kind::kShared) return "#7F7F7F";
  return svgColour(static_cast<std::size_t>(kind) - 1);
}

std::string pathOf(std::string_view points, Network::LinkKind kind) {
  return fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.4\"{}/>\n",
                     points, colourOf(kind), isDashed(kind) ? " stroke-dasharray=\"5 4\"" : "");
}

std::string linkOf(const NetworkLayout::Curve& curve, Network::LinkKind kind) {
  const auto& [start, first, second, end, along] = curve;
  const NetworkLayout::Point across{-along.y, along.x};
  const std::string line =
      fmt::format("M{:.1f} {:.1f}C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}", start.x, start.y,
                  first.x, first.y, second.x, second.y, end.x, end.y);
  return pathOf(line, kind) +
         fmt::format("<path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}L{:.1f} {:.1f}Z\" fill=\"{}\"/>\n",
                     end.x, end.y, end.x - 6 * along.x + 3 * across.x,
                     end.y - 6 * along.y + 3 * across.y, end.x - 6 * along.x - 3 * across.x,
                     end.y - 6 * along.y - 3 * across.y, colourOf(kind));
}

std::string boxOf(const NetworkLayout::Box& box, const Network::Part& part) {
  const double middle = box.y + box.height / 2 + 4;
  return fmt::format(
             "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"4\" "
             "fill=\"#7F7F7F\" fill-opacity=\"0.12\" stroke=\"#7F7F7F\"><title>{}</title></rect>\n",
             box.x, box.y, box.width, box.height, part.name) +
         svgText(box.x + 7, middle, "start", part.title) +
         svgText(box.x + box.width - 7, middle, "end",
                 fmt::format("{} \u00b7 {}", part.width, part.parameters), "fill-opacity=\"0.7\"");
}

std::vector<Network::LinkKind> kindsOf(const Network& network) {
  std::vector<Network::LinkKind> kinds;
  for (const Network::Link& link : network.links) {
    if (std::ranges::find(kinds, link.kind) == kinds.end()) kinds.push_back(link.kind);
  }
  std::ranges::sort(kinds);
  return kinds;
}

}  // namespace

SvgPicture drawn(const NamedNetwork& named) {
  const Network& network = named.network;
  const auto kinds = kindsOf(network);
  const double width = kSides + kColumn * static_cast<double>(network.columns.size());
  const auto perRow = static_cast<std::size_t>(std::max(1.0, width / kLegendEntry));
  const double bottom =
      kHead + NetworkLayout::kMargin +
      NetworkLayout::mostRows(network) * (NetworkLayout::kHighestBox + NetworkLayout::kRowGap);
  const double legend = kLegendRow * static_cast<double>((kinds.size() + perRow - 1) / perRow);
  SvgPicture picture{width, bottom + legend + 3 * kLegendRow, named.title(), kStyle};
  std::string& svg = picture.body;
  svg = svgText(width / 2, 22, "middle", named.title(), "font-size=\"15\"");
  const NetworkLayout layout(network, {width, kHead, bottom});
  for (const Network::Link& link : network.links) svg += linkOf(layout.curve(link), link.kind);
  for (std::size_t i = 0; i < network.parts.size(); ++i)
    svg += boxOf(layout.box(i), network.parts[i]);
  for (std::size_t c = 0; c < network.columns.size(); ++c) {
    const auto first = std::ranges::find(network.parts, c, &Network::Part::column);
    if (first == network.parts.end()) continue;
    const auto box = layout.box(static_cast<std::size_t>(first - network.parts.begin()));
    svg += svgText(box.x + box.width / 2, kHead - 14, "middle", network.columns[c]);
  }
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const double x = NetworkLayout::kMargin + kLegendEntry * static_cast<double>(i % perRow);
    const double y = bottom + kLegendRow * static_cast<double>(1 + i / perRow);
    svg += pathOf(fmt::format("M{:.1f} {:.1f}h24", x, y - 4), kinds[i]) +
           svgText(x + 30, y, "start", nameOf(kinds[i]));
  }
  svg += svgText(NetworkLayout::kMargin, bottom + legend + 2 * kLegendRow, "start",
                 named.sizeText() + "; in each box: width \u00b7 parameters");
  return picture;
}

}  // namespace strata
