import { BlockList, isIP } from 'node:net';
import { bitsOf, IPV4_FIRST, IPV4_LAST, ipv4In, ipv4Text } from './ip-address';

const ALL_BITS = 128n;
const LAST = (1n << ALL_BITS) - 1n;

interface Range {
  readonly first: bigint;
  readonly last: bigint;
}

/** An address, or an address with the length of its prefix. */
export function isAddressRange(range: string): boolean {
  const [address = '', prefix, ...more] = range.split('/');
  const version = isIP(address);
  if (version === 0 || more.length > 0) return false;
  if (prefix === undefined) return true;
  return (
    /^\d{1,3}$/.test(prefix) && Number(prefix) >= 1 && Number(prefix) <= (version === 4 ? 32 : 128)
  );
}

/** Whether these ranges together hold every IPv4 address, or every IPv6 address. */
export function coverAllAddresses(ranges: readonly string[]): boolean {
  const sorted = ranges.map(boundsOf).sort((a, b) => (a.first < b.first ? -1 : 1));
  const covers = ({ first, last }: Range): boolean => {
    let next = first;
    for (const range of sorted) {
      if (range.first <= next && range.last >= next) next = range.last + 1n;
    }
    return next > last;
  };
  return covers({ first: IPV4_FIRST, last: IPV4_LAST }) || covers({ first: 0n, last: LAST });
}

function boundsOf(range: string): Range {
  const [address = '', prefix] = range.split('/');
  const isIPv4 = isIP(address) === 4;
  const bits = prefix === undefined ? 128 : Number(prefix) + (isIPv4 ? 96 : 0);
  const rest = (1n << (ALL_BITS - BigInt(bits))) - 1n;
  const first = (bitsOf(address) ?? 0n) & ~rest;
  return { first, last: first + rest };
}

/**
 * Metadata services of clouds, which hand out credentials to whoever can reach them. Unique local
 * addresses (fd00::/8) of an operator are random (RFC 4193), so these are nobody else's.
 */
const METADATA = new BlockList();
METADATA.addSubnet('169.254.0.0', 16);
/** Alibaba Cloud, the host of Azure, Oracle Cloud Classic. */
METADATA.addAddress('100.100.100.200');
METADATA.addAddress('168.63.129.16');
METADATA.addAddress('192.0.0.192');
METADATA.addSubnet('fe80::', 10, 'ipv6');
/** AWS: EC2, and credentials of EKS. */
METADATA.addSubnet('fd00:ec2::', 32, 'ipv6');
/** Google Cloud, Oracle Cloud, Scaleway, Linode, Alibaba Cloud. */
METADATA.addAddress('fd20:ce::254', 'ipv6');
METADATA.addAddress('fd00:c1::a9fe:a9fe', 'ipv6');
METADATA.addAddress('fd00:42::42', 'ipv6');
METADATA.addAddress('fd00:a9fe:a9fe::1', 'ipv6');
METADATA.addAddress('fd00:100::100:200', 'ipv6');

/** Addresses that no peer has. The networks of a company and of this machine are not among them,
 * because operators run model servers there. */
const UNUSABLE = new BlockList();
UNUSABLE.addSubnet('0.0.0.0', 8);
UNUSABLE.addSubnet('224.0.0.0', 4);
UNUSABLE.addSubnet('240.0.0.0', 4);
UNUSABLE.addAddress('::', 'ipv6');
UNUSABLE.addSubnet('ff00::', 8, 'ipv6');

const REFUSED_NAMES = new Set([
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'instance-data',
  'instance-data.ec2.internal',
  'metadata.tencentyun.com',
  'api.metadata.cloud.ibm.com',
]);

/** Whether this IP address, IPv4 inside of IPv6 too, is never called. */
export function isRefusedIp(address: string): boolean {
  const bits = bitsOf(address);
  if (bits === null) return false;
  const plain = address.split('%')[0] ?? '';
  const carried = ipv4In(bits);
  return (
    isIn(METADATA, plain) ||
    isIn(UNUSABLE, plain) ||
    (carried !== null &&
      (isIn(METADATA, ipv4Text(carried)) || isIn(UNUSABLE, ipv4Text(carried)))) ||
    guessedIpv4s(bits).some((ipv4) => isIn(METADATA, ipv4Text(ipv4)))
  );
}

function isIn(list: BlockList, address: string): boolean {
  return list.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');
}

/** NAT64 of one operator, 64:ff9b:1::/48 (RFC 8215). */
const LOCAL_NAT64 = 0x0064_ff9b_0001n;
const TEREDO = 0x2001_0000n;
const ISATAP = new Set([0x0000_5efen, 0x0200_5efen]);

/**
 * IPv4 addresses that an address carries in a form which does not tell where, or of which it is not
 * certain that a router reads it. Most of them mean nothing, so they are only compared with metadata services.
 */
function guessedIpv4s(bits: bigint): bigint[] {
  const at = (place: bigint): bigint => (bits >> place) & 0xffff_ffffn;
  // IPv4-compatible, ::a.b.c.d (RFC 4291, 2.5.5.1).
  if (bits >> 32n === 0n) return [at(0n)];
  // The server and the client, whose bits are inverted (RFC 4380, 4).
  if (bits >> 96n === TEREDO) return [at(64n), at(0n) ^ 0xffff_ffffn];
  // RFC 5214, 6.1: behind any prefix.
  if (ISATAP.has(at(32n))) return [at(0n)];
  if (bits >> 80n !== LOCAL_NAT64) return [];
  // After a prefix of 48, 56, 64 or 96 bits; bits 64 to 71 are left out (RFC 6052, 2.2).
  const without = ((bits >> 64n) << 56n) | (bits & ((1n << 56n) - 1n));
  return [at(0n), ...[40n, 32n, 24n].map((place) => (without >> place) & 0xffff_ffffn)];
}

/** Whether an address is refused. A host name is checked again when it is resolved. */
export function isRefusedUrl({ protocol, hostname, username, password }: URL): boolean {
  const isHttp = protocol === 'http:' || protocol === 'https:';
  const hasLogin = username !== '' || password !== '';
  const host = hostname.replace(/^\[|\]$/g, '');
  const name = host.replace(/\.$/, '');
  return !isHttp || hasLogin || isRefusedIp(host) || REFUSED_NAMES.has(name);
}
