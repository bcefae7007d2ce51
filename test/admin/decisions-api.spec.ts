import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { hashToken } from '../../src/common/ids';
import { HiringDecisionRepository, signingKey, verifiedFile } from '../../src/scoring';
import { type ApiClient, apiClient } from '../../tools/api-client';
import { type TestApp, startTestApp } from '../support/app';
import { TestCandidate } from '../support/candidate';
import { makeKey } from '../support/keys';
import { ADMIN_TOKEN } from '../support/secrets';

interface Decided {
  readonly id: string;
  readonly candidateId: string;
}

let app: TestApp;
let folder: string;
let admin: ApiClient;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'colloquy-decisions-'));
  app = await startTestApp({
    isWorking: false,
    env: {
      ADMIN_TOKEN,
      COLLOQUY_DATA_DIR: folder,
      // The application runs on another one; a replica with a database elsewhere makes no key.
      DATABASE_URL: 'postgres://elsewhere.invalid/colloquy',
    },
  });
  admin = apiClient(app.url, ADMIN_TOKEN);
});

afterAll(async () => {
  await app.close();
  await rm(folder, { recursive: true });
});

/** A candidate of this vacancy about whom Nora has decided. */
async function decided(reason: string, vacancy = app.vacancy): Promise<Decided> {
  const { conversationId } = await TestCandidate.begin({ url: app.url, vacancy });
  const { candidateId } = await app.one<{ candidateId: string }>(
    'select candidate_id as "candidateId" from conversation where id = $1',
    [conversationId],
  );
  const decision = { candidateId, by: 'Nora', reason, isAdverse: true };
  await app.commit((tx) => app.get(HiringDecisionRepository).add(tx, decision));
  const { id } = await app.one<{ id: string }>('select max(id)::text as id from decision');
  return { id, candidateId };
}

async function listed(query: { vacancy?: string } = {}, by = admin): Promise<string[]> {
  const reasons: string[] = [];
  let cursor: string | null = null;
  do {
    const { data, response } = await by.GET('/api/v1/decisions', {
      params: { query: { ...query, limit: 2, ...(cursor === null ? {} : { cursor }) } },
    });
    if (data === undefined) throw new Error(`the list gave ${String(response.status)}`);
    reasons.push(...data.items.map(({ reason }) => reason));
    ({ cursor } = data as { cursor: string | null });
  } while (cursor !== null);
  return reasons;
}

/** What was done with the data of a candidate, and by whom. */
async function audited(candidateId: string): Promise<string[]> {
  const rows = await app.sql<{ line: string }>(
    `select actor || ': ' || action as line from audit_event where subject_hash = $1 order by id`,
    [hashToken(candidateId)],
  );
  return rows.map(({ line }) => line);
}

async function chain(): Promise<string[]> {
  const links = await app.commit((tx) => app.get(HiringDecisionRepository).chain(tx));
  return links.map(({ hash }) => hash);
}

/** The bytes of an export, with this Idempotency-Key. */
async function exported({ id }: Decided, key: string, by = admin) {
  const { data, response } = await by.POST('/api/v1/decisions/{id}/export', {
    params: { path: { id }, header: { 'idempotency-key': key } },
    parseAs: 'arrayBuffer',
  });
  return { response, bytes: data === undefined ? null : Buffer.from(data) };
}

describe('decisions', () => {
  test('are listed by pages, the newest first, and by the vacancy of an interview', async () => {
    const cook = await app.addVacancy({ slug: 'cook' });
    await decided('One');
    await decided('Two', cook);
    await decided('Three');
    await decided('Four', cook);

    const all = await listed();

    expect(all.slice(0, 4)).toEqual(['Four', 'Three', 'Two', 'One']);
    expect(await listed({ vacancy: 'cook' })).toEqual(['Four', 'Two']);
    expect(await listed({ vacancy: 'nobody' })).toEqual([]);
  });

  test('are read one by one, and each reading is in the audit of its candidate', async () => {
    const { id, candidateId } = await decided('Read');
    const { id: other, candidateId: otherId } = await decided('Not read');

    const { data } = await admin.GET('/api/v1/decisions/{id}', { params: { path: { id } } });
    await admin.GET('/api/v1/decisions', { params: { query: { limit: 1 } } });

    expect(data).toMatchObject({ id, candidateId, decidedBy: 'Nora', reason: 'Read' });
    expect(await audited(candidateId)).toEqual(['ADMIN_TOKEN: decision.read']);
    expect([other, await audited(otherId)]).toEqual([other, ['ADMIN_TOKEN: decision.read']]);
  });

  test.each(['0', '-1', '1.5', 'abc', '9'.repeat(18), '9'.repeat(40)])(
    'are unknown by the id %s',
    async (id) => {
      const read = await fetch(`${app.url}/api/v1/decisions/${id}`, {
        headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
      });
      const { response } = await exported({ id, candidateId: '' }, 'unknown');

      expect(await read.json()).toMatchObject({ status: 404, code: 'decision_unknown' });
      expect(response.status).toBe(404);
    },
  );

  test('about a candidate of another vacancy too are unknown to a key that is limited', async () => {
    const smith = await app.addVacancy({ slug: 'smith' });
    const ours = await decided('Ours', smith);
    const both = await decided('Of both', smith);
    await app.sql(
      `insert into conversation (id, vacancy_id, candidate_id, language, plan, state, status)
       values (gen_random_uuid(), $1, $2, 'en', '{"questions": []}', '{}', 'active') returning id`,
      [app.vacancy.id, both.candidateId],
    );
    const key = await makeKey(app, { vacancyIds: [smith.id] });
    const program = apiClient(app.url, key.token);
    const params = { path: { id: both.id } };

    expect(await listed({}, program)).toEqual(['Ours']);
    expect(await listed({ vacancy: 'smith' }, program)).toEqual(['Ours']);
    expect(await listed({ vacancy: 'baker' }, program)).toEqual([]);
    const hidden = await program.GET('/api/v1/decisions/{id}', { params });
    expect(hidden.response.status).toBe(404);
    expect((await exported(both, 'both', program)).response.status).toBe(404);
    const seen = await program.GET('/api/v1/decisions/{id}', { params: { path: { id: ours.id } } });
    expect(seen.data?.reason).toBe('Ours');
    const by = `key ${key.name}: decision.read`;
    expect(await audited(both.candidateId)).toEqual([]);
    expect(await audited(ours.candidateId)).toEqual([by, by, by]);
  });
});

describe('an export', () => {
  test('is refused by a server without the key, and gets no place in the chain', async () => {
    const one = await decided('Unsigned');

    const { response } = await exported(one, 'no-key');

    expect(response.status).toBe(409);
    expect([await chain(), await audited(one.candidateId)]).toEqual([[], []]);
  });

  test('is the signed file, and a repeat with its Idempotency-Key gets the same bytes', async () => {
    await signingKey(folder);
    const publicKey = await readFile(path.join(folder, 'decision-key.pub.pem'), 'utf8');
    const [one, two] = [await decided('Причина 1'), await decided('Second')];

    const first = await exported(one, 'first');
    const repeated = await exported(one, 'first');
    const second = await exported(two, 'second');

    expect(first.response.headers.get('content-type')).toMatch(/^application\/json/);
    expect(first.response.headers.get('content-disposition')).toContain('decision.json');
    expect(repeated.bytes).toEqual(first.bytes);
    const files = [first, second].map(({ bytes }) => bytes ?? Buffer.alloc(0));
    const [head, next] = files.map((bytes) => verifiedFile(bytes, publicKey));
    expect(head).toMatchObject({ n: 1, previous: null });
    expect(next).toMatchObject({ n: 2, previous: head?.hash });
    expect(await chain()).toEqual([head?.hash, next?.hash]);
    expect(JSON.parse(String(first.bytes))).toMatchObject({
      payload: {
        candidateId: one.candidateId,
        decisions: [{ decidedBy: 'Nora', reason: 'Причина 1' }],
      },
    });
    expect(await audited(one.candidateId)).toEqual(['ADMIN_TOKEN: decision.export']);
  });
});
