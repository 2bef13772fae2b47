#pragma once

// The words of the generated language: plain tables, one entry a line; their columns are explained
// in tables.cpp.
namespace strata::generator {

extern const char* const kNounTable;
extern const char* const kVerbTable;
extern const char* const kAdjectiveTable;
extern const char* const kAdverbTable;
extern const char* const kPrepositionTable;
extern const char* const kModifierTable;
extern const char* const kNameTable;
extern const char* const kTownTable;

}  // namespace strata::generator
