import { generateKeyPairSync } from 'node:crypto';
import { tmpdir } from 'node:os';
import { DecisionFileError, verifiedFile } from '../../src/scoring';
import { signedFile } from '../../src/scoring/decision-file';
import { DecisionOutputError, assertFree } from '../../src/scoring/decisions';

describe('a decision file', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const payload = { n: 1, previous: null, reason: 'Приглашён: «ёлка» — 12 €', list: [1, 2, 3] };
  const bytes = signedFile(payload, privateKey);

  test('is one JSON document, and its signature fits', () => {
    expect(JSON.parse(bytes.toString())).toMatchObject({ format: 'colloquy-decision/1', payload });
    expect(verifiedFile(bytes, pem)).toMatchObject({ n: 1, previous: null });
  });

  test('shows each of 10,000 changed bytes', () => {
    let caught = 0;
    for (let change = 0; change < 10_000; change += 1) {
      const changed = Buffer.from(bytes);
      const at = change % bytes.length;
      // Each place gets other values in turn, never its own.
      const by = 1 + ((Math.floor(change / bytes.length) * 37 + change) % 255);
      changed[at] = (changed[at] ?? 0) ^ by;
      try {
        verifiedFile(changed, pem);
      } catch (error) {
        if (error instanceof DecisionFileError) caught += 1;
      }
    }
    expect(caught).toBe(10_000);
  });

  test.each([
    ['cut off', bytes.subarray(0, -1)],
    ['longer', Buffer.concat([bytes, Buffer.from('\n')])],
    ['empty', Buffer.alloc(0)],
    ['another document', Buffer.from('{"hello":"world"}')],
    [
      'with a signature in capitals',
      Buffer.from(bytes.toString().replace(/[a-f](?=[0-9a-f]*"}\n$)/, 'A')),
    ],
  ])('that is %s is refused', (_what, changed) => {
    expect(() => verifiedFile(changed, pem)).toThrow(DecisionFileError);
  });

  test('is refused with another key, and with something that is no key', () => {
    const other = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' });
    expect(() => verifiedFile(bytes, other.toString())).toThrow(/signature does not fit/);
    expect(() => verifiedFile(bytes, 'hello')).toThrow(/not an Ed25519 key/);
  });
});

test('a folder at the name of a decision file is reported as what cannot be read', async () => {
  const free = assertFree(tmpdir());

  await expect(free).rejects.toThrow(DecisionOutputError);
  await expect(free).rejects.toThrow(`${tmpdir()}: cannot be read (EISDIR)`);
});
