import { generateKeyPairSync } from 'node:crypto';
import { tmpdir } from 'node:os';
import { DecisionFileError, verifiedFile } from '../../src/scoring';
import { assertChain, hashOfFile, signedFile } from '../../src/scoring/decision-file';
import { DecisionOutputError, assertFree } from '../../src/scoring/hiring-decisions';

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

describe('a chain of decision files', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();

  function made(
    n: number,
    before: { hash: string } | null,
    reason: string,
    name = `${String(n)}.json`,
  ) {
    const payload = { n, previous: before?.hash ?? null, reason };
    return { file: name, ...verifiedFile(signedFile(payload, privateKey), pem) };
  }

  const first = made(1, null, 'first');
  const second = made(2, first, 'second');
  const third = made(3, second, 'third');
  const fourth = made(4, third, 'fourth');
  /** As after a restored backup: another third file, and one that follows it. */
  const forked = made(3, second, 'third again', 'fork.json');
  const afterFork = made(4, forked, 'after the fork', 'after.json');

  test.each([
    ['one file', [third]],
    ['the whole chain', [first, second, third, fourth]],
    ['a piece from its middle', [second, third]],
    ['files in another order', [fourth, second, first, third]],
  ])('%s is accepted', (_what, files) => {
    expect(() => {
      assertChain(files);
    }).not.toThrow();
  });

  test.each([
    [
      'a gap of one file',
      [first, third],
      '3.json: number 2 is missing between 1.json, number 1 of the chain, and this file, number 3',
    ],
    [
      'a gap of two files, in any order,',
      [fourth, first],
      '4.json: numbers 2 to 3 are missing between 1.json, number 1 of the chain, and this file, number 4',
    ],
    [
      'a gap before the last of three',
      [first, second, fourth],
      '4.json: number 3 is missing between 2.json, number 2 of the chain, and this file, number 4',
    ],
    [
      'a fork',
      [third, forked],
      'fork.json: the chain forks, because 3.json is number 3 too and another file',
    ],
    [
      'a file that follows the other side of a fork',
      [third, afterFork],
      'after.json: number 4 of the chain does not follow 3.json, number 3: it names another file before it',
    ],
    [
      'the same file twice',
      [second, { ...second, file: 'copy.json' }],
      'copy.json: a repeat of 2.json, number 2 of the chain',
    ],
    [
      'the same name twice',
      [first, second, second],
      '2.json: a repeat of 2.json, number 2 of the chain',
    ],
    [
      'a first file that names one before it',
      [made(1, first, 'again')],
      '1.json: number 1 of the chain names a file before it',
    ],
    [
      'a later file that names none before it',
      [made(7, null, 'alone')],
      '7.json: number 7 of the chain names no file before it',
    ],
  ])('%s is refused', (_what, files, message) => {
    expect(() => {
      assertChain(files);
    }).toThrow(new DecisionFileError(message));
  });

  test('every fault is named at once', () => {
    expect(() => {
      assertChain([first, first, third]);
    }).toThrow(/^1\.json: a repeat of 1\.json.*\n3\.json: number 2 is missing/s);
  });

  test.each([0, -1, 1.5, '1', null, undefined])(
    'a signed file with the number %p is refused',
    (n) => {
      const bytes = signedFile({ n: n as number, previous: null }, privateKey);

      expect(hashOfFile(bytes)).toMatch(/^[0-9a-f]{64}$/);
      expect(() => verifiedFile(bytes, pem)).toThrow(/no place in a chain/);
    },
  );
});

test('a folder at the name of a decision file is reported as what cannot be read', async () => {
  const free = assertFree(tmpdir());

  await expect(free).rejects.toThrow(DecisionOutputError);
  await expect(free).rejects.toThrow(`${tmpdir()}: cannot be read (EISDIR)`);
});
