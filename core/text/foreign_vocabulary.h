#pragma once
#include <string_view>

namespace strata {

// Refuses vocabularies and segmentation models of other tools, by name and with what to do instead:
// SentencePiece's model and vocabulary, tokenizers and vocabularies in JSON (Hugging Face) and in
// YAML (Marian), whose words would be taken for others. A usage error names `where`; nothing is
// said of other texts.
void refuseForeignVocabulary(std::string_view text, std::string_view where);

}  // namespace strata
