#include "core/distributed/local_address.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <memory>
#include <string_view>

#include "core/base/error.h"

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

using Addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

// Null: the name is not known.
Addresses resolve(const std::string& host) {
  addrinfo hints{}, *found = nullptr;
  hints.ai_socktype = SOCK_DGRAM;
  if (getaddrinfo(host.c_str(), "9", &hints, &found) != 0) found = nullptr;
  return {found, freeaddrinfo};
}

std::string ownEndTowards(const std::string& host) {
  const Addresses found = resolve(host);
  for (const addrinfo* at = found.get(); at != nullptr; at = at->ai_next) {
    if (const auto own = ownEnd(at->ai_addr, at->ai_addrlen); !own.empty()) return own;
  }
  return {};
}

bool isLoopback(std::string_view address) {
  return address.starts_with("127.") || address == "::1" || address == "localhost";
}

}  // namespace

int freePort() {
  const int handle = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* any = reinterpret_cast<sockaddr*>(&address);
  const bool bound = bind(handle, any, size) == 0 && getsockname(handle, any, &size) == 0;
  if (handle >= 0) close(handle);
  if (!bound) throw Error("No port of this computer is free");
  return ntohs(address.sin_port);
}

bool isKnownHost(const std::string& host) {
  return resolve(host) != nullptr;
}

std::string localAddressTowards(const std::string& host) {
  const std::string own = ownEndTowards(host);
  if (!own.empty() && !isLoopback(own)) return own;
  if (isLoopback(host)) return own.empty() ? kLoopback : own;
  const std::string other = ownEndTowards("192.0.2.1");  // reserved for documentation (RFC 5737)
  return other.empty() ? kLoopback : other;
}

}  // namespace strata
