/** SSRF guard: which addresses requests may reach. Checked for each connection, since DNS answers can change. */
import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';

/** What requests may reach, and how names are resolved. */
export interface WebAccess {
  /** Whether an IP address belongs to the public internet. */
  isPublic(address: string): boolean;
  isAllowedPort(port: number): boolean;
  resolve(host: string): Promise<readonly LookupAddress[]>;
}

/** The address may not be fetched; the message explains why to the model. */
export class AddressRefusedError extends Error {
  override readonly name = 'AddressRefusedError';
}

const GLOBAL_UNICAST: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];
const DOCUMENTATION: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('3fff::'), 20];

/** Addresses that look public, but reach the cloud provider's internal services from its own machines. */
const CLOUD_SERVICES: readonly (readonly [range: string, what: string])[] = [
  // https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16
  ['168.63.129.16/32', 'the host of a machine of Azure'],
  // https://docs.cloud.google.com/vpc/docs/configure-private-google-access
  ['199.36.153.4/30', 'restricted.googleapis.com'],
  ['199.36.153.8/30', 'private.googleapis.com'],
  ['2600:2d00:2:1000::/56', 'restricted.googleapis.com'],
  ['2600:2d00:2:2000::/56', 'private.googleapis.com'],
  // https://cloud.ibm.com/docs/vpc?topic=vpc-service-endpoints-for-vpc
  ['161.26.0.0/16', 'services of the machines of IBM'],
  ['166.8.0.0/14', 'services of the machines of IBM'],
];
const CLOUD_RANGES = CLOUD_SERVICES.map(([range]) => ipaddr.parseCIDR(range));

/** The public internet: no private, local, shared, reserved or translated addresses, and none of this machine. */
export const PUBLIC_INTERNET: WebAccess = {
  isPublic: (address) => isPublicAddress(address) && !isOwnAddress(address),
  isAllowedPort: (port) => port === 80 || port === 443,
  resolve: (host) => lookup(host, { all: true }),
};

/** Parses a URL, relative to a base if given; undefined if it is invalid. */
export function parseAddress(text: string, base?: URL): URL | undefined {
  return URL.canParse(text, base) ? new URL(text, base) : undefined;
}

/** Returns why an address can't be fetched, as far as that is known without DNS. */
export function addressProblem(url: URL, reach: WebAccess): string | undefined {
  const { protocol, username, password, hostname } = url;
  if (protocol !== 'http:' && protocol !== 'https:') {
    return 'Only http and https addresses can be fetched.';
  }
  if (username !== '' || password !== '') {
    return 'The address contains a user name or a password, which are never sent. Remove them.';
  }
  const port = portOf(url);
  if (!reach.isAllowedPort(port)) {
    return `Port ${port} can’t be fetched, only 80 and 443.`;
  }
  const literal = hostname.replace(/^\[|\]$/g, '');
  if (isIP(literal) !== 0 && !reach.isPublic(literal))
    return describeNonPublicHost(hostname, literal);
  return undefined;
}

/** Resolves a host; rejects if any of its addresses is not public. */
export async function resolvePublic(
  host: string,
  reach: WebAccess,
): Promise<readonly LookupAddress[]> {
  const found = await reach.resolve(host);
  const bad = found.find(({ address }) => !reach.isPublic(address));
  if (bad) throw new AddressRefusedError(describeNonPublicHost(host, bad.address));
  return found;
}

/** The port of a URL, with the scheme's default. */
export function portOf({ port, protocol }: URL): number {
  if (port !== '') return Number(port);
  return protocol === 'https:' ? 443 : 80;
}

/** Error text for a host outside the public internet. */
export function describeNonPublicHost(host: string, address: string): string {
  const leads = host.replace(/^\[|\]$/g, '') === address ? '' : `leads to ${address}, which `;
  return `${host} ${leads}is not an address of the public internet, so it can’t be fetched.`;
}

function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.parse(text);
  if (address.range() !== 'unicast') return false;
  if (CLOUD_RANGES.some((range) => isIn(address, range))) return false;
  if (address instanceof ipaddr.IPv4) return true;
  // ISATAP: the last four bytes are an IPv4 address. https://www.rfc-editor.org/rfc/rfc5214
  const isTunnel = [0, 0x200].includes(address.parts[4] ?? 0) && address.parts[5] === 0x5efe;
  return address.match(GLOBAL_UNICAST) && !address.match(DOCUMENTATION) && !isTunnel;
}

function isIn(address: ipaddr.IPv4 | ipaddr.IPv6, [base, bits]: (typeof CLOUD_RANGES)[number]) {
  return address.kind() === base.kind() && address.match(base, bits);
}

/** A request to this machine itself would bypass the firewall. */
function isOwnAddress(text: string): boolean {
  const address = ipaddr.parse(text).toNormalizedString();
  return Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .some((own) => ipaddr.parse(own.address).toNormalizedString() === address);
}
