import { randomUUID } from 'node:crypto';
import { RetentionRepository, RetentionService } from '../../src/privacy';
import { startTestApp, type TestApp } from '../support/app';
import { TestCandidate } from '../support/candidate';

const DAYS = {
  RETENTION_PRESET: 'de-agg',
  RETENTION_MEDIA_DAYS: '60',
  RETENTION_SCORES_DAYS: '90',
};
const NOTHING = {
  ...{ transcript: 0, media: 0, scores: 0, decisions: 0 },
  ...{ not_started: 0, preview: 0, account: 0 },
};

let app: TestApp;

beforeEach(async () => {
  app = await startTestApp({ env: DAYS, isWorking: false });
});
afterEach(() => app.close());

/** Makes everything of this candidate look as if it had happened so many days earlier. */
async function age(conversationId: string, days: number): Promise<void> {
  const ago = `interval '24 hours' * ${String(days)}`;
  await app.sql(
    `update message set received_at = received_at - ${ago} where conversation_id = $1`,
    [conversationId],
  );
  await app.sql(
    `update conversation set created_at = created_at - ${ago}, consent_at = consent_at - ${ago}
     where id = $1`,
    [conversationId],
  );
  await app.sql(
    `update candidate set created_at = created_at - ${ago}
     where id = (select candidate_id from conversation where id = $1)`,
    [conversationId],
  );
}

async function candidateOf({ conversationId }: TestCandidate): Promise<string> {
  const [row] = await app.sql<{ id: string }>(
    'select candidate_id as id from conversation where id = $1',
    [conversationId],
  );
  if (row === undefined) throw new Error('there is no such conversation');
  return row.id;
}

async function isStored({ conversationId }: TestCandidate): Promise<boolean> {
  const rows = await app.sql('select 1 from conversation where id = $1', [conversationId]);
  return rows.length > 0;
}

async function addMessage(
  conversationId: string,
  type: 'VOICE' | 'FILE',
  text: string,
): Promise<string> {
  const id = randomUUID();
  await app.sql(
    `insert into message (id, conversation_id, seq, role, channel, external_id, content_type, text,
       received_at)
     select $1::uuid, id, last_seq + 1000 + (random() * 1000)::int, 'user', 'web', $1::text, $3, $4,
       clock_timestamp()
     from conversation where id = $2`,
    [id, conversationId, type, text],
  );
  return id;
}

/** A voice of the candidate that was heard, or still waits. */
async function addVoice(conversationId: string, state: 'heard' | 'kept'): Promise<string> {
  const id = await addMessage(conversationId, 'VOICE', 'Rye.');
  await app.sql(
    `insert into voice (message_id, state, mime_type, size_bytes, bytes) values ($1, $2, 'audio/ogg',
       3, 'abc')`,
    [id, state],
  );
  return id;
}

/** A file that is stored. */
async function addFile(conversationId: string): Promise<string> {
  const id = await addMessage(conversationId, 'FILE', 'cv.pdf');
  await app.sql(
    `insert into file (message_id, state, name, mime_type, size_bytes, bytes)
     values ($1, 'kept', 'cv.pdf', 'application/pdf', 3, 'abc')`,
    [id],
  );
  return id;
}

const run = () => app.get(RetentionService).run();

test('an interview is erased when its last message is older than the preset says', async () => {
  const [old, young] = [await TestCandidate.begin(app), await TestCandidate.begin(app)];
  await age(old.conversationId, 181);
  await age(young.conversationId, 179);

  const deleted = await run();

  expect(deleted).toEqual({ ...NOTHING, transcript: 1 });
  expect([await isStored(old), await isStored(young)]).toEqual([false, true]);
  expect(await app.metrics('retention_deleted_total', { class: 'transcript' })).toBe(1);
  expect(app.log.linesOf('Retention').join()).toContain(
    'deleted by age: 1 of class transcript, older than 180 days',
  );
});

test('a new message keeps an old interview', async () => {
  const candidate = await TestCandidate.begin(app);
  await age(candidate.conversationId, 400);
  await candidate.send('m1', 'I am still interested.');

  expect(await run()).toMatchObject({ transcript: 0 });
  expect(await isStored(candidate)).toBe(true);
});

test('a candidate with an open invitation is kept', async () => {
  const candidate = await TestCandidate.begin(app);
  await age(candidate.conversationId, 400);
  await app.sql(
    `insert into invitation (id, vacancy_id, candidate_id, token_hash, expires_at)
     select $1, vacancy_id, candidate_id, 'hash', clock_timestamp() + interval '1 day'
     from conversation where id = $2`,
    [randomUUID(), candidate.conversationId],
  );

  expect(await run()).toMatchObject({ transcript: 0 });
  await app.sql(`update invitation set expires_at = clock_timestamp() - interval '1 hour'`);
  expect(await run()).toMatchObject({ transcript: 1 });
});

test('whoever never agreed is erased after 30 days, with what they wrote', async () => {
  const [old, young] = [await TestCandidate.arrive(app), await TestCandidate.arrive(app)];
  const agreed = await TestCandidate.begin(app);
  await age(old.conversationId, 31);
  await age(young.conversationId, 29);
  await age(agreed.conversationId, 31);

  expect(await run()).toMatchObject({ not_started: 1, transcript: 0 });
  const stored = [await isStored(old), await isStored(young), await isStored(agreed)];
  expect(stored).toEqual([false, true, true]);
});

test('a legal hold keeps a candidate and their recordings until it is released', async () => {
  const candidate = await TestCandidate.begin(app);
  await addVoice(candidate.conversationId, 'heard');
  await age(candidate.conversationId, 400);
  const candidateId = await candidateOf(candidate);
  const records = app.get(RetentionRepository);
  const hold = { candidateId, reason: 'claim 17', placedBy: 'test' };
  expect(await app.commit((tx) => records.hold(tx, hold))).toBe(true);

  expect(await run()).toEqual(NOTHING);
  expect(await app.commit((tx) => records.release(tx, candidateId))).toBe(true);
  expect(await run()).toMatchObject({ transcript: 1 });
});

test('the bytes of old recordings are deleted; their lines and what still waits stay', async () => {
  const candidate = await TestCandidate.begin(app);
  const heard = await addVoice(candidate.conversationId, 'heard');
  const waiting = await addVoice(candidate.conversationId, 'kept');
  await age(candidate.conversationId, 61);

  expect(await run()).toMatchObject({ media: 1, transcript: 0 });
  const voices = await app.sql<{ id: string; hasAudio: boolean }>(
    'select message_id as id, bytes is not null as "hasAudio" from voice',
  );
  expect(new Map(voices.map(({ id, hasAudio }) => [id, hasAudio]))).toEqual(
    new Map([
      [heard, false],
      [waiting, true],
    ]),
  );
  expect((await candidate.view()).messages.map(({ text }) => text)).toContain('Rye.');
});

test('a file whose bytes are deleted is shown as deleted, and cannot be fetched', async () => {
  const candidate = await TestCandidate.begin(app);
  const id = await addFile(candidate.conversationId);
  const path = `/api/v1/conversation/files/${id}`;
  const bearer = { headers: { authorization: `Bearer ${candidate.token}` } };
  expect((await fetch(app.url + path, bearer)).status).toBe(200);
  await age(candidate.conversationId, 61);

  expect(await run()).toMatchObject({ media: 1, transcript: 0 });

  const { messages } = await candidate.view();
  expect(messages.find(({ text }) => text === 'cv.pdf')).toMatchObject({
    file: { state: 'deleted' },
  });
  expect((await fetch(app.url + path, bearer)).status).toBe(404);
});

/** A finished scoring with a sample, a person's rating, and a decision, each so many days old. */
async function addRecords(
  candidate: TestCandidate,
  days: { readonly scored: number; readonly rated: number; readonly decided: number },
): Promise<void> {
  const { conversationId } = candidate;
  const ago = (count: number): string => `clock_timestamp() - interval '24 hours' * ${count}`;
  const runId = randomUUID();
  await app.sql(
    `insert into score_run (id, conversation_id, state, started_at, ended_at)
     values ($1, $2, 'done', ${ago(days.scored)}, ${ago(days.scored)})`,
    [runId, conversationId],
  );
  await app.sql(
    `insert into score_sample (run_id, question_id, kind, item, n, rubric_hash, model, parameters,
       prompt_name, prompt_version, prompt_hash, input, input_hash, outcome, output, reading, asked_at)
     values ($1, 'q', 'criterion', 'c', 1, 'h', 'm', '{}', 'p', 1, 'h', '[]', 'h', 'ok', 'a mark',
       '{}', clock_timestamp())`,
    [runId],
  );
  await app.sql(
    `insert into rubric_version (hash, vacancy_id, question_id, version, canonical, created_at)
     select 'h', vacancy_id, 'q', 1, '{}', clock_timestamp() from conversation where id = $1
     on conflict do nothing`,
    [conversationId],
  );
  await app.sql(
    `with item as (insert into rating_item (conversation_id, question_id, criterion, rubric_hash,
       input_hash) values ($1, 'q', 'c', 'h', 'h') returning id)
     insert into person_rating (item_id, rater, mark, rated_at)
     select id, 'Nora', 4, ${ago(days.rated)} from item`,
    [conversationId],
  );
  await app.sql(
    `insert into decision (candidate_id, decided_by, reason, decided_at)
     select candidate_id, 'Nora', 'invited', ${ago(days.decided)} from conversation where id = $1`,
    [conversationId],
  );
}

async function countOf(table: string): Promise<number> {
  return (await app.one<{ n: number }>(`select count(*)::int as n from ${table}`)).n;
}

const recordCounts = async () => ({
  runs: await countOf('score_run'),
  samples: await countOf('score_sample'),
  ratings: await countOf('person_rating'),
  decisions: await countOf('decision'),
});

test('old scores, ratings and decisions are deleted while the interview stays', async () => {
  const old = await TestCandidate.begin(app);
  await addRecords(old, { scored: 91, rated: 91, decided: 181 });
  await addRecords(await TestCandidate.begin(app), { scored: 89, rated: 89, decided: 179 });
  await app.sql(`insert into decision_file (n, hash, made_at) values (1, 'a', clock_timestamp())`);

  expect(await run()).toEqual({ ...NOTHING, scores: 2, decisions: 1 });
  expect(await recordCounts()).toEqual({ runs: 1, samples: 1, ratings: 1, decisions: 1 });
  expect(await isStored(old)).toBe(true);
  // The chain holds only hashes, so it stays as after an erasure.
  expect(await countOf('decision_file')).toBe(1);
  expect(await app.metrics('retention_deleted_total', { class: 'scores' })).toBe(2);
  expect(app.log.linesOf('Retention').join()).toContain(
    'deleted by age: 1 of class decisions, older than 180 days (AGG',
  );
});

test('a late rating keeps what is rated, and a running scoring is left alone', async () => {
  const candidate = await TestCandidate.begin(app);
  await addRecords(candidate, { scored: 91, rated: 1, decided: 1 });
  await app.sql(`update score_run set state = 'running', ended_at = null`);

  expect(await run()).toEqual(NOTHING);
  expect(await recordCounts()).toEqual({ runs: 1, samples: 1, ratings: 1, decisions: 1 });
});

test('old comments are deleted with the scores, counted from their last change', async () => {
  const { conversationId } = await TestCandidate.begin(app);
  await app.sql(
    `with colleague as (insert into app_user (id, name, role, created_at, created_by)
       values (gen_random_uuid(), 'Nora', 'admin', now(), 'test') returning id)
     insert into interview_comment (id, conversation_id, user_id, author, text, created_at, edited_at)
     select gen_random_uuid(), $1, colleague.id, 'Nora', given.text,
       now() - interval '91 days', given.edited
     from colleague, (values ('old', null), ('edited', now())) as given(text, edited) returning id`,
    [conversationId],
  );

  expect(await run()).toEqual({ ...NOTHING, scores: 1 });
  const left = await app.sql<{ text: string }>('select text from interview_comment');
  expect(left.map(({ text }) => text)).toEqual(['edited']);
});

test('a legal hold keeps scores, ratings and decisions', async () => {
  const candidate = await TestCandidate.begin(app);
  await addRecords(candidate, { scored: 400, rated: 400, decided: 400 });
  const candidateId = await candidateOf(candidate);
  const records = app.get(RetentionRepository);
  await app.commit((tx) => records.hold(tx, { candidateId, reason: 'claim', placedBy: 'test' }));

  expect(await run()).toEqual(NOTHING);
  await app.commit((tx) => records.release(tx, candidateId));
  const due = await app.get(RetentionService).due();
  expect(due.map(({ class: name, count }) => [name, count])).toEqual([
    ['transcript', 0],
    ['media', 0],
    ['scores', 2],
    ['decisions', 1],
    ['not_started', 0],
    ['preview', 0],
    ['account', 0],
  ]);
  expect(await run()).toEqual({ ...NOTHING, scores: 2, decisions: 1 });
});

test('more than a batch of old scores is deleted in one run', async () => {
  const candidate = await TestCandidate.begin(app);
  await app.sql(
    `insert into score_run (id, conversation_id, state, started_at, ended_at)
     select gen_random_uuid(), $1, 'done', at, at
     from (select clock_timestamp() - interval '91 days' as at, generate_series(1, 120)) old`,
    [candidate.conversationId],
  );

  expect(await run()).toMatchObject({ scores: 120 });
  expect(await countOf('score_run')).toBe(0);
});

test('accounts without an interview are deleted after 30 days', async () => {
  await app.sql(
    `insert into telegram_account (user_id, language, created_at) values
       (1, 'en', clock_timestamp() - interval '31 days'),
       (2, 'en', clock_timestamp() - interval '29 days'),
       (3, 'en', clock_timestamp() - interval '31 days')`,
  );
  await app.sql(
    `insert into telegram_update (bot_id, update_id, chat_id, account_id, state, payload, received_at)
     values (1, 1, 3, 3, 'waiting', '{}', clock_timestamp())`,
  );

  expect(await run()).toMatchObject({ account: 1 });
  const left = await app.sql<{ id: string }>(
    'select user_id as id from telegram_account order by user_id',
  );
  expect(left.map(({ id }) => Number(id))).toEqual([2, 3]);
});

test('what is due is counted without deleting anything', async () => {
  const [old, never] = [await TestCandidate.begin(app), await TestCandidate.arrive(app)];
  await age(old.conversationId, 200);
  await age(never.conversationId, 40);

  const due = await app.get(RetentionService).due();

  expect(due.map(({ class: name, count, keptDays }) => [name, count, keptDays])).toEqual([
    ['transcript', 1, 180],
    ['media', 0, 60],
    ['scores', 0, 90],
    ['decisions', 0, 180],
    ['not_started', 1, 30],
    ['preview', 0, 1],
    ['account', 0, 30],
  ]);
  expect([await isStored(old), await isStored(never)]).toEqual([true, true]);
});
