import { openResponse, sealResponse } from '../../../src/common/idempotency/response-seal';

const BY = { secret: '0a2f8c', keyHash: 'f'.repeat(64) };

test.each([[{ id: 'a', linkKey: 'secret' }], [[]], ['text'], [null]])(
  'a response %p is read again by its secret',
  (response) => {
    expect(openResponse(BY, sealResponse(BY, response))).toEqual(response);
  },
);

test('a response without a body stays one', () => {
  expect(openResponse(BY, sealResponse(BY, undefined))).toBeUndefined();
});

test.each([
  ['another secret', { ...BY, secret: '0a2f8d' }],
  ['the hash of another request', { ...BY, keyHash: 'e'.repeat(64) }],
])('%s reads nothing', (_title, by) => {
  const sealed = sealResponse(BY, { linkKey: 'secret' });

  expect(() => openResponse(by, sealed)).toThrow('authenticate');
  expect(sealed.toString('latin1')).not.toContain('secret');
});
