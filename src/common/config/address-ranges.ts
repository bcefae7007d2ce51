import { isIP, BlockList } from 'node:net';

const ALL_BITS = 128n;
const LAST = (1n << ALL_BITS) - 1n;
/** The range of IPv6 that holds IPv4: ::ffff:0:0/96. */
const IPV4_FIRST = 0xffffn << 32n;
const IPV4_LAST = IPV4_FIRST + 0xffffffffn;

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
  const first = (isIPv4 ? IPV4_FIRST + ofIPv4(address) : ofIPv6(address)) & ~rest;
  return { first, last: first + rest };
}

function ofIPv4(address: string): bigint {
  return address.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n);
}

function ofIPv6(address: string): bigint {
  const plain = (address.split('%')[0] ?? '').replace(/[\d.]+$/, (tail) => {
    if (!tail.includes('.')) return tail;
    const value = ofIPv4(tail);
    return `${(value >> 16n).toString(16)}:${(value & 0xffffn).toString(16)}`;
  });
  const [head = [], tail = []] = plain
    .split('::')
    .map((half) => half.split(':').filter((part) => part !== ''));
  const zeros = Array<string>(8 - head.length - tail.length).fill('0');
  return [...head, ...zeros, ...tail].reduce((sum, part) => sum * 65536n + BigInt(`0x${part}`), 0n);
}

/**
 * Addresses that no peer of Colloquy has, and where something listens that trusts whoever can reach it:
 * the metadata services of clouds, which hand out credentials. The networks of a company and of this
 * machine are not among them, because operators run model servers there.
 */
const REFUSED = new BlockList();
REFUSED.addSubnet('0.0.0.0', 8);
REFUSED.addSubnet('169.254.0.0', 16);
REFUSED.addSubnet('224.0.0.0', 4);
REFUSED.addSubnet('240.0.0.0', 4);
/** Metadata of Alibaba Cloud and of Azure's host. */
REFUSED.addAddress('100.100.100.200');
REFUSED.addAddress('168.63.129.16');
REFUSED.addAddress('::', 'ipv6');
REFUSED.addSubnet('fe80::', 10, 'ipv6');
REFUSED.addSubnet('ff00::', 8, 'ipv6');
/** Metadata of AWS. */
REFUSED.addAddress('fd00:ec2::254', 'ipv6');

const REFUSED_NAMES = /^(metadata|instance-data|metadata\.google\.internal)\.?$/;

/** Whether this IP address, IPv4 inside of IPv6 too, is never called. */
export function isRefusedIp(address: string): boolean {
  const plain = address.split('%')[0] ?? '';
  const version = isIP(plain);
  return version !== 0 && REFUSED.check(plain, version === 4 ? 'ipv4' : 'ipv6');
}

/** Whether an address is refused. A host name is checked again when it is resolved. */
export function isRefusedUrl({ protocol, hostname, username, password }: URL): boolean {
  const isHttp = protocol === 'http:' || protocol === 'https:';
  const hasLogin = username !== '' || password !== '';
  const host = hostname.replace(/^\[|\]$/g, '');
  return !isHttp || hasLogin || isRefusedIp(host) || REFUSED_NAMES.test(host);
}
