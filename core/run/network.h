// A model as its layers and the connections between them, for a drawing of what is about to be
// trained. Each family's folder describes its own (networkOf in config.h).
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/json.h"

namespace strata {

struct Network {
  // What a connection carries.
  enum class LinkKind {
    kPlain,        // one part's output is the next one's input
    kResidual,     // added to a part's output
    kDense,        // concatenated with the inputs of a later layer
    kFastForward,  // an LSTM's input, read by the layer above
    kSummary,      // a dense stack, reduced to one layer's width
    kAttention,    // attended to
    kHistory,      // the decoder's own earlier positions, attended to
    kFusion,       // a level, fused with the others
    kShared        // the same parameters
  };

  struct Part {
    std::string name;        // of the layer in the table of parameter names: "encoder.layers.0"
    std::string title;       // "layer 1"
    std::size_t column = 0;  // index into columns
    std::int64_t width = 0;  // of its output, per position
    std::int64_t parameters = 0;  // trainable values; shared ones belong to one part only
    std::string equation = {};    // as in docs/models.md
    std::string detail = {};      // "kernel 3, reads 512"
  };
  struct Link {
    std::size_t from = 0, to = 0;  // indices into parts
    LinkKind kind = LinkKind::kPlain;
    bool operator==(const Link&) const = default;
  };

  std::vector<std::string> columns;  // "encoder", "decoder", from left to right
  std::vector<Part> parts;           // of each column from its input upwards
  std::vector<Link> links;

  std::size_t add(Part part);  // returns its index
  void link(std::size_t from, std::size_t to, LinkKind kind = LinkKind::kPlain);
  std::int64_t parameters() const;  // of all parts

  Json json() const;
  // Throws nlohmann's exceptions if a member is missing or has another type.
  static Network read(const Json& json);
};

const char* nameOf(Network::LinkKind kind);  // "plain", "residual", "dense", ...

}  // namespace strata
