import { hashToken } from '../../src/common/ids';
import { PersonalDataService } from '../../src/privacy';
import { replyWith } from '../../tools/fake-model/model-server';
import type { TestApp } from '../support/app';
import { runCli } from '../support/run-cli';
import { closeInterviews, startInterviews, words } from './interviews';
import { type Interviewee, newCandidate } from './interviewee';
import {
  callSearch,
  fromPassage,
  SHIFTS,
  storeDocuments,
  storeFewDocuments,
} from './knowledge-turns';

let app: TestApp;

beforeAll(async () => {
  app = await startInterviews();
  await storeDocuments(app, { 'shifts.en.md': `# Shifts\n\n${SHIFTS}` });
});
afterAll(() => closeInterviews(app));

function replay({ databaseUrl, model }: TestApp, ...args: string[]) {
  return runCli(['replay', ...args], {
    DATABASE_URL: databaseUrl,
    OPENAI_API_KEY: 'test',
    OPENAI_BASE_URL: model.baseUrl,
  });
}

interface StoredRequest {
  readonly model: string;
  readonly parameters: { readonly tools: readonly string[] };
  readonly prompt_hash: string;
  readonly input_hash: string;
  readonly output: { readonly text: string; readonly calls: readonly object[] };
}

function requestsOf({ id }: Interviewee): Promise<StoredRequest[]> {
  return app.sql<StoredRequest>(
    `select q.* from reply_request q join turn t on t.id = q.turn_id
     where t.conversation_id = $1 order by q.attempt_id`,
    [id],
  );
}

async function auditedActions(id: string): Promise<string[]> {
  const rows = await app.sql<{ action: string }>(
    'select action from audit_event where subject_hash = $1 order by id',
    [hashToken(id)],
  );
  return rows.map(({ action }) => action);
}

/** Without what the fake server adds to a body. */
function lastSent(from = app): object {
  const { model, messages, tools, max_tokens, response_format } = (from.model.requests.at(-1)
    ?.body ?? {}) as Record<string, unknown>;
  return { model, messages, tools, max_tokens, response_format };
}

async function lastReply(candidate: Interviewee): Promise<string> {
  return (await candidate.turns()).at(-1)?.id ?? '';
}

test('a reply stores model, parameters, hashes and output, and the words of the candidate only once', async () => {
  const candidate = await newCandidate(app);
  const said = words();
  app.model.next(replyWith('answered', 'Thank you for that.'));
  await candidate.answer(said);

  const [stored, ...others] = await requestsOf(candidate);
  expect(others).toEqual([]);
  expect(stored).toMatchObject({
    model: app.model.requests.at(-1)?.body.model,
    parameters: { maxOutputTokens: expect.any(Number) as number, tools: ['search_knowledge'] },
    prompt_hash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    input_hash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
  });
  expect(JSON.parse(stored?.output.text ?? '')).toMatchObject({
    verdict: 'answered',
    text: 'Thank you for that.',
  });
  expect(await app.rowsWith([said])).toHaveLength(1);
});

test('the same request is sent again, and the command says that the reply is the same', async () => {
  const candidate = await newCandidate(app);
  app.model.next(replyWith('answered', 'Noted.'), replyWith('answered', 'Noted too.'));
  await candidate.answer(words(), words());
  await candidate.answer(words());
  const sent = lastSent();

  app.model.next(replyWith('answered', 'Noted too.'));
  const { code, out } = await replay(app, '--reply', await lastReply(candidate));
  expect(await auditedActions(candidate.id)).toEqual(['reply.replay']);

  expect([code, out]).toEqual([
    0,
    'The request is the same as then.\nThe model wrote the same again.\n',
  ]);
  expect(lastSent()).toEqual(sent);
  expect(await candidate.replies()).toHaveLength(2);
});

test('a reply with a search is asked for with its passages', async () => {
  const candidate = await newCandidate(app);
  app.model.next(callSearch('early shift'), fromPassage('At four.'));
  await candidate.answer('When does the early shift begin?');
  const sent = lastSent();
  expect((await requestsOf(candidate)).map(({ output }) => output.calls)).toEqual([
    [{ name: 'search_knowledge', input: { query: 'early shift' } }],
    [],
  ]);

  app.model.next(callSearch('early shift hours'));
  const { out } = await replay(app, '--reply', await lastReply(candidate));

  expect(lastSent()).toEqual(sent);
  expect(out).toContain('The request is the same as then.\n');
  expect(out).toContain('after:  search_knowledge({"query":"early shift hours"})');
});

test('a reply from a small set of documents is asked for with the same passages', async () => {
  const few = await startInterviews();
  try {
    await storeFewDocuments(few, { 'shifts.en.md': `# Shifts\n\n${SHIFTS}` });
    const candidate = await newCandidate(few);
    few.model.next(fromPassage('At four.'));
    await candidate.answer('When does the early shift begin?');
    const sent = lastSent(few);

    few.model.next(fromPassage('At four.'));
    const again = await replay(few, '--reply', await lastReply(candidate));

    expect(lastSent(few)).toEqual(sent);
    expect(again.out).toContain('The request is the same as then.\n');

    await storeFewDocuments(few, { 'shifts.en.md': '# Shifts\n\nAt five.' });
    few.model.next(fromPassage('At four.'));
    const changed = await replay(few, '--reply', await lastReply(candidate));
    expect(changed.out).toContain('Changed since: input.\n');
  } finally {
    await closeInterviews(few);
  }
});

test('a prompt that an earlier version stored is refused in words', async () => {
  const candidate = await newCandidate(app);
  app.model.next(replyWith('answered', 'Thank you.'));
  await candidate.answer(words());
  const reply = await lastReply(candidate);
  await app.sql(
    `update reply_request set input = (input::jsonb - 'form')::json where turn_id = $1`,
    [reply],
  );

  const { code, err } = await replay(app, '--reply', reply);

  expect(code).toBe(4);
  expect(err).toContain('was stored by an earlier version of Colloquy');
});

test('shows the differences and what has changed since', async () => {
  const candidate = await newCandidate(app);
  app.model.next(replyWith('answered', 'Thank you.'));
  await candidate.answer(words());
  await app.sql(
    `update message set text = text || ' corrected' where conversation_id = $1
    and role = 'user'`,
    [candidate.id],
  );
  await app.sql(`update reply_request set model = 'older' where turn_id = $1`, [
    await lastReply(candidate),
  ]);

  app.model.next(replyWith('vague', 'Could you say more?'));
  const { code, out } = await replay(app, '--reply', await lastReply(candidate));

  expect(code).toBe(0);
  expect(out).toContain('Changed since: model, input.\n');
  expect(out).toContain('verdict:\n  before: answered\n  after:  vague\n');
  expect(out).toContain('text:\n  before: Thank you.\n  after:  Could you say more?\n');
});

test('a model that fails, a wrong id and a reply of code are refused with one sentence', async () => {
  const candidate = await newCandidate(app);
  app.model.next(replyWith('answered', 'Thank you.'));
  await candidate.answer(words());
  const modelReply = await lastReply(candidate);
  await candidate.answer('/skip');
  const ofCode = await lastReply(candidate);

  app.model.next({ kind: 'status', status: 500 });
  expect(await replay(app, '--reply', modelReply)).toMatchObject({
    code: 1,
    err: 'The request is the same as then. The model sent no reply (unavailable).\n',
  });
  expect(await replay(app, '--reply', ofCode)).toMatchObject({
    code: 4,
    err: `There is no reply ${ofCode} that a model wrote.\n`,
  });
  expect(await replay(app, '--reply', 'last')).toMatchObject({ code: 2 });
  expect(await replay(app)).toMatchObject({
    code: 2,
    err: expect.stringContaining('Add either --score ID or --reply ID.') as string,
  });
});

test('the export shows what was asked and what came of it without the reasoning, and an erasure deletes it', async () => {
  const candidate = await newCandidate(app);
  app.model.next({
    kind: 'completion',
    content:
      '<think>The rubric wants a number.</think>{"verdict":"answered","sources":"","text":"Thank you."}',
  });
  await candidate.answer(words());
  app.model.next(replyWith('answered', 'Again.'));
  await replay(app, '--reply', await lastReply(candidate));
  const { id } = await app.one<{ id: string }>(
    'select candidate_id as id from conversation where id = $1',
    [candidate.id],
  );
  const personal = app.get(PersonalDataService);

  const { pieces } = await personal.exportOf((_label, work) => app.commit(work), id);
  let text = '';
  for await (const piece of pieces) text += piece;
  const file = JSON.parse(text) as { conversations: { modelRequests: object[] }[] };
  expect(file.conversations[0]?.modelRequests).toMatchObject([
    { purpose: 'interview', input: { said: [expect.any(String)] } },
    { purpose: 'replay', input: null },
  ]);
  expect(text).toContain('Thank you.');
  expect(text).not.toContain('rubric wants');
  expect(
    (await requestsOf(candidate)).map(({ output }) => JSON.stringify(output)).join(),
  ).toContain('rubric wants');
  await app.commit((tx) => personal.erase(tx, id));
  expect(await requestsOf(candidate)).toEqual([]);
  expect(
    await app.sql(`select 1 from llm_request where purpose = 'replay' and subject not in
      (select 'flush:' || answer_id from turn)`),
  ).toEqual([]);
});
