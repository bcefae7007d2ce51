import { linkOpener, newLinkKeys, seal } from '../../src/invitations/link-seal';

const { linkKey, sealingKey } = newLinkKeys();

test('what is sealed to a key is opened by its other half alone', () => {
  const sealed = seal(sealingKey, 'Zr4nq8Yt2LsW6vKd0PbX1mHc and 1234-5678-9012, é');

  expect(linkOpener(linkKey, sealingKey)?.(sealed)).toBe(
    'Zr4nq8Yt2LsW6vKd0PbX1mHc and 1234-5678-9012, é',
  );
  expect(sealed.toString('latin1')).not.toContain('Zr4nq8Yt2LsW6vKd0PbX1mHc');
});

test.each([
  ['another key', newLinkKeys().linkKey],
  ['nothing', ''],
  ['a key that is cut off', linkKey.slice(1)],
  ['a text of the same length', '='.repeat(43)],
])('%s opens nothing', (_title, key) => {
  expect(linkOpener(key, sealingKey)).toBeNull();
});

test('a sealed text that was changed is not opened', () => {
  const sealed = seal(sealingKey, 'a link');
  sealed[40] = (sealed[40] ?? 0) ^ 1;
  const open = linkOpener(linkKey, sealingKey);

  expect(() => open?.(sealed)).toThrow('authenticate');
});

test('the same text is sealed in another way each time', () => {
  expect(seal(sealingKey, 'a link').equals(seal(sealingKey, 'a link'))).toBe(false);
});
