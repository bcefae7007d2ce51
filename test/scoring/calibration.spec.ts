import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { csvText } from '../../src/common/csv';
import { PersonalDataService } from '../../src/privacy';
import { importLimitOf } from '../../src/scoring/cli/calibrate';
import { readCsv } from '../../src/scoring/csv';
import { ratingReply } from '../../tools/fake-model/raters';
import { closeInterviews, live, startInterviews, words } from '../interview/interviews';
import { newCandidate } from '../interview/interviewee';
import type { TestApp } from '../support/app';
import { runCli } from '../support/run-cli';

const ANSWERED = JSON.stringify({ verdict: 'answered', sources: '', text: 'Thank you.' });
const VACANCY = ['--vacancy', 'baker'];

let app: TestApp;
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'colloquy-calibration-'));
  app = await startInterviews({ env: { SCORING: 'true' } });
  app.model.always(ratingReply('good', ANSWERED));
});

afterEach(async () => {
  await closeInterviews(app);
  await rm(folder, { recursive: true });
});

function colloquy(...args: string[]) {
  return runCli(args, {
    DATABASE_URL: app.databaseUrl,
    SCORING: 'true',
    OPENAI_API_KEY: 'test',
    OPENAI_BASE_URL: app.model.baseUrl,
    OPENAI_MODEL: app.model.requests.at(-1)?.body.model ?? '',
  });
}

interface Scored {
  readonly id: string;
  readonly candidateId: string;
  readonly answers: readonly string[];
}

/** A candidate whose interview is finished and scored; to the questions `without` there is no answer. */
async function scored(
  first = words('=SUM of rye bread'),
  { without = [] }: { without?: readonly string[] } = {},
): Promise<Scored> {
  const candidate = await newCandidate(app);
  const answers = [first, words('the reason for bread'), words('the hour of four')];
  for (const answer of answers) await candidate.answer(answer);
  await app.sql(
    `update message set text = '' where conversation_id = $1 and question_context = any($2)`,
    [candidate.id, without],
  );
  await live(app, 10_000);
  const { id: candidateId } = await app.one<{ id: string }>(
    'select candidate_id as id from conversation where id = $1',
    [candidate.id],
  );
  return { id: candidate.id, candidateId, answers };
}

interface ExportedRow {
  readonly id: string;
  readonly question: string;
  readonly criterion: string;
  readonly rubric: string;
  readonly answer: string;
}

async function exported(name = 'answers.csv'): Promise<{ text: string; rows: ExportedRow[] }> {
  const file = path.join(folder, name);
  const { code, err } = await colloquy('calibrate', 'export', ...VACANCY, '--out', file);
  expect([code, err]).toEqual([0, '']);
  const text = await readFile(file, 'utf8');
  const rows = readCsv(text, ['id']).map(({ cells }) => cells as unknown as ExportedRow);
  return { text, rows };
}

async function importOf(rater: string, rows: readonly (readonly string[])[]) {
  const file = path.join(folder, `${rater}.csv`);
  await writeFile(file, csvText([['id', 'rating'], ...rows]));
  return colloquy('calibrate', 'import', file, '--rater', rater);
}

async function ratings(): Promise<number> {
  return (await app.sql('select 1 from person_rating')).length;
}

/**
 * Copies the scored interview until 60 answers to `last` are rated. `people` gives the marks of two
 * raters and the model for the answer number i.
 */
async function rateMany(
  { id }: Scored,
  people: (i: number) => readonly [number, number, number],
): Promise<void> {
  for (let i = 0; i < 60; i += 1) {
    const marks = people(i);
    await app.sql(
      `with c as (
         insert into conversation
         select (jsonb_populate_record(null::conversation, to_jsonb(o) || jsonb_build_object(
           'id', gen_random_uuid(), 'invitation_id', null))).*
         from conversation o where o.id = $1 returning id),
       r as (
         insert into score_run (id, conversation_id, state, card, started_at, ended_at)
         select gen_random_uuid(), c.id, 'done', o.card, o.started_at, o.ended_at
         from score_run o, c where o.conversation_id = $1 returning id, conversation_id),
       s as (
         insert into score_sample (run_id, question_id, kind, item, n, rubric_hash, model, parameters,
           prompt_name, prompt_version, prompt_hash, input, input_hash, outcome, output, reading,
           asked_at)
         select r.id, o.question_id, o.kind, o.item, o.n, o.rubric_hash, o.model, o.parameters,
           o.prompt_name, o.prompt_version, o.prompt_hash, o.input, o.input_hash, o.outcome,
           o.output, jsonb_set(o.reading, '{mark}', to_jsonb($4::int)), o.asked_at
         from score_sample o join score_run f on f.id = o.run_id, r
         where f.conversation_id = $1 and o.kind = 'criterion'
         returning question_id, item, rubric_hash, input_hash),
       i as (
         insert into rating_item (conversation_id, question_id, criterion, rubric_hash, input_hash)
         select distinct r.conversation_id, s.question_id, s.item, s.rubric_hash, s.input_hash
         from s, r returning id)
       insert into person_rating (item_id, rater, mark, rated_at)
       select i.id, p.rater, p.mark, now() from i,
         (values ('Nora', $2::int), ('Ilja', $3::int)) as p (rater, mark)`,
      [id, ...marks],
    );
  }
}

/** Stores a fairness result for every version that scored. */
async function fairnessRun(isPassed: boolean): Promise<void> {
  await app.sql(
    `insert into fairness_result
     select distinct rubric_hash, model, prompt_hash, $1::boolean, '{}'::jsonb, now()
     from score_sample where kind = 'criterion'
     on conflict (rubric_hash, model, prompt_hash) do update set is_passed = excluded.is_passed`,
    [isPassed],
  );
}

const certify = (...more: string[]) =>
  colloquy('calibrate', 'certify', ...VACANCY, '--local-model', ...more);
const AGREEING = (i: number): [number, number, number] => [1 + (i % 5), 1 + (i % 5), 1 + (i % 5)];

test('the export is blind, keeps its ids, and holds the texts with formulas neutralised', async () => {
  const [one, two] = [await scored('=1+1 is how much flour I took'), await scored()];

  const { text, rows } = await exported();

  expect(rows).toHaveLength(4);
  const last = rows.filter(({ question }) => question === 'What did you bake last?');
  expect(last.map(({ answer }) => answer).toSorted()).toEqual(
    [`'${one.answers[0] ?? ''}`, two.answers[0]].toSorted(),
  );
  expect(last[0]).toMatchObject({ criterion: 'answer', rubric: 'Bread.' });
  expect(rows.map(({ id }) => id)).toEqual(rows.map(({ id }) => id).toSorted());
  const known = await app.sql<{ name: string | null; id: string }>(
    'select id, name from candidate',
  );
  for (const { id, name } of known) {
    expect(text).not.toContain(id);
    if (name !== null) expect(text).not.toContain(name);
  }
  expect(text).not.toMatch(new RegExp(`${one.id}|${two.id}|supported|mark`));
  expect((await exported('again.csv')).rows).toEqual(rows);
});

test('an export never replaces a file, and leaves none behind when it fails', async () => {
  const file = path.join(folder, 'taken.csv');
  await writeFile(file, 'mine');
  const taken = await colloquy('calibrate', 'export', ...VACANCY, '--out', file);
  expect([taken.code, await readFile(file, 'utf8')]).toEqual([1, 'mine']);

  const other = path.join(folder, 'other.csv');
  const unknown = await colloquy('calibrate', 'export', '--vacancy', 'none', '--out', other);
  expect(unknown.code).toBe(4);
  await expect(stat(other)).rejects.toThrow('ENOENT');
});

test('an export that is too large to be imported says so, and which columns to delete', async () => {
  const megabyte = 1024 * 1024;
  expect(importLimitOf(30 * megabyte)).toEqual([]);
  expect(importLimitOf(33 * megabyte)).toEqual([
    'The file has 33 MB, and an import reads at most 32 MB: before the import, delete the columns question, criterion, rubric and answer. Only id and rating are read.',
  ]);
  await scored();
  const [row] = (await exported()).rows;
  expect(await importOf('Nora', [[row?.id ?? '', '4']])).toMatchObject({ code: 0 });
});

test('an import names each bad row by its line and stores nothing of the file', async () => {
  await scored();
  const ids = (await exported()).rows.map(({ id }) => id);
  const [first = '', second = ''] = ids;

  const bad = await importOf('Nora', [
    [first, '4'],
    ['11111111-2222-4333-8444-555555555555', '4'],
    [second, '6'],
    ['x', '1'],
    [first, '3'],
  ]);
  expect(bad.code).toBe(1);
  expect(bad.err.trim().split('\n')).toEqual([
    'line 3: no answer has the id "11111111-2222-4333-8444-555555555555"',
    'line 4: expected a rating from 1 to 5, found "6"',
    'line 5: no answer has the id "x"',
    `line 6: the answer ${first} is also in line 2`,
  ]);
  expect(await ratings()).toBe(0);

  expect(await importOf('Nora', [[first, '4']])).toMatchObject({ code: 0 });
  const again = await importOf('nora', [
    [second, '5'],
    [first, '4'],
  ]);
  expect(again.err).toContain(`line 3: nora has already rated the answer ${first}`);
  expect((await importOf('Ilja', [[first, '']])).err).toContain('the column rating is empty');
  expect(await ratings()).toBe(1);
  const report = await colloquy('calibrate', 'report', ...VACANCY);
  expect(report.out).toContain('only one person has rated, and two are needed');
});

test('certifies what agrees and passed the fairness run, and shows it to whoever rated first', async () => {
  const interview = await scored();
  const show = (...more: string[]) =>
    colloquy('score', 'show', '--conversation', interview.id, ...more);
  await rateMany(interview, AGREEING);

  const unfair = await certify();
  expect([unfair.code, unfair.out]).toEqual([1, expect.stringContaining('no fairness run')]);
  await fairnessRun(true);
  const shadow = await show('--by', 'Vera');
  expect(shadow.out).toMatch(/In shadow until certified .*: last, why, early/);
  expect(shadow.out).not.toMatch(/of 5|yes/);
  const remote = await colloquy('calibrate', 'certify', ...VACANCY);
  expect([remote.code, remote.err]).toEqual([1, expect.stringContaining('on this machine')]);

  const done = await certify();
  expect([done.code, done.err]).toEqual([0, '']);
  expect(done.out).toMatch(/last, rubric [0-9a-f]{12}: certified\n.*model to person 1\.00/);

  expect(await show()).toMatchObject({
    code: 1,
    err: expect.stringContaining('--by NAME') as string,
  });
  const unrated = await show('--by', 'Vera');
  expect([unrated.code, unrated.out]).toEqual([1, '']);
  expect(unrated.err).toContain(
    'Vera has to rate first (./colloquy score rate): last/answer, why/answer.',
  );
  const rate = ['score', 'rate', '--candidate', interview.candidateId, '--by', 'Vera', '--rating'];
  expect(
    await colloquy(...rate, 'last=4', 'why/answer=2', '--conversation', interview.id),
  ).toMatchObject({ code: 0, err: '' });
  const shown = await show('--by', 'vera');
  expect(shown.out).toMatch(/last, answer \(100 %\): 4 of 5, by 1 quotes\n/);
  expect(shown.out).toMatch(/Overall 4\.00 of 5\. A person decides\./);

  await fairnessRun(false);
  expect((await show('--by', 'Vera')).out).toContain('In shadow');
});

test.each<[string, (i: number) => readonly [number, number, number], RegExp]>([
  [
    'people do not agree with the model',
    (i) => [1 + (i % 5), 1 + (i % 5), 1 + ((i * 3) % 5)],
    /model to person/,
  ],
  ['every mark is the same', () => [3, 3, 3], /do not vary/],
])('refuses with the figures when %s', async (_what, marks, reason) => {
  const interview = await scored();
  await rateMany(interview, marks);
  await fairnessRun(true);

  const { code, out } = await certify();

  expect(code).toBe(1);
  expect(out).toMatch(reason);
  expect(out).toMatch(/last, rubric [0-9a-f]{12}: in shadow/);
  expect(await app.sql('select 1 from certification')).toEqual([]);
});

test('a question without an answer is not in shadow, asks for no rating and makes no fact visible', async () => {
  await rateMany(await scored(), AGREEING);
  await fairnessRun(true);
  expect((await certify()).code).toBe(0);
  const show = ({ id }: Scored, ...more: string[]) =>
    colloquy('score', 'show', '--conversation', id, ...more);

  const partly = await scored(words('a story'), { without: ['why'] });
  expect((await show(partly)).err).toContain('--by NAME');
  expect((await show(partly, '--by', 'Vera')).err).toContain(
    '(./colloquy score rate): last/answer.',
  );
  const rate = ['score', 'rate', '--candidate', partly.candidateId, '--by', 'Vera', '--rating'];
  expect((await colloquy(...rate, 'last=4')).code).toBe(0);
  const { out } = await show(partly, '--by', 'Vera');
  expect(out).toContain('last, answer (100 %): 4 of 5');
  expect(out).toContain('why, answer (100 %): cannot be scored (no_answer)');
  expect(out).toMatch(/early, .*: yes\n/);
  expect(out).not.toContain('In shadow');

  const silent = await scored(words('a story'), { without: ['last', 'why'] });
  const shown = await show(silent);
  expect([shown.code, shown.err]).toEqual([0, '']);
  expect(shown.out).toContain('In shadow until certified (./colloquy calibrate): early.');
  expect(shown.out).not.toContain('yes');
  expect(JSON.parse((await show(silent, '--json')).out)).toMatchObject({ isShadow: true });
});

test('another model is in shadow again', async () => {
  const interview = await scored();
  await rateMany(interview, AGREEING);
  await fairnessRun(true);
  expect((await certify()).code).toBe(0);

  await app.sql(`update score_sample set model = 'another-model'`);

  const { out } = await colloquy('score', 'show', '--conversation', interview.id);
  expect(out).toContain('In shadow until certified');
  expect(out).not.toContain('of 5');
});

test("a reviewer's rating is checked, kept once, and part of the decision file", async () => {
  const { candidateId } = await scored();
  const of = ['--candidate', candidateId];
  const rate = (...rating: string[]) =>
    colloquy('score', 'rate', ...of, '--by', 'Vera', '--rating', ...rating);

  expect(await rate('last=6')).toMatchObject({ code: 2 });
  expect((await rate('last=5', 'early=3')).err).toContain(
    'There is no answer to rate by early/answer. There are: last/answer, why/answer.',
  );
  expect(await ratings()).toBe(0);
  expect((await rate('last=5')).code).toBe(0);
  expect((await rate('last=1')).err).toContain('Vera has already rated last/answer');

  const file = path.join(folder, 'decision.json');
  await colloquy('decision', 'record', ...of, '--by', 'Vera', '--reason', 'Invited');
  await colloquy('decision', 'export', ...of, '--out', file);
  const { payload } = JSON.parse(await readFile(file, 'utf8')) as {
    payload: { interviews: { ratings: object[]; runs: object[] }[] };
  };
  expect(payload.interviews[0]).toMatchObject({
    ratings: [{ rater: 'Vera', questionId: 'last', criterion: 'answer', mark: 5 }],
    runs: [{ isShadow: true, inShadow: ['last', 'why', 'early'] }],
  });
});

test('ratings are in the export of the person, and an erasure leaves none', async () => {
  const { candidateId, id } = await scored();
  const rated = ['score', 'rate', '--candidate', candidateId, '--by', 'Vera', '--rating', 'why=3'];
  await colloquy(...rated);
  const personal = app.get(PersonalDataService);

  const { pieces } = await personal.exportOf((_label, work) => app.commit(work), candidateId);
  let text = '';
  for await (const piece of pieces) text += piece;
  const { holders } = JSON.parse(text) as { holders: { ratings: object[] } };
  expect(holders.ratings).toMatchObject([{ conversationId: id, questionId: 'why', mark: 3 }]);

  await app.commit((tx) => personal.erase(tx, candidateId));
  expect(await ratings()).toBe(0);
  expect(await app.sql('select 1 from rating_item')).toEqual([]);
});
