import type { FastifyRequest } from 'fastify';
import { PassThrough } from 'node:stream';
import { Uploads } from '../../../src/channels/web/uploads.controller';
import { FakeClock } from '../../../tools/support/fake-clock';

const LIMIT = 1000;

/** A request whose body arrives as the test writes it. */
function uploadOf(): { request: FastifyRequest; body: PassThrough } {
  const body = Object.assign(new PassThrough(), { headers: {}, complete: false });
  return { request: { raw: body } as unknown as FastifyRequest, body };
}

function uploadsWith(heldBytes?: number) {
  const uploads = new Uploads({
    pace: { clock: new FakeClock(), minBytesPerSecond: 1 },
    ...(heldBytes === undefined ? {} : { heldBytes }),
  });
  return {
    read: (request: FastifyRequest, conversationId: string) =>
      uploads.read(request, { conversationId, maxBytes: LIMIT }),
  };
}

test('accepts two uploads of a session at a time, and a third after one has ended', async () => {
  const uploads = uploadsWith();
  const [first, second, third] = [uploadOf(), uploadOf(), uploadOf()];
  const reading = [uploads.read(first.request, 'ada'), uploads.read(second.request, 'ada')];

  const refused = { status: 429, code: 'too_many_uploads', retryAfterS: 2 };
  await expect(uploads.read(third.request, 'ada')).rejects.toMatchObject(refused);
  first.body.end('sound');
  expect(await reading[0]).toEqual(Buffer.from('sound'));
  const again = uploads.read(third.request, 'ada');
  third.body.end('third');
  second.body.end('second');

  expect(await again).toEqual(Buffer.from('third'));
  expect(await reading[1]).toEqual(Buffer.from('second'));
});

test('accepts another voice while a hundred slow uploads are open', async () => {
  const uploads = uploadsWith();
  const slow = Array.from({ length: 100 }, uploadOf);
  const reading = slow.map(({ request, body }, n) => {
    body.write('a');
    return uploads.read(request, `slow ${n}`);
  });
  const ada = uploadOf();
  const voice = uploads.read(ada.request, 'ada');
  ada.body.end('sound');

  expect(await voice).toEqual(Buffer.from('sound'));
  for (const { body } of slow) body.end();
  expect(await Promise.all(reading)).toHaveLength(100);
});

test('holds no more than its bound in memory, and frees what has ended', async () => {
  const uploads = uploadsWith(1500);
  const [first, second, third] = [uploadOf(), uploadOf(), uploadOf()];
  const reading = uploads.read(first.request, 'ada');
  first.body.write(Buffer.alloc(1000));
  const refused = uploads.read(second.request, 'bob');
  second.body.end(Buffer.alloc(1000));

  await expect(refused).rejects.toMatchObject({ status: 503, code: 'unavailable' });
  first.body.end();
  expect(await reading).toHaveLength(1000);
  const next = uploads.read(third.request, 'bob');
  third.body.end(Buffer.alloc(1000));
  expect(await next).toHaveLength(1000);
});
