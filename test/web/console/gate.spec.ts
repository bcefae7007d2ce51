/** Requests that wait until somebody has signed in again, or shown their password again. */
import { Gate } from '../../../web/console/api/gate';

const problem = (status: number, code: string) => Response.json({ code }, { status });
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('the gate', () => {
  let responses: Response[];
  let bodies: string[];
  let gate: Gate;
  const post = (body: string) => new Request('http://here/api', { method: 'POST', body });

  beforeEach(() => {
    bodies = [];
    gate = new Gate(async (request) => {
      bodies.push(await request.text());
      return responses.shift() ?? Response.json('done');
    });
  });

  test('hands on what needs nobody', async () => {
    responses = [problem(403, 'scope_missing'), problem(401, 'sign_in_wrong'), Response.json('ok')];

    const statuses = [];
    for (const _ of [1, 2, 3]) statuses.push((await gate.fetch(post('x'))).status);

    expect(statuses).toEqual([403, 401, 200]);
    expect(gate.snapshot()).toBeNull();
  });

  test.each([
    [401, 'sign_in_needed'],
    // Without a cookie the API takes only keys.
    [401, 'admin_token_wrong'],
    [401, 'admin_api_off'],
  ])('sends the same request again after a sign-in (%d %s)', async (status, code) => {
    responses = [problem(status, code)];
    const response = gate.fetch(post('what was typed'));
    await settled();

    expect(gate.snapshot()).toBe('sign-in');
    gate.letThrough();

    expect(await (await response).json()).toBe('done');
    expect(bodies).toEqual(['what was typed', 'what was typed']);
    expect(gate.snapshot()).toBeNull();
  });

  test('asks once for all requests that wait, and again for what one of them still needs', async () => {
    responses = [problem(401, 'sign_in_needed'), problem(403, 'password_needed')];
    const both = Promise.all([gate.fetch(post('a')), gate.fetch(post('b'))]);
    await settled();
    responses = [problem(403, 'password_needed')];

    gate.letThrough();
    await settled();

    expect(gate.snapshot()).toBe('confirm');
    gate.letThrough();
    expect((await both).map(({ status }) => status)).toEqual([200, 200]);
    expect(bodies.toSorted()).toEqual(['a', 'a', 'a', 'b', 'b']);
  });

  test('returns the refusal when the person gives up, and asks for the next request anew', async () => {
    responses = [problem(403, 'password_needed'), problem(403, 'password_needed')];
    const first = gate.fetch(post('a'));
    await settled();
    gate.giveUp();

    expect((await first).status).toBe(403);
    void gate.fetch(post('b'));
    await settled();
    expect(gate.snapshot()).toBe('confirm');
    gate.giveUp();
  });

  test('tells the page whenever it asks something else', async () => {
    const heard: unknown[] = [];
    gate.subscribe(() => heard.push(gate.snapshot()));
    responses = [problem(401, 'sign_in_needed')];

    const response = gate.fetch(post('a'));
    await settled();
    gate.letThrough();
    await response;

    expect(heard).toEqual(['sign-in', null]);
  });
});
