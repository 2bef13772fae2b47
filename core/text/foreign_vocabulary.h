#pragma once
#include <string_view>

namespace strata {

// Refuses vocabularies and segmentation models of other tools, by name and with what to do instead:
// SentencePiece's model and vocabulary, tokenizers and vocabularies in JSON (Hugging Face) and in
// YAML (Marian), whose words would be taken for others, counts after a tab (OpenNMT-py). A usage
// error names `where`; nothing is said of other texts.
void refuseForeignVocabulary(std::string_view text, std::string_view where);

// The same where BPE codes are expected, and codes of other tools: merges that mark where words
// begin (Hugging Face's merges.txt), which would be read as merges within words, and fastBPE's.
void refuseForeignCodes(std::string_view text, std::string_view where);

}  // namespace strata
