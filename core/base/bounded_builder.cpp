#include "core/base/bounded_builder.h"

namespace strata {
namespace {

constexpr std::size_t kFewKeys = 32;  // with this few, comparing is faster than hashing

}  // namespace

void BoundedBuilder::open(Json container) {
  if (std::ssize(open_) >= limits_.depth)
    throw LimitError("nested too deeply: at most {} levels are read", limits_.depth);
  Json& value = place(std::move(container));
  open_.push_back({.value = &value});
}

bool BoundedBuilder::key(const std::string& name) {
  count();
  Open& object = open_.back();
  auto& members =
      object.value->get_ref<Json::object_t&>();  // a vector, which is searched from its beginning
  const std::size_t before = members.size();
  if (before < kFewKeys) {
    object.next = &members[name];
    return members.size() > before;
  }
  if (object.places.empty()) {
    for (const auto& [known, value] : members) object.places.emplace(known, object.places.size());
  }
  const auto [place, isNew] = object.places.emplace(name, before);
  if (isNew) members.emplace_back(name, nullptr);
  object.next = &(members.begin() + static_cast<std::ptrdiff_t>(place->second))->second;
  return isNew;
}

void BoundedBuilder::count() {
  if (++values_ > limits_.values)
    throw LimitError("contains more than the limit of {} values", limits_.values);
}

Json& BoundedBuilder::place(Json value) {
  count();
  if (open_.empty()) return root_ = std::move(value);
  const Open& parent = open_.back();
  if (parent.value->is_object()) return *parent.next = std::move(value);
  parent.value->push_back(std::move(value));
  return parent.value->back();
}

}  // namespace strata
