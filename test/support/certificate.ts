import { generateKeyPairSync, sign } from 'node:crypto';

/** A key and a certificate that it signed itself, both in PEM. */
export interface SelfSigned {
  readonly key: string;
  readonly cert: string;
}

/** A certificate of X.509 v3 for `localhost` and 127.0.0.1, valid in the given time. */
export function selfSigned(from: Date, to: Date): SelfSigned {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = sequence(set(sequence(oid('550403'), der(0x0c, Buffer.from('localhost')))));
  const algorithm = sequence(oid('2a8648ce3d040302'));
  const alternatives = sequence(
    der(0x82, Buffer.from('localhost')),
    der(0x87, Buffer.from([127, 0, 0, 1])),
  );
  const extension = sequence(oid('551d11'), der(0x04, alternatives));
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    algorithm,
    name,
    sequence(time(from), time(to)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(extension)),
  );
  const signature = Buffer.concat([Buffer.from([0]), sign('sha256', body, privateKey)]);
  const whole = sequence(body, algorithm, der(0x03, signature));
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${whole.toString('base64')}\n-----END CERTIFICATE-----\n`,
  };
}

/** One value of the encoding DER: tag, length, content. */
function der(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const long = [0x82, length >> 8, length & 0xff];
  const header = length < 0x80 ? [tag, length] : [tag, ...long];
  return Buffer.concat([Buffer.from(header), content]);
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts));
}

function set(...parts: readonly Buffer[]): Buffer {
  return der(0x31, Buffer.concat(parts));
}

function oid(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, 'hex'));
}

/** UTCTime, whose years end before 2050. */
function time(at: Date): Buffer {
  const text = at.toISOString().slice(2, 19).replaceAll(/[-:T]/g, '');
  return der(0x17, Buffer.from(`${text}Z`));
}
