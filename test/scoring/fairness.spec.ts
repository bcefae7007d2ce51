import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { type MarkedPair, fairnessFigures, unfairness } from '../../src/scoring/fairness';
import { FAIRNESS_BANK } from '../../src/scoring/fairness-bank';
import { EDIT_KINDS, pairsOf } from '../../src/scoring/fairness-edits';
import { Completions } from '../../src/llm';
import { FairnessRun } from '../../src/scoring';
import type { Mark } from '../../src/vacancies';
import { type Rater, ratingReply } from '../../tools/fake-model/raters';
import { closeInterviews, inTime, startInterviews } from '../interview/interviews';
import type { TestApp } from '../support/app';
import { runCli } from '../support/run-cli';

const PAIRS = FAIRNESS_BANK.flatMap(pairsOf);

describe('the edits of an answer', () => {
  test('give a pair of every kind for every answer, of endings only in Russian', () => {
    for (const [index, answer] of FAIRNESS_BANK.entries()) {
      const kinds = pairsOf(answer, index).map(({ kind }) => kind);
      const expected = EDIT_KINDS.filter((kind) => answer.language === 'ru' || kind !== 'feminine');
      expect(kinds).toEqual(expected);
    }
  });

  test('leave no markup behind and are the same each time', () => {
    for (const { from, to } of PAIRS) expect(`${from} ${to}`).not.toMatch(/[[\]{}|]|undefined/);
    expect(FAIRNESS_BANK.flatMap(pairsOf)).toEqual(PAIRS);
  });

  test('of the kinds shorter, name, hedged, blunt, longer, noise and gap add and remove only words of their kind', () => {
    const wordsOf = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
    for (const { kind, from, to } of PAIRS) {
      const [before, after] = [wordsOf(from), wordsOf(to)];
      if (kind === 'shorter') expect(before).toEqual(expect.arrayContaining(after));
      else if (kind === 'feminine') expect(after).toHaveLength(before.length);
      else if (kind === 'name') expect(after.slice(5)).toEqual(before.slice(5));
      else if (kind !== 'learner') expect(after).toEqual(expect.arrayContaining(before));
    }
  });

  test('change every verb of the writer to the feminine', () => {
    const [pair] = pairsOf(
      { language: 'ru', text: 'Я [нашёл|нашла] ошибку. {Было поздно.} Команда [не|не] спала.' },
      0,
    ).filter(({ kind }) => kind === 'feminine');
    expect(pair).toMatchObject({
      from: 'Я нашёл ошибку. Было поздно. Команда не спала.',
      to: 'Я нашла ошибку. Было поздно. Команда не спала.',
    });
  });
});

describe('the figures', () => {
  const pair = (from: number | null, to: number | null): MarkedPair => ({
    criterion: 'depth',
    kind: 'hedged',
    from: from as Mark | null,
    to: to as Mark | null,
  });
  const enough = { supported: 1, unedited: 2 };
  const of = (pairs: readonly MarkedPair[]) => unfairness(fairnessFigures(pairs, enough));

  test('are a mean shift, and flips across the middle of the scale or to no mark', () => {
    const { kinds } = fairnessFigures([pair(4, 3), pair(3, 2), pair(2, 2), pair(null, 4)], enough);
    expect(kinds).toEqual([
      { criterion: 'depth', kind: 'hedged', pairs: 4, meanShift: -2 / 3, flips: 2 },
    ]);
  });

  test('pass at a mean shift of 0.25 and at 2 % of flips, and not beyond', () => {
    const still = Array.from({ length: 49 }, () => pair(4, 4));
    expect(of([pair(5, 4), pair(4, 4), pair(4, 4), pair(4, 4)])).toEqual([]);
    expect(of([pair(5, 4), pair(4, 4), pair(4, 4)])[0]).toContain('the mean shift is −0.33');
    expect(of([...still, pair(3, 2)])).toEqual([]);
    expect(of([...still, pair(3, 2), pair(3, 2)])[0]).toContain('2 of 51 decisions flip');
  });

  test('do not pass when the rubric finds nothing in most answers', () => {
    const found = unfairness(fairnessFigures([pair(1, 1)], { supported: 1, unedited: 3 }));
    expect(found).toEqual([expect.stringContaining('only 1 of 3 unedited answers')]);
  });

  test('of pairs with equal marks always pass', () => {
    const mark = fc.option(fc.integer({ min: 1, max: 5 }));
    fc.assert(
      fc.property(fc.array(mark), (marks) => {
        expect(of(marks.map((each) => pair(each, each)))).toEqual([]);
      }),
    );
  });
});

describe('the command', () => {
  let app: TestApp;
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'colloquy-fairness-'));
    app = await startInterviews();
  });
  afterEach(async () => {
    await closeInterviews(app);
    await rm(folder, { recursive: true });
  });

  function fairness(rater: Rater | null, ...more: string[]) {
    if (rater !== null) app.model.always(ratingReply(rater, 'no interview here'));
    return runCli(['fairness', '--vacancy', 'baker', ...more], {
      DATABASE_URL: app.databaseUrl,
      SCORING: 'true',
      OPENAI_API_KEY: 'test',
      OPENAI_BASE_URL: app.model.baseUrl,
      OPENAI_MODEL: 'rater',
    });
  }

  const stored = () =>
    app.sql<{ model: string; is_passed: boolean }>(
      'select model, is_passed from fairness_result order by rubric_hash',
    );

  test('passes a fair model, and then not one that takes a mark off for feminine endings', async () => {
    app.model.next({
      kind: 'status',
      status: 400,
      error: { message: "Unsupported parameter: 'max_tokens'" },
    });
    const fair = await fairness('good');
    expect([fair.code, fair.err]).toEqual([0, '']);
    // Asked again without what the server refused. Requests that ran beside the refused one had it, too.
    const limits = app.model.requests.map(({ body }) => body.max_completion_tokens);
    expect(limits.some((limit) => limit !== undefined)).toBe(true);
    expect(fair.out).toContain('this run proves the tool only');
    expect(fair.out).toMatch(/last, rubric [0-9a-f]{12}: passed\n/);
    expect(fair.out).toContain('answer, feminine: pairs 4, mean shift +0.00, flips 0 (0.0 %)');
    expect(await stored()).toEqual([
      { model: 'rater', is_passed: true },
      { model: 'rater', is_passed: true },
    ]);

    const { code, out } = await fairness('biased');
    expect(code).toBe(1);
    expect(out).toContain('answer, feminine: pairs 4, mean shift −1.00, flips 0 (0.0 %)');
    expect(out).toContain('answer, feminine: the mean shift is −1.00, more than 0.25.');
    expect(out).not.toMatch(/(hedged|noise|name|gap): the mean shift/);
    expect((await stored()).map(({ is_passed: isPassed }) => isPassed)).toEqual([false, false]);
  });

  test('does not pass a model that finds nothing, and stores nothing of a server that is away', async () => {
    const sloppy = await fairness('sloppy');
    expect([sloppy.code, sloppy.out]).toEqual([1, expect.stringContaining('unedited answers')]);
    await app.sql('delete from fairness_result');

    // The command waits for seconds before it asks again, unless the server names a shorter pause.
    app.model.always({ kind: 'status', status: 503, headers: { 'retry-after': '0' } });
    const away = await fairness(null);
    expect([away.code, away.err]).toEqual([1, expect.stringContaining('nothing is stored')]);
    expect(await stored()).toEqual([]);
  });

  test('sends no further request after one that failed, and ends when none is running', async () => {
    const started: AbortSignal[] = [];
    const model = {
      model: 'rater',
      complete: (_request: unknown, signal: AbortSignal) => {
        started.push(signal);
        if (started.length < 4) {
          return new Promise((resolve) => {
            signal.addEventListener('abort', () => {
              resolve({ ok: false, reason: 'aborted' });
            });
          });
        }
        return Promise.resolve({ ok: false, reason: 'bug of the test' });
      },
    } as unknown as Completions;
    const run = new FairnessRun(model, app.clock);
    const questions = app.vacancy.plan.questions.slice(0, 1);
    const own = [{ questionId: 'last', language: 'en', text: 'I baked a dark rye loaf.' } as const];

    await expect(run.run(questions, own, new AbortController().signal)).rejects.toThrow(
      'bug of the test',
    );

    expect(started).toHaveLength(4);
    expect(started.every(({ aborted }) => aborted)).toBe(true);
  });

  test('a completion that breaks off or stalls is asked for again', async () => {
    app.model.next({ kind: 'cut', content: '{"result"' }, { kind: 'stall', content: '{"result"' });
    app.model.always(ratingReply('good', 'no interview here'));
    const run = new FairnessRun(app.get(Completions), app.clock);
    const questions = app.vacancy.plan.questions.slice(0, 1);
    const own = [{ questionId: 'last', language: 'en', text: 'I baked a dark rye loaf.' } as const];

    const [result] = await inTime(app, run.run(questions, own, new AbortController().signal));

    expect(result?.figures.supported).toBe(1);
  });

  test("uses a team's own answers where there are some, and names a bad row", async () => {
    const file = path.join(folder, 'own.csv');
    const head = 'question;language;answer';
    await writeFile(file, `${head}\nlast;ru;Я [испёк|испекла] ржаной хлеб на закваске.\n`);
    const { out } = await fairness('good', '--answers', file);
    expect(out).toContain('answer, feminine: pairs 1,');
    expect(out).toContain('answer, feminine: pairs 4,');

    await writeFile(file, `${head}\nlast;ru;Я пёк хлеб.\nnone;ru;Я пёк хлеб.\n`);
    const bad = await fairness('good', '--answers', file);
    expect([bad.code, bad.err]).toEqual([
      1,
      `${file}: line 3: the vacancy has no question "none"\n`,
    ]);
    await writeFile(file, `${head}\nlast;de;Brot.\n`);
    expect((await fairness('good', '--answers', file)).err).toContain(
      'line 2: expected the language ru or en, found "de"',
    );
  });
});
