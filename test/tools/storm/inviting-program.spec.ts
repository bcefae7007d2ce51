import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { keysInviteOnce } from '../../../tools/storm/check-invitations';
import { type Invited, InvitingProgram } from '../../../tools/storm/inviting-program';

type Step = (response: ServerResponse) => void;

const made = (id: string): Step => {
  return (response) => {
    response.writeHead(201).end(JSON.stringify({ id, link: { web: `https://x.example/i/${id}` } }));
  };
};
const refused = (status: number, code: string): Step => {
  return (response) => {
    response.writeHead(status).end(JSON.stringify({ code }));
  };
};
const killed: Step = (response) => {
  response.destroy();
};

let server: Server;
let steps: Step[];
let keys: string[];
let complaints: string[];
let present: AbortController;

beforeEach(async () => {
  [steps, keys, complaints] = [[], [], []];
  present = new AbortController();
  server = createServer((request: IncomingMessage, response) => {
    keys.push(String(request.headers['idempotency-key']));
    request.resume().once('end', () => {
      steps.shift()?.(response);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(async () => {
  server.close().closeAllConnections();
  await once(server, 'close');
});

function program(): InvitingProgram {
  const { port } = server.address() as AddressInfo;
  const baseUrl = `http://127.0.0.1:${String(port)}`;
  const { signal } = present;
  return new InvitingProgram({ baseUrl, vacancy: 'v', token: 't', present: signal, complaints });
}

test('a request is repeated with its key until it has a response, and a second time now and then', async () => {
  steps = [killed, refused(503, 'draining'), refused(409, 'idempotency_running'), made('a')];
  steps.push(made('b'), made('b'));
  const inviting = program();

  const tokens = [await inviting.invite(1), await inviting.invite(null)];

  expect(tokens).toEqual(['a', 'b']);
  expect(keys).toEqual([...Array<string>(4).fill('storm-0'), 'storm-1', 'storm-1']);
  expect(complaints).toEqual([]);
});

test.each([
  [422, 'idempotency_key_reused'],
  [409, 'external_id_taken'],
])('a refusal with %i %s is a complaint', async (status, code) => {
  steps = [refused(status, code)];

  await expect(program().invite(1)).rejects.toThrow(String(status));
  expect(complaints).toEqual([expect.stringContaining(code)]);
});

test('after the storm nobody repeats anything', async () => {
  steps = [refused(500, 'internal')];
  present.abort();

  await expect(program().invite(1)).rejects.toThrow('until the end');
  expect(complaints).toEqual([expect.stringContaining('500')]);
});

describe('one key, one invitation', () => {
  const entry: Invited = {
    key: 'k',
    candidate: 3,
    ids: new Set(['a']),
    links: new Set(['https://x.example/i/a']),
  };
  const violations = (ids: readonly string[], changes: Partial<Invited> = {}) =>
    keysInviteOnce(
      { invitations: ids.map((id) => ({ id, key: 'k' })) },
      { invited: [{ ...entry, ...changes }], erased: new Set([4]) },
    ).map(({ rule, what }) => `${rule}: ${what}`);

  test('holds for one that is stored, one without a response, and one of an erased candidate', () => {
    const none = { ids: new Set<string>(), links: new Set<string>() };
    expect(violations(['a'])).toEqual([]);
    expect(violations([], none)).toEqual([]);
    expect(violations(['a'], none)).toEqual([]);
    expect(violations([], { candidate: 4 })).toEqual([]);
  });

  test.each<[string, string[], Partial<Invited>, string]>([
    ['a second one is stored', ['a', 'b'], {}, 'key k invited 2 times'],
    ['the one of the response is lost', [], {}, 'key k invited, and that is lost'],
    [
      'two responses have two links',
      ['a'],
      { links: new Set(['x', 'y']) },
      'key k got responses about several invitations',
    ],
  ])('is broken when %s', (_, ids, changes, what) => {
    expect(violations(ids, changes)).toEqual([`invitations: ${what}`]);
  });
});
