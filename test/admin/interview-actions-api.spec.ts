import { randomUUID } from 'node:crypto';
import { AttentionService } from '../../src/attention';
import { WebSessionRepository } from '../../src/candidates';
import { ConversationRepository, Takeovers } from '../../src/interview';
import { Reminders } from '../../src/interview/reminders/reminder.worker';
import { Jobs } from '../../src/jobs';
import { FakeClock } from '../../tools/support/fake-clock';
import { work } from '../interview/interviews';
import { type TestApp, startTestApp } from '../support/app';
import { TestCandidate } from '../support/candidate';
import { type Colleague, colleague } from '../support/colleague';
import { bearer, outcomeOf } from '../support/keys';
import { ADMIN_TOKEN } from '../support/secrets';
import { makeUser, signIn } from '../support/users';

const HOUR_MS = 3_600_000;
const clock = new FakeClock();
let app: TestApp;
let nora: Colleague;
let omar: Colleague;
let people = 0;

beforeAll(async () => {
  app = await startTestApp({ clock, isWorking: false, env: { ADMIN_TOKEN, OPENAI_API_KEY: '' } });
  await app.stopSweeps();
});

beforeEach(async () => {
  // Noon by UTC, which is the zone of candidates who name none.
  const noon = new Date(clock.now().getTime() + 24 * HOUR_MS);
  noon.setUTCHours(12, 0, 0, 0);
  clock.advance(noon.getTime() - clock.now().getTime());
  // No session lasts from one test to the next.
  people += 1;
  nora = await colleague(app, { name: `Nora ${String(people)}`, role: 'recruiter' });
  omar = await colleague(app, { name: `Omar ${String(people)}`, role: 'recruiter' });
});

afterAll(() => app.close());

interface Fate {
  readonly refusal: string | null;
  readonly at: string | null;
  readonly link: { readonly web: string; readonly pin: string } | null;
}

type Headers = Readonly<Record<string, string>>;

function post(
  headers: Headers,
  action: string,
  interviewIds: readonly string[],
): Promise<Response> {
  return fetch(`${app.url}/api/v1/interviews/actions`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ action, interviewIds }),
  });
}

async function act(action: string, ...ids: string[]): Promise<Fate[]> {
  const response = await post(bearer({ token: ADMIN_TOKEN }), action, ids);
  expect(response.status).toBe(200);
  return ((await response.json()) as { results: Fate[] }).results;
}

async function refusalsOf(action: string, ...ids: string[]): Promise<(string | null)[]> {
  return (await act(action, ...ids)).map(({ refusal }) => refusal);
}

async function stateOf(id: string): Promise<{ state: string; waits: { kind: string } | null }> {
  const response = await fetch(`${app.url}/api/v1/interviews?ids=${id}`, {
    headers: bearer({ token: ADMIN_TOKEN }),
  });
  const { items } = (await response.json()) as {
    items: { state: string; waits: { kind: string } | null }[];
  };
  const [one] = items;
  if (one === undefined) throw new Error('the interview is not listed');
  return one;
}

async function fatesOf(by: Colleague, action: string, ...interviewIds: string[]) {
  const response = await by.request('POST', '/api/v1/interviews/actions', {
    body: { action, interviewIds },
  });
  const { results } = (await response.json()) as { results: Fate[] };
  return results.map(({ refusal }) => refusal);
}

/** Claims the interview by an item about it. */
async function claim(by: Colleague, id: string): Promise<void> {
  const item = await app.commit(async (tx) => {
    const attention = app.get(AttentionService);
    const about = { subject: `turn:${id}`, conversationId: id, reason: 'A test.' };
    await attention.raise(tx, { kind: 'question', ...about });
    return (await attention.openOf(tx, id))[0];
  });
  const place = `/api/v1/admin/attention/${String(item?.id)}/claim`;
  expect((await by.request('POST', place, { body: {} })).status).toBe(200);
}

async function heldBy(id: string): Promise<string | null> {
  const [row] = await app.sql<{ by: string }>(
    'select held_by as by from attention_claim where conversation_id = $1',
    [id],
  );
  return row?.by ?? null;
}

async function planStateOf(id: string): Promise<unknown> {
  const { state } = await app.one<{ state: unknown }>(
    'select state from conversation where id = $1',
    [id],
  );
  return state;
}

async function auditOf(subjectId: string): Promise<string[]> {
  const query = new URLSearchParams({ subjectId, limit: '50' });
  const response = await fetch(`${app.url}/api/v1/audit?${query.toString()}`, {
    headers: bearer({ token: ADMIN_TOKEN }),
  });
  const { events } = (await response.json()) as { events: { action: string }[] };
  return events.map(({ action }) => action).toReversed();
}

async function reminders(id: string): Promise<number> {
  const { count } = await app.one<{ count: number }>(
    `select count(*)::int as count from message
     where conversation_id = $1 and channel = 'code' and external_id like 'reminder:%'`,
    [id],
  );
  return count;
}

async function invited(): Promise<{ candidate: TestCandidate; token: string }> {
  const made = await fetch(`${app.url}/api/v1/vacancies/${app.vacancy.slug}/invitations`, {
    method: 'POST',
    headers: { ...bearer({ token: ADMIN_TOKEN }), 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Grace' }),
  });
  const { link } = (await made.json()) as { link: { web: string } };
  const token = link.web.split('/').at(-1) ?? '';
  return { candidate: await TestCandidate.arrive(app, token), token };
}

async function opens(token: string): Promise<boolean> {
  const response = await fetch(`${app.url}/api/v1/invites/${token}`);
  const { state } = (await response.json()) as { state?: string };
  return response.ok && state === 'open';
}

describe('close', () => {
  test('ends interviews as by silence, each with its fate, and reopen puts them back as they were', async () => {
    const [begun, opened, called] = [
      await TestCandidate.begin(app),
      await TestCandidate.arrive(app),
      await TestCandidate.begin(app),
    ];
    await called.post('human');
    const ids = [begun, opened, called].map(({ conversationId }) => conversationId);
    const before = await Promise.all(ids.map(stateOf));
    const views = [await begun.view(), await called.view()];
    expect(before.map(({ state }) => state)).toEqual(['started', 'opened', 'needs_person']);

    expect(await refusalsOf('close', ...ids, randomUUID())).toEqual([null, null, null, 'unknown']);

    const closed = await Promise.all(ids.map(stateOf));
    expect(closed.map(({ state, waits }) => [state, waits])).toEqual([
      ['expired', null],
      ['expired', null],
      ['expired', null],
    ]);
    expect(await refusalsOf('close', ...ids)).toEqual(['ended', 'ended', 'ended']);
    expect(await refusalsOf('reopen', ...ids)).toEqual([null, null, null]);
    const after = await Promise.all(ids.map(stateOf));
    expect(after.map(({ state }) => state)).toEqual(['started', 'opened', 'needs_person']);
    expect(after[2]?.waits).toMatchObject({ kind: 'handed_over' });
    const [mine, theirs] = [await begun.view(), await called.view()];
    expect([mine.progress, mine.status]).toEqual([views[0]?.progress, views[0]?.status]);
    expect(theirs.status).toBe(views[1]?.status);
    expect(await refusalsOf('reopen', ...ids)).toEqual(['not_closed', 'not_closed', 'not_closed']);
    for (const id of ids)
      expect(await auditOf(id)).toEqual(
        expect.arrayContaining(['interview.close', 'interview.reopen']),
      );
  });

  test('leaves an answer that waits for its reply, and what has ended', async () => {
    const [writing, gone] = [await TestCandidate.begin(app), await TestCandidate.begin(app)];
    await writing.send('m1', 'I bake bread.');
    await gone.post('withdraw');
    const ids = [writing.conversationId, gone.conversationId];

    expect(await refusalsOf('close', ...ids)).toEqual(['reply_owed', 'ended']);
    expect((await stateOf(writing.conversationId)).state).toBe('waiting_for_us');
  });

  test('is taken back within a day only, and not once a person goes on with the interview', async () => {
    const { conversationId: id } = await TestCandidate.begin(app);
    await act('close', id);
    clock.advance(25 * HOUR_MS);
    expect(await refusalsOf('reopen', id)).toEqual(['not_closed']);
    expect((await stateOf(id)).state).toBe('expired');
  });

  test('by a colleague is refused while somebody else has the interview, and so are reminding and opening again', async () => {
    const [asking, running, closed] = [
      await TestCandidate.begin(app),
      await TestCandidate.begin(app),
      await TestCandidate.begin(app),
    ];
    await asking.post('human');
    const ids = [asking, running, closed].map(({ conversationId }) => conversationId);
    expect(await fatesOf(omar, 'close', closed.conversationId)).toEqual([null]);
    for (const id of ids) await claim(nora, id);

    expect(await fatesOf(omar, 'close', ...ids)).toEqual(['held', 'held', 'held']);
    expect(await fatesOf(omar, 'remind', ...ids)).toEqual(['held', 'held', 'held']);
    expect(await fatesOf(omar, 'reopen', closed.conversationId)).toEqual(['held']);
    expect((await stateOf(asking.conversationId)).state).toBe('needs_person');
    // A token stands for no one person.
    expect(await refusalsOf('close', running.conversationId)).toEqual([null]);
    expect(await fatesOf(nora, 'close', asking.conversationId)).toEqual([null]);
    expect(await heldBy(asking.conversationId)).toBeNull();
    const [item] = await app.sql<{ closedBy: string; resolution: string }>(
      `select closed_by as "closedBy", resolution from attention
       where conversation_id = $1 and kind = 'handed_over'`,
      [asking.conversationId],
    );
    expect(item).toEqual({ closedBy: nora.name, resolution: `closed by ${nora.name}` });
  });

  test('keeps a wish to stop, which is still there when the interview is open again', async () => {
    const { conversationId: id } = await TestCandidate.begin(app);
    const wish = { isLeaving: true, leaves: 1, remindFrom: '2031-05-01T07:00:00.000Z' };
    await app.sql('update conversation set state = state || $2::jsonb where id = $1 returning id', [
      id,
      JSON.stringify(wish),
    ]);
    const before = await planStateOf(id);

    await act('close', id);
    expect(await planStateOf(id)).toMatchObject({ isLeaving: false });
    await act('reopen', id);

    expect(before).toMatchObject(wish);
    expect(await planStateOf(id)).toEqual(before);
    expect(await refusalsOf('remind', id)).toEqual(['unwanted']);
  });

  test('is not taken back once the interview went on, and has ended by silence since', async () => {
    const { conversationId: id } = await TestCandidate.begin(app);
    await act('close', id);
    await app.commit((tx) => app.get(Takeovers).reply(tx, id, 'Shall we go on?'));
    await app.commit((tx) => app.get(Takeovers).returnToModel(tx, id, 'Nora'));
    expect((await stateOf(id)).state).toBe('started');
    await app.sql(
      `update message set received_at = received_at - interval '30 days'
       where conversation_id = $1 returning 1`,
      [id],
    );
    await app.commit((tx) => app.get(Reminders).end(tx, id));
    await app.commit((tx) => app.get(Jobs).enqueue(tx, { queue: 'remind', key: id, dueInMs: 0 }));
    await app.sql(
      `update conversation set plan = plan || '{"reminders": 0}' where id = $1 returning 1`,
      [id],
    );

    while ((await work(app)) > 0);

    expect((await stateOf(id)).state).toBe('expired');
    expect(await refusalsOf('reopen', id)).toEqual(['not_closed']);
  });

  test('of a version that kept no state is taken back, too', async () => {
    const { conversationId: id } = await TestCandidate.begin(app);
    const before = await planStateOf(id);
    await act('close', id);
    await app.sql(
      'update interview_closing set state = null where conversation_id = $1 returning 1',
      [id],
    );

    expect(await refusalsOf('reopen', id)).toEqual([null]);
    expect(await planStateOf(id)).toEqual(before);
  });

  test('alerts nobody of an interview that a person had, and somebody of one that a person was asked for', async () => {
    const [mine, asked] = [await TestCandidate.begin(app), await TestCandidate.begin(app)];
    const place = `/api/v1/interviews/${mine.conversationId}/take-over`;
    expect((await omar.request('POST', place, { body: {} })).status).toBe(200);
    await asked.post('human');
    const ids = [mine, asked].map(({ conversationId }) => conversationId);
    expect(await fatesOf(omar, 'close', ...ids)).toEqual([null, null]);

    expect(await fatesOf(omar, 'reopen', ...ids)).toEqual([null, null]);

    expect(
      await app.sql(
        'select owner from conversation where id = any($1::uuid[]) order by owner desc',
        [ids],
      ),
    ).toEqual([{ owner: 'person' }, { owner: 'asked' }]);
    const items = [];
    for (const id of ids) {
      items.push(
        await app.one<object>(
          `select alerted_at is not null as "isKnown", reason from attention
           where conversation_id = $1 and closed_at is null`,
          [id],
        ),
      );
    }
    const reason = `a person had the interview when it was closed, and ${omar.name} has opened it again`;
    expect(items).toEqual([
      { isKnown: true, reason },
      { isKnown: false, reason },
    ]);
  });

  test('of a preview is refused as unknown, and so is everything else', async () => {
    const { conversationId: id } = await TestCandidate.begin(app);
    await app.sql('update conversation set is_preview = true where id = $1 returning id', [id]);

    for (const action of ['remind', 'close', 'reopen', 'reissue', 'restore_link'] as const) {
      expect([action, await fatesOf(nora, action, id)]).toEqual([action, ['unknown']]);
    }
  });

  test('two people at once close an interview once', async () => {
    const { conversationId: id } = await TestCandidate.begin(app);
    const fates = await Promise.all([refusalsOf('close', id), refusalsOf('close', id)]);
    expect(fates.flat().toSorted()).toEqual(['ended', null].toSorted());
    expect((await auditOf(id)).filter((action) => action === 'interview.close')).toHaveLength(1);
  });
});

describe('remind', () => {
  test('sends a reminder ten seconds later, once in half a day, and counts it', async () => {
    const { conversationId: id } = await TestCandidate.begin(app);
    const [fate] = await act('remind', id);
    expect(fate).toMatchObject({ refusal: null });
    expect(Date.parse(fate?.at ?? '') - clock.now().getTime()).toBe(10_000);
    await act('remind', id);
    expect(await reminders(id)).toBe(0);

    clock.advance(10_000);
    while ((await work(app)) > 0);

    expect(await reminders(id)).toBe(1);
    expect(await refusalsOf('remind', id)).toEqual(['reminded_lately']);
    expect(await refusalsOf('cancel_reminder', id)).toEqual(['sent_already']);
  });

  test('is taken back before it is sent', async () => {
    const { conversationId: id } = await TestCandidate.begin(app);
    await act('remind', id);
    expect(await refusalsOf('cancel_reminder', id)).toEqual([null]);

    clock.advance(20_000);
    while ((await work(app)) > 0);

    expect(await reminders(id)).toBe(0);
    expect(await auditOf(id)).toEqual(
      expect.arrayContaining(['reminder.request', 'reminder.cancel']),
    );
  });

  test('waits for the morning at night', async () => {
    const { conversationId: id } = await TestCandidate.begin(app);
    clock.advance(10 * HOUR_MS);

    const [fate] = await act('remind', id);

    expect(fate?.at).toMatch(/T09:00:00/);
  });

  test('reminds nobody who is not waited for', async () => {
    const [opened, called, writing] = [
      await TestCandidate.arrive(app),
      await TestCandidate.begin(app),
      await TestCandidate.begin(app),
    ];
    await called.post('human');
    await writing.send('m1', 'I bake bread.');
    const ids = [opened, called, writing].map(({ conversationId }) => conversationId);

    expect(await refusalsOf('remind', ...ids)).toEqual([
      'not_waiting',
      'not_waiting',
      'reply_owed',
    ]);
  });
});

describe('reissue', () => {
  test('makes new links, and the ones before work again when it is taken back', async () => {
    const { candidate, token } = await invited();
    const { conversationId: id } = candidate;
    const visitor = await TestCandidate.arrive(app);

    const [fate, refused] = await act('reissue', id, visitor.conversationId);

    expect(refused?.refusal).toBe('no_invitation');
    const fresh = fate?.link?.web.split('/').at(-1) ?? '';
    expect([await opens(token), await opens(fresh)]).toEqual([false, true]);
    expect(await refusalsOf('restore_link', id, visitor.conversationId)).toEqual([
      null,
      'not_restorable',
    ]);
    expect([await opens(token), await opens(fresh)]).toEqual([true, false]);
    expect(await refusalsOf('restore_link', id)).toEqual(['not_restorable']);
  });

  test('is taken back in the audit of the candidate, as it was issued', async () => {
    const { candidate } = await invited();
    const { conversationId: id } = candidate;
    await act('reissue', id);
    await act('restore_link', id);

    const { candidateId } = await app.one<{ candidateId: string }>(
      'select candidate_id as "candidateId" from conversation where id = $1',
      [id],
    );
    expect((await auditOf(candidateId)).slice(-2)).toEqual([
      'invitation.reissue',
      'invitation.restore',
    ]);
    expect(await auditOf(id)).not.toContain('invitation.restore');
  });

  test('is not taken back while a browser opens the new link', async () => {
    const { candidate } = await invited();
    const { conversationId: id } = candidate;
    await act('reissue', id);
    const opening = await app.halfDone(async (tx) => {
      await app.get(ConversationRepository).lockKnown(tx, id);
      await app.get(WebSessionRepository).create(tx, id);
    });
    const restoring = refusalsOf('restore_link', id);
    await app.until('it waits for the browser', async () => {
      const { waits } = await app.one<{ waits: boolean }>(
        `select exists (select from pg_stat_activity
           where wait_event_type = 'Lock' and datname = current_database()) as waits`,
      );
      return waits;
    });
    await opening.end();

    expect(await restoring).toEqual(['not_restorable']);
  });

  test('is not taken back once the new link was used, or after ten minutes', async () => {
    const { candidate } = await invited();
    const [fate] = await act('reissue', candidate.conversationId);
    await TestCandidate.arrive(app, fate?.link?.web.split('/').at(-1));
    expect(await refusalsOf('restore_link', candidate.conversationId)).toEqual(['not_restorable']);

    const late = await invited();
    await act('reissue', late.candidate.conversationId);
    clock.advance(11 * 60_000);
    expect(await refusalsOf('restore_link', late.candidate.conversationId)).toEqual([
      'not_restorable',
    ]);
  });
});

test('somebody of another vacancy does nothing, and bad bodies are refused', async () => {
  const { conversationId: id } = await TestCandidate.begin(app);
  const viewer = await signIn(app, await makeUser(app, { role: 'viewer' }));
  expect(await outcomeOf(await post(viewer, 'close', [id]))).toBe('403 scope_missing');
  const recruiter = await signIn(app, await makeUser(app, { role: 'recruiter' }));
  expect((await post(recruiter, 'close', [id])).status).toBe(200);
  for (const [action, ids] of [
    ['reject', [id]],
    ['close', []],
    ['close', ['x']],
    ['close', Array.from({ length: 101 }, () => id)],
  ] as const) {
    expect((await post(recruiter, action, ids)).status).toBe(422);
  }
});

describe('the list', () => {
  test('says what waits, since when, and when the candidate was last there', async () => {
    const candidate = await TestCandidate.begin(app);
    const { conversationId: id } = candidate;
    const arrivedAt = clock.now();
    clock.advance(5 * 60_000);
    await candidate.post('human');
    const read = async (headers: Headers) => {
      const response = await fetch(`${app.url}/api/v1/interviews/waiting`, { headers });
      return (await response.json()) as {
        count: number;
        items: { id: string; seenAt: string; waits: { kind: string; since: string } | null }[];
      };
    };

    const list = await read(bearer({ token: ADMIN_TOKEN }));

    const since = clock.now().toISOString();
    const one = list.items.find((item) => item.id === id);
    expect(one?.waits).toMatchObject({ kind: 'handed_over', since });
    expect(Date.parse(one?.seenAt ?? '')).toBeGreaterThanOrEqual(arrivedAt.getTime());
    expect(list.count).toBe(list.items.length);
    // A viewer may not see the attention list.
    const viewer = await signIn(app, await makeUser(app, { role: 'viewer' }));
    const shown = (await read(viewer)).items.find((item) => item.id === id);
    expect(shown?.waits).toBeNull();
    const { id: elsewhereId } = await app.addVacancy({ slug: 'elsewhere' });
    const stranger = await makeUser(app, { role: 'viewer', vacancyIds: [elsewhereId] });
    expect(await read(await signIn(app, stranger))).toEqual({ count: 0, items: [] });
  });

  test('of some ids shows those that match the other filters', async () => {
    const [one, two] = [await TestCandidate.begin(app), await TestCandidate.begin(app)];
    await two.post('withdraw');
    const ids = [one.conversationId, two.conversationId].join(',');
    const response = await fetch(`${app.url}/api/v1/interviews?state=started&ids=${ids}`, {
      headers: bearer({ token: ADMIN_TOKEN }),
    });
    const { items } = (await response.json()) as { items: { id: string }[] };
    expect(items.map(({ id }) => id)).toEqual([one.conversationId]);
  });
});
