import { createHash } from 'node:crypto';
import { link, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { PersonalDataService } from '../../src/privacy';
import { hashToken } from '../../src/common/ids';
import type { Tx } from '../../src/common/uow';
import { HiringDecisionRepository, HiringDecisions, signingKey } from '../../src/scoring';
import { hashOfFile } from '../../src/scoring/decision-file';
import { ratingReply } from '../../tools/fake-model/raters';
import { closeInterviews, live, startInterviews, words } from '../interview/interviews';
import { newCandidate } from '../interview/interviewee';
import type { TestApp } from '../support/app';
import { until } from '../support/until';
import { runCli } from '../support/run-cli';
import { ServerProcess } from '../support/server-process';

const ANSWERED = JSON.stringify({ verdict: 'answered', sources: '', text: 'Thank you.' });

let app: TestApp;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'colloquy-decisions-'));
  app = await startInterviews({ env: { SCORING: 'true' } });
  app.model.always(ratingReply('good', ANSWERED));
});

afterAll(async () => {
  await closeInterviews(app);
  await rm(folder, { recursive: true });
});

function environment() {
  return {
    DATABASE_URL: app.databaseUrl,
    COLLOQUY_DATA_DIR: path.join(folder, 'data'),
    SCORING: 'true',
    OPENAI_API_KEY: 'test',
    OPENAI_BASE_URL: app.model.baseUrl,
  };
}

function colloquy(...args: string[]) {
  return runCli(args, environment());
}

function record(candidateId: string) {
  const of = ['--candidate', candidateId];
  return colloquy('decision', 'record', ...of, '--by', 'Nora', '--reason', 'Invited to a talk');
}

function exportOf(candidateId: string, file: string) {
  return colloquy('decision', 'export', '--candidate', candidateId, '--out', file);
}

async function countLinks(): Promise<number> {
  return (await app.commit((tx) => app.get(HiringDecisionRepository).chain(tx))).length;
}

/** A candidate whose interview is finished and scored. */
async function scoredCandidate(): Promise<{ conversationId: string; candidateId: string }> {
  const candidate = await newCandidate(app);
  for (const [index] of app.vacancy.plan.questions.entries()) {
    await candidate.answer(words(`the answer ${String(index)} and its story`));
  }
  await live(app, 10_000);
  const { id } = await app.one<{ id: string }>(
    'select candidate_id as id from conversation where id = $1',
    [candidate.id],
  );
  return { conversationId: candidate.id, candidateId: id };
}

async function audited(candidateId: string): Promise<string[]> {
  const rows = await app.sql<{ action: string }>(
    'select action from audit_event where subject_hash = $1 order by id',
    [hashToken(candidateId)],
  );
  return rows.map(({ action }) => action);
}

function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

async function decided(name: string): Promise<{ file: string; candidateId: string }> {
  const { candidateId } = await scoredCandidate();
  const file = path.join(folder, name);
  await record(candidateId);
  const { code, err } = await exportOf(candidateId, file);
  expect([code, err]).toEqual([0, '']);
  return { file, candidateId };
}

test('a file holds who decided and why, with rubrics, prompts, samples and quotes in their text', async () => {
  const { file, candidateId } = await decided('first.json');

  const { payload } = JSON.parse(await readFile(file, 'utf8')) as {
    payload: {
      candidateId: string;
      decisions: object[];
      interviews: {
        answers: Record<string, { id: string; text: string }[]>;
        runs: {
          rubrics: { hash: string }[];
          prompts: { hash: string; text: string }[];
          samples: {
            questionId: string;
            rubricHash: string;
            promptHash: string;
            reading: { quotes: { messageId: string; start: number; end: number }[] };
          }[];
        }[];
      }[];
    };
  };
  expect(payload.candidateId).toBe(candidateId);
  expect(await audited(candidateId)).toEqual(['decision.export']);
  expect(payload.decisions).toMatchObject([{ decidedBy: 'Nora', reason: 'Invited to a talk' }]);
  const [interview] = payload.interviews;
  const [run] = interview?.runs ?? [];
  const hashes = run?.rubrics.map(({ hash }) => hash) ?? [];
  const promptTexts = new Map(run?.prompts.map(({ hash, text }) => [hash, text]));
  expect(run?.samples).toHaveLength(9);
  for (const { questionId, rubricHash, promptHash, reading } of run?.samples ?? []) {
    expect(hashes).toContain(rubricHash);
    expect(sha256(promptTexts.get(promptHash) ?? '')).toBe(promptHash);
    const [quote] = reading.quotes;
    const said = interview?.answers[questionId]?.find(({ id }) => id === quote?.messageId);
    expect(said?.text.slice(quote?.start, quote?.end)).toMatch(/^I know the answer/);
  }
  const { mode } = await stat(path.join(folder, 'data', 'decision-key.pem'));
  expect((mode & 0o777).toString(8)).toBe('600');
});

test('files form a chain that an erasure leaves valid and without a trace of the person', async () => {
  const before = await decided('before.json');
  const erased = await decided('erased.json');
  await app.commit((tx) => app.get(PersonalDataService).erase(tx, erased.candidateId));
  const after = await decided('after.json');

  const chain = await app.commit((tx) => app.get(HiringDecisionRepository).chain(tx));
  for (const [index, link] of chain.entries()) {
    expect(link.previous).toBe(chain[index - 1]?.hash ?? null);
  }
  expect(await app.rowsWith([erased.candidateId])).toEqual([]);
  const files = [before.file, erased.file, after.file];
  expect(await colloquy('decision', 'verify', ...files)).toMatchObject({ code: 0 });

  const forged = path.join(folder, 'forged.json');
  const bytes = await readFile(after.file);
  bytes[200] = (bytes[200] ?? 0) ^ 1;
  await writeFile(forged, bytes);
  const { code, err } = await colloquy('decision', 'verify', forged);
  expect(code).toBe(1);
  expect(err).toContain('forged.json: the signature does not fit');
});

test('an export that is refused notes nothing', async () => {
  const { candidateId } = await scoredCandidate();

  expect((await exportOf(candidateId, path.join(folder, 'undecided.json'))).code).not.toBe(0);

  expect(await audited(candidateId)).toEqual([]);
});

describe('a crash of an export', () => {
  const crash = new Error('crash');

  /** The decision of a new candidate, whose export ends like a killed process at one point. */
  async function crashed(
    name: string,
    commit: (work: (tx: Tx) => Promise<unknown>) => Promise<unknown>,
  ): Promise<{ file: string; candidateId: string; partial: Buffer | null }> {
    const { candidateId } = await scoredCandidate();
    const file = path.join(folder, name);
    await record(candidateId);
    const key = await signingKey(path.join(folder, 'data'));
    const exporting = app
      .get(HiringDecisions)
      .exportTo((_label, work) => commit(work) as never, file, {
        candidateId,
        key,
        note: () => Promise.resolve(),
      });
    await expect(exporting).rejects.toBe(crash);
    return { file, candidateId, partial: await readFile(`${file}.partial`).catch(() => null) };
  }

  async function assertWhole(file: string): Promise<void> {
    const { code } = await colloquy('decision', 'verify', file);
    expect(code).toBe(0);
    const chain = await app.commit((tx) => app.get(HiringDecisionRepository).chain(tx));
    expect(chain.at(-1)?.hash).toBe(hashOfFile(await readFile(file)));
    await expect(stat(`${file}.partial`)).rejects.toThrow('ENOENT');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  }

  test('before anything is written leaves nothing', async () => {
    const links = await countLinks();
    const { partial, file, candidateId } = await crashed('crash-0.json', () =>
      Promise.reject(crash),
    );
    expect([partial, await countLinks()]).toEqual([null, links]);

    expect(await exportOf(candidateId, file)).toMatchObject({ code: 0 });
    await assertWhole(file);
  });

  test('before its commit leaves a file that the chain does not know, and the next export replaces it', async () => {
    const links = await countLinks();
    const { partial, file, candidateId } = await crashed('crash-1.json', (work) =>
      app.commit(async (tx) => {
        await work(tx);
        throw crash;
      }),
    );
    expect(partial).not.toBeNull();
    expect(await countLinks()).toBe(links);

    const { code, out } = await exportOf(candidateId, file);
    expect([code, out]).toEqual([0, expect.stringMatching(/^Written: /)]);
    expect(await countLinks()).toBe(links + 1);
    await assertWhole(file);
  });

  test('after its commit leaves the whole file, and the next export gives these bytes their name', async () => {
    const links = await countLinks();
    const { partial, file, candidateId } = await crashed('crash-2.json', async (work) => {
      await app.commit(work);
      throw crash;
    });
    expect(await countLinks()).toBe(links + 1);

    const { code, out } = await exportOf(candidateId, file);
    expect([code, out]).toEqual([0, expect.stringMatching(/^Finished an interrupted export: /)]);
    expect(await countLinks()).toBe(links + 1);
    expect(await readFile(file)).toEqual(partial);
    await assertWhole(file);
  });

  test('does not hide that the finished file is about another candidate', async () => {
    const { file } = await crashed('crash-3.json', async (work) => {
      await app.commit(work);
      throw crash;
    });
    const other = await scoredCandidate();
    await record(other.candidateId);

    const { code, err } = await exportOf(other.candidateId, file);
    expect([code, err]).toEqual([1, expect.stringContaining('the file of another candidate')]);
    await assertWhole(file);
  });

  test('between the two names of the file leaves one file, which is not replaced', async () => {
    const { file, candidateId } = await decided('crash-4.json');
    await link(file, `${file}.partial`);

    const { code, err } = await exportOf(candidateId, file);
    expect([code, err]).toEqual([1, `${file}: the file exists already; choose another name\n`]);
    await assertWhole(file);
  });

  test.each(['lands', 'is rolled back'])(
    'by kill -9 while its commit is under way, which then %s, loses nothing',
    async (end) => {
      const { candidateId } = await scoredCandidate();
      const file = path.join(folder, `killed-${end.replaceAll(' ', '-')}.json`);
      await record(candidateId);
      const links = await countLinks();
      // The commit waits for this lock: see the trigger below.
      await holder.query('select pg_advisory_lock(4711)');
      const exporting = ServerProcess.start(environment(), [
        'src/cli/colloquy.ts',
        ...['decision', 'export', '--candidate', candidateId, '--out', file],
      ]);
      const exporter = await until('the commit waits', async () => (await waiting())[0]);
      exporting.signal('SIGKILL');
      await exporting.exited;
      if (end === 'is rolled back') await app.sql('select pg_terminate_backend($1)', [exporter]);
      await holder.query('select pg_advisory_unlock(4711)');
      await until('the commit is over', async () => {
        const rows = await app.sql('select 1 from pg_stat_activity where pid = $1', [exporter]);
        return rows.length === 0;
      });
      expect(await countLinks()).toBe(links + (end === 'lands' ? 1 : 0));
      expect(await readFile(`${file}.partial`)).not.toHaveLength(0);

      expect(await exportOf(candidateId, file)).toMatchObject({ code: 0 });
      expect(await countLinks()).toBe(links + 1);
      await assertWhole(file);
    },
  );

  let holder: Client;
  beforeAll(async () => {
    holder = new Client({ connectionString: app.databaseUrl });
    await holder.connect();
    await app.sql(`create function wait_for_test() returns trigger language plpgsql as
      $$ begin perform pg_advisory_xact_lock_shared(4711); return null; end $$`);
    await app.sql(`create constraint trigger wait_for_test after insert on decision_file
      deferrable initially deferred for each row execute function wait_for_test()`);
  });
  afterAll(async () => {
    await ServerProcess.killAll();
    await holder.end();
    await app.sql('drop function wait_for_test cascade');
  });

  /** The backends whose commit waits for the test. */
  async function waiting(): Promise<number[]> {
    const rows = await app.sql<{ pid: number }>(
      `select pid from pg_locks where locktype = 'advisory' and objid = 4711 and not granted`,
    );
    return rows.map(({ pid }) => pid);
  }
});

describe('the verification', () => {
  test('needs neither a database nor valid settings', async () => {
    const { file } = await decided('handed-over.json');
    const key = path.join(folder, 'data', 'decision-key.pub.pem');
    const env = { PORT: 'none', DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' };

    expect(await runCli(['decision', 'verify', file, '--key', key], env)).toMatchObject({
      code: 0,
      out: expect.stringContaining('unchanged, number') as string,
    });
    const here = { ...env, COLLOQUY_DATA_DIR: path.join(folder, 'data') };
    expect(await runCli(['decision', 'verify', file], here)).toMatchObject({ code: 0 });
  });

  test('takes the files in any order, and refuses a gap with exit code 1', async () => {
    const first = await decided('chain-1.json');
    const second = await decided('chain-2.json');
    const third = await decided('chain-3.json');

    const backwards = await colloquy('decision', 'verify', third.file, first.file, second.file);
    expect(backwards.code).toBe(0);
    expect(backwards.out.match(/chain-\d/g)).toEqual(['chain-1', 'chain-2', 'chain-3']);

    const gap = await colloquy('decision', 'verify', first.file, third.file);
    expect([gap.code, gap.out]).toEqual([1, '']);
    expect(gap.err).toContain(`${third.file}: number `);
    expect(gap.err).toContain(` is missing between ${first.file}, number `);
    const twice = await colloquy('decision', 'verify', first.file, first.file);
    expect([twice.code, twice.err]).toEqual([1, expect.stringContaining(': a repeat of ')]);
  });

  test('names --key when there is no key in the data folder', async () => {
    const { file } = await decided('without-key.json');
    const env = { COLLOQUY_DATA_DIR: path.join(folder, 'nowhere') };

    const { code, err } = await runCli(['decision', 'verify', file], env);
    expect(code).toBe(2);
    expect(err).toContain('Name the key that came with the files: --key FILE.');
  });
});

describe('the commands', () => {
  test('refuse a file without a decision, and leave none behind', async () => {
    const { candidateId } = await scoredCandidate();
    const out = path.join(folder, 'none.json');
    const { code, err } = await exportOf(candidateId, out);

    expect([code, err]).toEqual([4, expect.stringContaining('There is no decision')]);
    await expect(stat(out)).rejects.toThrow('ENOENT');
  });

  test('never replace a file', async () => {
    const { file, candidateId } = await decided('kept.json');
    const kept = await readFile(file);
    const { code } = await exportOf(candidateId, file);

    expect(code).toBe(1);
    expect(await readFile(file)).toEqual(kept);
  });

  test('show that an interview is scored, without any score', async () => {
    const { conversationId } = await scoredCandidate();
    const { code, out } = await colloquy(
      'score',
      'show',
      '--conversation',
      conversationId,
      '--json',
    );

    expect(code).toBe(0);
    const shown = JSON.parse(out) as { runs: object[] };
    expect(shown).toMatchObject({
      isShadow: true,
      runs: [{ state: 'done', samples: 9, dropped: 0 }],
    });
    expect(out).not.toMatch(/mark|quote|overall|figure|supported/);
  });

  test('ask the model again and print what differs', async () => {
    const { conversationId } = await scoredCandidate();
    const { id } = await app.one<{ id: string }>(
      'select id from score_run where conversation_id = $1',
      [conversationId],
    );

    const same = await colloquy('replay', '--score', id);
    expect(same).toMatchObject({ code: 0, out: 'The same: 9 of 9 samples.\n' });
    app.model.next(ratingReply('sloppy', ANSWERED));
    const differs = await colloquy('replay', '--score', id);
    expect(differs.out).toMatch(/sample 1: supported became dropped\nThe same: 8 of 9 samples\.\n/);
    expect(await colloquy('replay', '--score', conversationId)).toMatchObject({ code: 4 });

    app.model.next({ kind: 'status', status: 503 });
    const away = await colloquy('replay', '--score', id);
    expect([away.code, away.out]).toEqual([1, '']);
    expect(away.err).toContain('did not complete a request (unavailable), so nothing is compared');
  });
});
