#pragma once
#include <string>

namespace strata {

// The address of this computer that processes which reach `host` (a name or an address) can connect
// to: that of the interface towards it. If that is the loopback although `host` names this computer
// otherwise (as Debian's /etc/hosts does), the one of the interface towards other networks; the
// loopback if there is none. Sends nothing.
std::string localAddressTowards(const std::string& host);

// A port of the loopback that is free now.
int freePort();

// Whether the name of a computer can be resolved here, or is an address.
bool isKnownHost(const std::string& host);

}  // namespace strata
