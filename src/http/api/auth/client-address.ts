import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';

/** Where a request comes from: an address, or only that a proxy passed it on. */
export type ClientAddress = { readonly host?: string } | { readonly isProxied: true };

/** What proxies add to a request. */
const PROXY_HEADERS = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-proto', 'x-real-ip'];

/** Creates the look at where a request comes from; only the proxies in `trusted` (addresses or CIDR ranges) are believed. */
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
    // Each proxy appends whom it heard: the last one that is no proxy of ours is the client.
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

/** Some proxies add a port, and brackets around IPv6. */
function toAddress(hop: string): string {
  const plain = hop.trim();
  return /^\[(.+)\](?::\d+)?$/.exec(plain)?.[1] ?? plain.replace(/^([\d.]+):\d+$/, '$1');
}
