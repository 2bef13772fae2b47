#include "core/distributed/local_address.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <memory>
#include <string_view>

namespace strata {
namespace {

constexpr const char* kLoopback = "127.0.0.1";

std::string textOf(const sockaddr_storage& address, socklen_t size) {
  char text[NI_MAXHOST];
  const auto* any = reinterpret_cast<const sockaddr*>(&address);
  if (getnameinfo(any, size, text, sizeof text, nullptr, 0, NI_NUMERICHOST) != 0) return {};
  return text;
}

// The own end of a datagram socket that is connected to the address; empty: there is no way to it.
std::string ownEnd(const sockaddr* to, socklen_t size) {
  const int handle = socket(to->sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (handle < 0) return {};
  sockaddr_storage own{};
  socklen_t length = sizeof own;
  const bool known = connect(handle, to, size) == 0 &&
                     getsockname(handle, reinterpret_cast<sockaddr*>(&own), &length) == 0;
  close(handle);
  return known ? textOf(own, length) : std::string();
}

std::string ownEndTowards(const std::string& host) {
  addrinfo hints{}, *found = nullptr;
  hints.ai_socktype = SOCK_DGRAM;
  if (getaddrinfo(host.c_str(), "9", &hints, &found) != 0) return {};
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(found, freeaddrinfo);
  for (const addrinfo* at = found; at != nullptr; at = at->ai_next) {
    if (const auto own = ownEnd(at->ai_addr, at->ai_addrlen); !own.empty()) return own;
  }
  return {};
}

bool isLoopback(std::string_view address) {
  return address.starts_with("127.") || address == "::1" || address == "localhost";
}

}  // namespace

std::string localAddressTowards(const std::string& host) {
  const std::string own = ownEndTowards(host);
  if (!own.empty() && !isLoopback(own)) return own;
  if (isLoopback(host)) return own.empty() ? kLoopback : own;
  const std::string other = ownEndTowards("192.0.2.1");  // reserved for documentation (RFC 5737)
  return other.empty() ? kLoopback : other;
}

}  // namespace strata
