import { BlockList, isIP } from 'node:net';

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

/** Whether an address is never called; a name may still resolve to an address that is not. */
export function isRefusedUrl({ protocol, hostname, username, password }: URL): boolean {
  const isHttp = protocol === 'http:' || protocol === 'https:';
  const hasLogin = username !== '' || password !== '';
  const host = hostname.replace(/^\[|\]$/g, '');
  return !isHttp || hasLogin || isRefusedIp(host) || REFUSED_NAMES.test(host);
}
