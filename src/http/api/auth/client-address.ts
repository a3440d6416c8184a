import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';

/** The client's address, or only that an untrusted proxy forwarded the request. */
export type ClientAddress = { readonly host?: string } | { readonly isProxied: true };

/** Headers that proxies add. */
const PROXY_HEADERS = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-proto', 'x-real-ip'];

/** Creates a lookup of the client's address. Forwarding headers are believed only from `trusted` proxies (addresses or CIDR ranges). */
export function createClientAddress(
  trusted: readonly string[],
): (request: Pick<IncomingMessage, 'headers' | 'socket'>) => ClientAddress {
  const ranges = trusted.map(toRange);

  function isTrusted(address: string): boolean {
    if (!ipaddr.isValid(address)) return false;
    const parsed = ipaddr.process(address);
    return ranges.some(
      ([network, bits]) => network.kind() === parsed.kind() && parsed.match(network, bits),
    );
  }

  return ({ headers, socket }) => {
    const peer = socket.remoteAddress;
    if (!PROXY_HEADERS.some((name) => headers[name] !== undefined)) {
      return peer === undefined ? {} : { host: peer };
    }
    if (peer === undefined || !isTrusted(peer)) return { isProxied: true };
    // Each proxy appends the address of its peer: the last address that is not a trusted proxy is the client.
    const hops = String(headers['x-forwarded-for'] ?? '').split(',');
    const client = hops.map(toAddress).findLast((hop) => !isTrusted(hop));
    return client !== undefined && ipaddr.isValid(client) ? { host: client } : { isProxied: true };
  };
}

function toRange(text: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  if (text.includes('/')) return ipaddr.parseCIDR(text);
  const address = ipaddr.process(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}

/** Some proxies add a port, and brackets around IPv6 addresses. */
function toAddress(hop: string): string {
  const plain = hop.trim();
  return /^\[(.+)\](?::\d+)?$/.exec(plain)?.[1] ?? plain.replace(/^([\d.]+):\d+$/, '$1');
}
