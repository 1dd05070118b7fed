//! Classification of hosts and IP addresses as public or private.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Returns whether an IP address belongs to the public network; false for loopback, private, link-local and reserved
/// ranges.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let is_own = match a {
        0 | 10 | 127 => true,
        // 100.64.0.0/10 is the shared address space of carrier-grade NAT.
        100 => (64..128).contains(&b),
        169 => b == 254,
        172 => (16..32).contains(&b),
        192 => b == 168 || (b == 0 && (c == 0 || c == 2)) || (b == 88 && c == 99),
        // 198.18.0.0/15 is for benchmarks; 198.51.100.0/24 and 203.0.113.0/24 are for documentation.
        198 => b == 18 || b == 19 || (b == 51 && c == 100),
        203 => b == 0 && c == 113,
        224.. => true,
        _ => false,
    };
    !is_own
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let [a, b, c, d, e, f, g, h] = address.segments();
    let inner = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        is_public_v4(Ipv4Addr::new(a, b, c, d))
    };
    match (a, b) {
        // An IPv6 address that embeds an IPv4 address is public if the IPv4 address is.
        (0, 0) if (c, d, e, f) == (0, 0, 0, 0xffff) => inner(g, h),
        (0x64, 0xff9b) if (c, d, e, f) == (0, 0, 0, 0) => inner(g, h),
        (0x2002, _) => inner(b, c),
        // Not public: 2001::/23 (tunnels and protocols), 2001:db8::/32 and 3fff::/20 (documentation).
        (0x2001, 0..0x200 | 0xdb8) | (0x3fff, 0..0x1000) => false,
        (0x2000..0x4000, _) => true,
        _ => false,
    }
}

/// Returns whether a host is private: `localhost`, a name below it, or an IP address outside the public network. Other
/// names are not looked up.
#[must_use]
pub fn is_own(host: &str) -> bool {
    let name = host.trim_end_matches('.').to_ascii_lowercase();
    if let Ok(address) = name.trim_matches(['[', ']']).parse::<IpAddr>() {
        return !is_public(address);
    }
    is_local_name(&name)
}

/// Returns whether a host is on the loopback interface: `localhost`, a name below it, or an address. Other names are not
/// looked up. The unspecified address counts, because a connection to it reaches the loopback interface.
#[must_use]
pub fn is_loopback(host: &str) -> bool {
    let name = host.trim_end_matches('.').to_ascii_lowercase();
    match name.trim_matches(['[', ']']).parse::<IpAddr>() {
        Ok(address) => address.to_canonical().is_loopback() || address.is_unspecified(),
        Err(_) => is_local_name(&name),
    }
}

fn is_local_name(name: &str) -> bool {
    name == "localhost" || name.ends_with(".localhost")
}

/// Maximum length of a URL, in bytes.
pub(crate) const LONGEST: usize = 8 * 1024;

/// Reason why a URL cannot be fetched.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// The text is not a full URL; the reason is included.
    #[error("invalid URL ({0}); use a full URL such as https://example.com/docs")]
    NotUrl(String),
    /// The scheme of the URL, which is included, is neither HTTP nor HTTPS.
    #[error("`{0}:` URLs are not fetched, only `http:` and `https:`")]
    Scheme(String),
    /// The URL contains a user name or a password.
    #[error("the URL contains a user name or password before an `@`, which is never sent; remove it")]
    Credentials,
    /// The URL exceeds the maximum length.
    #[error("the URL is longer than {LONGEST} bytes")]
    TooLong,
    /// This build cannot fetch any URL.
    #[error("this program was built without the feature `web`: rebuild it with that feature")]
    NotBuilt,
}

#[cfg(test)]
mod tests {
    use super::*;

    const PUBLIC: &str = "1.1.1.1 8.8.8.8 100.63.0.1 100.128.0.1 172.15.0.1 172.32.0.1 192.0.1.1 198.17.0.1 \
        198.20.0.1 223.255.255.254 2606:4700::1111 2a00:1450::1 ::ffff:1.1.1.1 64:ff9b::101:101 \
        2002:101:101::1 2001:200::1";
    const OWN: &str = "0.0.0.0 0.1.2.3 10.0.0.1 100.64.0.1 100.127.255.255 127.0.0.1 127.1.2.3 169.254.169.254 \
        172.16.0.1 172.31.255.255 192.0.0.1 192.0.2.1 192.88.99.1 192.168.1.1 198.18.0.1 \
        198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1 240.0.0.1 255.255.255.255 :: ::1 \
        ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:169.254.169.254 64:ff9b::7f00:1 64:ff9b:1::1 \
        2002:7f00:1:: 2002:a00:1:: 2001::1 2001:db8::1 3fff::1 fc00::1 fd00:ec2::254 fe80::1 \
        fec0::1 ff02::1 100::1 5f00::1";

    #[test]
    fn ip_addresses_are_classified_as_public_or_private() {
        for (rows, wanted) in [(PUBLIC, true), (OWN, false)] {
            for address in rows.split_whitespace() {
                assert_eq!(is_public(address.parse().unwrap()), wanted, "{address}");
            }
        }
    }
}
