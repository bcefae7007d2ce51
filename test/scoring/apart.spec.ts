import { randomUUID } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { ConversationViews } from '../../src/interview';
import { JobRegistry } from '../../src/jobs';
import { PersonalDataService } from '../../src/privacy';
import { ScoringModule } from '../../src/scoring';
import { type TestApp, startTestApp } from '../support/app';
import { TestCandidate } from '../support/candidate';
import { runCli } from '../support/run-cli';

const SRC = path.resolve(__dirname, '../../src');
const ID = randomUUID();

let app: TestApp;
let close = (): Promise<void> => Promise.resolve();

afterEach(() => close());

async function start(scoring: 'true' | 'false'): Promise<void> {
  app = await startTestApp({ model: true, isWorking: false, env: { SCORING: scoring } });
  close = async () => {
    close = () => Promise.resolve();
    await app.close();
  };
}

const queues = (): string[] =>
  app
    .get(JobRegistry)
    .all()
    .map(({ queue }) => queue);

async function disclosed(): Promise<string> {
  const { conversationId } = await TestCandidate.begin(app);
  const views = app.get(ConversationViews);
  return (await app.commit((tx) => views.view(tx, conversationId))).disclosure.text;
}

test('a server without SCORING has neither the module nor its queue, and tells candidates of no rating', async () => {
  await start('false');

  expect(() => app.get(ScoringModule)).toThrow();
  expect(queues()).not.toContain('score');
  expect(await disclosed()).not.toContain('an AI rates your answers');
});

test('a server with SCORING has both, and tells candidates of the rating', async () => {
  await start('true');

  expect(app.get(ScoringModule)).toBeInstanceOf(ScoringModule);
  expect(queues()).toContain('score');
  expect(await disclosed()).toContain('an AI rates your answers');
});

test('without SCORING, the export and the erasure of a person reach rows of a time when it was on', async () => {
  await start('false');
  const { conversationId } = await TestCandidate.begin(app);
  const { candidateId } = await app.one<{ candidateId: string }>(
    'select candidate_id as "candidateId" from conversation where id = $1',
    [conversationId],
  );
  await app.sql(
    `insert into score_run (id, conversation_id, state, started_at, ended_at)
     values ($1, $2, 'done', now(), now())`,
    [ID, conversationId],
  );
  await app.sql(
    `insert into rubric_version (hash, vacancy_id, question_id, version, canonical, created_at)
     select 'h', vacancy_id, 'q', 1, '{}', now() from conversation where id = $1`,
    [conversationId],
  );
  await app.sql(
    `with item as (insert into rating_item (conversation_id, question_id, criterion, rubric_hash, input_hash)
       values ($1, 'q', 'c', 'h', 'h') returning id)
     insert into person_rating (item_id, rater, mark, rated_at) select id, 'Nora', 4, now() from item`,
    [conversationId],
  );
  const personal = app.get(PersonalDataService);
  const { pieces } = await personal.exportOf((_label, work) => app.commit(work), candidateId);
  let text = '';
  for await (const piece of pieces) text += piece;

  expect(text).toContain(ID);
  expect(text).toContain('"rater":"Nora"');
  await app.commit((tx) => personal.erase(tx, candidateId, 'test'));
  expect(await app.sql('select from score_run')).toEqual([]);
  expect(await app.sql('select from person_rating')).toEqual([]);
});

test.each([
  [['score', 'show', '--conversation', ID]],
  [['score', 'rate', '--candidate', ID, '--by', 'Nora', '--rating', 'q=4']],
  [['calibrate', 'export', '--vacancy', 'baker', '--out', '/nonexistent/out.csv']],
  [['calibrate', 'report', '--vacancy', 'baker']],
  [['calibrate', 'certify', '--vacancy', 'baker']],
  [['fairness', '--vacancy', 'baker']],
  [['replay', '--score', ID]],
])('without SCORING, %j says how to switch it on', async (args) => {
  await start('false');

  expect(await runCli(args, { DATABASE_URL: app.databaseUrl })).toEqual({
    code: 1,
    out: '',
    err: 'SCORING is off, so no answers are rated. Set SCORING=true and OPENAI_API_KEY (docs/scoring.md).\n',
  });
});

test('what people decide is recorded also without SCORING', async () => {
  await start('false');
  const { conversationId } = await TestCandidate.begin(app);
  const { id } = await app.one<{ id: string }>(
    'select candidate_id as id from conversation where id = $1',
    [conversationId],
  );
  const record = ['decision', 'record', '--candidate', id, '--by', 'Nora', '--reason', 'Invited'];

  expect(await runCli(record, { DATABASE_URL: app.databaseUrl })).toMatchObject({
    code: 0,
    err: '',
  });
});

test('the rooms of an interview ask no setting of the scoring', () => {
  const rooms = ['interview', 'buffer', 'privacy', 'admin', 'channels', 'attention'];
  const files = rooms.flatMap((room) =>
    readdirSync(path.join(SRC, room), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => path.join(SRC, room, file)),
  );
  const named = files.filter((file) =>
    /\bscoring\b[.:]|from '[./]+\/scoring/.test(readFileSync(file, 'utf8')),
  );

  expect(files.length).toBeGreaterThan(100);
  expect(named).toEqual([]);
});
