import { isIP } from 'node:net';

/**
 * IP addresses as numbers of 128 bits; an IPv4 address is ::ffff:a.b.c.d. Pure functions, for the settings,
 * for outgoing requests and for counting callers.
 */

const IPV4_BITS = 32n;
const IPV4_MASK = (1n << IPV4_BITS) - 1n;
/** The range of IPv6 that holds IPv4: ::ffff:0:0/96. */
export const IPV4_FIRST = 0xffffn << IPV4_BITS;
export const IPV4_LAST = IPV4_FIRST + IPV4_MASK;

const NETWORK_BITS = 64n;
const SITE_BITS = 80n;

/** The address as a number, without its zone; null: it is none. */
export function bitsOf(address: string): bigint | null {
  const plain = address.split('%')[0] ?? '';
  const version = isIP(plain);
  if (version === 0) return null;
  return version === 4 ? IPV4_FIRST + bitsOfIpv4(plain) : bitsOfIpv6(plain);
}

function bitsOfIpv4(address: string): bigint {
  return address.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n);
}

function bitsOfIpv6(address: string): bigint {
  const [head = [], tail = []] = withoutDots(address)
    .split('::')
    .map((half) => half.split(':').filter((part) => part !== ''));
  const zeros = Array<string>(8 - head.length - tail.length).fill('0');
  return [...head, ...zeros, ...tail].reduce((sum, part) => sum * 65536n + BigInt(`0x${part}`), 0n);
}

/** The last 32 bits may be written as an IPv4 address. */
function withoutDots(address: string): string {
  const at = address.lastIndexOf(':') + 1;
  const end = address.slice(at);
  if (!end.includes('.')) return address;
  const ipv4 = bitsOfIpv4(end);
  return `${address.slice(0, at)}${(ipv4 >> 16n).toString(16)}:${(ipv4 & 0xffffn).toString(16)}`;
}

interface Embedding {
  /** The first bits of an address that carries an IPv4 address, and how many these are. */
  readonly prefix: bigint;
  readonly length: bigint;
  readonly ipv4: (bits: bigint) => bigint;
}

const last = (bits: bigint): bigint => bits & IPV4_MASK;

/** Forms of IPv6 in which one IPv4 address stands for the other end of the connection. */
const EMBEDDINGS: readonly Embedding[] = [
  // IPv4-mapped: RFC 4291, 2.5.5.2.
  { prefix: 0xffffn, length: 96n, ipv4: last },
  // IPv4-translated: RFC 2765, 2.1.
  { prefix: 0xffff_0000n, length: 96n, ipv4: last },
  // NAT64, the well-known prefix 64:ff9b::/96: RFC 6052, 2.1.
  { prefix: 0x0064_ff9b_0000_0000_0000_0000n, length: 96n, ipv4: last },
  // 6to4, 2002:a.b.c.d::/48: RFC 3056, 2.
  { prefix: 0x2002n, length: 16n, ipv4: (bits) => last(bits >> 80n) },
];

/** The IPv4 address that an address stands for: its own, or the one that it carries. Null: none. */
export function ipv4In(bits: bigint): bigint | null {
  const form = EMBEDDINGS.find(({ prefix, length }) => bits >> (128n - length) === prefix);
  return form === undefined ? null : form.ipv4(bits);
}

export function ipv4Text(ipv4: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => String((ipv4 >> shift) & 0xffn)).join('.');
}

/**
 * What one caller has, as text to count by: an IPv4 address, also inside of IPv6, or a /64 of IPv6, which
 * every connection to the Internet gets whole. What is no address is returned as it is.
 */
export function networkOf(address: string): string {
  return grouped(address, NETWORK_BITS);
}

/** The same for a site: a /48 of IPv6, which a company or a rented server may have whole. */
export function siteOf(address: string): string {
  return grouped(address, SITE_BITS);
}

function grouped(address: string, hostBits: bigint): string {
  const bits = bitsOf(address);
  if (bits === null) return address;
  const ipv4 = ipv4In(bits);
  if (ipv4 !== null) return ipv4Text(ipv4);
  const first = ((bits >> hostBits) << hostBits).toString(16).padStart(32, '0');
  const groups = (first.match(/.{4}/g) ?? []).slice(0, (128 - Number(hostBits)) / 16);
  const short = groups.map((group) => group.replace(/^0{1,3}/, '')).join(':');
  return `${short}::/${String(128n - hostBits)}`;
}
