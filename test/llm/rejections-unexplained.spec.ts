import { WORDS } from '../support/model-calls';
import { REPLY } from '../support/raw-model';
import {
  ALL,
  flat,
  PARTS,
  partsOf,
  reject,
  rejectWith,
  RejectingServer,
  without,
} from '../support/rejecting-server';

const HOUR_MS = 3_600_000;

let at: RejectingServer;

beforeAll(async () => {
  at = await RejectingServer.start();
});
beforeEach(() => {
  at.reset();
});
afterAll(() => at.server.close());

describe('a rejection without a reason', () => {
  const UNEXPLAINED: readonly (readonly [string, unknown])[] = [
    ['an empty body', ''],
    ['an empty object', {}],
    ['a page', '<html><h1>400 Bad Request</h1></html>'],
    ["the words of vLLM at the body's top", flat('invalid request')],
    ['a sentence that nobody knows', { error: { message: WORDS } }],
  ];

  test.each(UNEXPLAINED)('of one prompt changes no other one: %s', async (_, body) => {
    at.server.respond = ({ messages }) =>
      messages.some(({ content }) => content.includes('bad')) ? reject(body) : REPLY;
    const { kind, requests } = await at.sendAll('bad');
    expect([kind, requests.length]).toEqual(['bad_request', 5]);
    expect((await at.sendAll('good')).requests.map(partsOf)).toEqual([[...ALL]]);
    expect(at.logged).not.toHaveBeenCalled();
  });

  test.each(['tools', 'format', 'usage', 'limit'] as const)(
    'is kept once a request without the part succeeded: %s',
    async (part) => {
      at.server.respond = rejectWith(PARTS[part]);
      const first = await at.sendAll('a');
      expect(first.kind).toBe('ok');
      expect(partsOf(first.requests.at(-1))).not.toContain(part);
      expect((await at.sendAll('b')).requests.map(partsOf)).toEqual([without(part)]);
    },
  );

  test('changes nothing for the others while it is not known what helps', async () => {
    at.server.respond = rejectWith(PARTS.format);
    await at.send('a');
    await at.send('b');
    expect(at.server.requests.slice(-2).map(partsOf)).toEqual([[...ALL], [...ALL]]);
    await at.send('a');
    await at.send('c');
    expect(partsOf(at.server.last)).toEqual([...ALL]);
  });

  test('learns two parts that are missing, one prompt after the other', async () => {
    at.server.respond = rejectWith((asked) => PARTS.tools(asked) || PARTS.format(asked));
    expect((await at.sendAll('a')).requests).toHaveLength(3);
    expect((await at.sendAll('b')).requests).toHaveLength(2);
    expect((await at.sendAll('c')).requests.map(partsOf)).toEqual([['usage', 'limit', 'system']]);
  });

  test('ends for many prompts at once as for one', async () => {
    at.server.respond = rejectWith(PARTS.tools);
    const all = await Promise.all([1, 2, 3, 4].map((n) => at.sendAll(`p${n}`)));
    expect(all.map(({ kind }) => kind)).toEqual(['ok', 'ok', 'ok', 'ok']);
    at.server.respond = () => reject('');
    const bad = await Promise.all([5, 5, 6, 6].map((n) => at.sendAll(`p${n}`)));
    expect(bad.map(({ kind }) => kind)).toEqual(Array(4).fill('bad_request'));
    at.server.respond = () => REPLY;
    expect((await at.sendAll('good')).requests.map(partsOf)).toEqual([without('tools')]);
  });
});

describe('after an hour', () => {
  beforeEach(async () => {
    at.server.respond = rejectWith(PARTS.tools, flat('tools are not supported'));
    await at.sendAll('a');
  });

  test('one prompt tries what was given up, and the others wait for its result', async () => {
    at.clock.advance(HOUR_MS - 1);
    await at.send('b');
    expect(partsOf(at.server.last)).toEqual(without('tools'));
    at.clock.advance(1);
    await at.send('c');
    expect(partsOf(at.server.last)).toEqual([...ALL]);
    await at.send('d');
    expect(partsOf(at.server.last)).toEqual(without('tools'));
    expect((await at.sendAll('c')).kind).toBe('ok');
    at.clock.advance(HOUR_MS - 1);
    await at.send('e');
    expect(partsOf(at.server.last)).toEqual(without('tools'));
  });

  test('it is used again by all if the server supports it now', async () => {
    at.clock.advance(HOUR_MS);
    at.server.respond = () => REPLY;
    await at.send('b');
    await at.send('c');
    expect(at.server.requests.slice(-2).map(partsOf)).toEqual([[...ALL], [...ALL]]);
    expect(at.logged.mock.lastCall?.[0]).toContain('no longer sent without tools');
  });

  test('another prompt tries it if the first one never comes back', async () => {
    at.clock.advance(HOUR_MS);
    await at.send('b');
    at.clock.advance(60_000);
    await at.send('c');
    expect(partsOf(at.server.last)).toEqual([...ALL]);
  });
});
