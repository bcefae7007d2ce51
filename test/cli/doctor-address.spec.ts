import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Listener } from '../../tools/http-fake/listener';
import { selfSigned } from '../support/certificate';
import { database } from './cli-database';
import { doctor } from './doctor-report';

const DAY_MS = 86_400_000;

describe('reports a public address', () => {
  test('that no name server knows', async () => {
    const { of } = await doctor({ PUBLIC_URL: 'http://jobs.invalid' });

    expect(of('address')).toEqual([
      expect.stringMatching(/^warning .*has no https/),
      expect.stringMatching(/^problem .*jobs\.invalid of PUBLIC_URL has no address here \(E/),
    ]);
  });

  test('at which another program responds', async () => {
    const other = new Listener((_request, response) => {
      response.writeHead(404).end('nothing here');
      return Promise.resolve();
    });
    await other.open();
    const { of } = await doctor({ PUBLIC_URL: other.url });
    await other.close();

    expect(of('address')).toEqual([
      expect.stringMatching(/^problem .* responds with status 404 and not as Colloquy: check/),
    ]);
  });
});

describe('reports a certificate', () => {
  const now = Date.now();
  const day = (days: number): Date => new Date(now + days * DAY_MS);

  /** What is found of a page that shows this certificate. */
  async function shownBy(from: Date, to: Date) {
    const server = createSecureServer(selfSigned(from, to), (_request, response) => {
      response.end('{"status":"ok"}');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const { of } = await doctor({ PUBLIC_URL: `https://localhost:${port}`, TRUST_PROXY: '1' });
    server.closeAllConnections();
    server.close();
    return { address: of('address'), certificates: of('certificates') };
  }

  test('of the public address: expired, expiring soon, self-signed', async () => {
    const ended = await shownBy(day(-90), day(-1));
    const soon = await shownBy(day(-80), day(3));
    const good = await shownBy(day(-1), day(80));

    expect(ended.certificates).toEqual([
      expect.stringMatching(/^problem .*The certificate of localhost:\d+ ended on .*: renew it\.$/),
    ]);
    expect(ended.address).toEqual([expect.stringMatching(/^problem .* that browsers refuse \(/)]);
    expect(soon.certificates).toEqual([expect.stringMatching(/^warning .* ends in 2 days, on /)]);
    expect(good.certificates).toEqual([expect.stringMatching(/^ok .* is valid until /)]);
    expect(good.address).toEqual([expect.stringMatching(/^problem .*SELF_SIGNED.*known CA\.$/)]);
  });

  test('of the file of further CAs: ended, absent, and no certificate at all', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'colloquy-ca-'));
    const [ended, text] = [path.join(folder, 'ended.pem'), path.join(folder, 'text.pem')];
    const both = `${selfSigned(day(-9), day(-1)).cert}${selfSigned(day(-9), day(90)).cert}`;
    await Promise.all([writeFile(ended, both), writeFile(text, 'no certificate')]);
    const found = [];
    for (const file of [ended, text, path.join(folder, 'absent.pem')]) {
      found.push((await doctor({ NODE_EXTRA_CA_CERTS: file })).of('certificates'));
    }
    // As operating systems have it: some have ended, and nobody can do anything about that.
    await writeFile(text, both.repeat(6));
    const [bundle] = (await doctor({ NODE_EXTRA_CA_CERTS: text })).of('certificates');
    const url = new URL(database().url);
    url.search = `sslmode=disable&sslrootcert=${ended}`;
    const [ofDatabase] = (await doctor({ DATABASE_URL: url.href })).of('certificates');
    await rm(folder, { recursive: true });

    expect(bundle).toMatch(/^ok .* has 12 certificates, 6 of them valid\.$/);
    expect(ofDatabase).toMatch(/^problem .*The CA "localhost" of DATABASE_URL .* ended on/);
    expect(found).toEqual([
      [
        expect.stringMatching(/^problem .*The CA "localhost" of NODE_EXTRA_CA_CERTS=.* ended on/),
        expect.stringMatching(/^ok .* is valid until /),
      ],
      [expect.stringMatching(/^problem .* has no certificate in PEM: set it/)],
      [expect.stringMatching(/^problem .* cannot be read \(ENOENT\): check the file/)],
    ]);
  });
});
