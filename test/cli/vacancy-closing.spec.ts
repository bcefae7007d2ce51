import { readFile, writeFile } from 'node:fs/promises';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DomainEvents } from '../../src/common/events';
import { hashToken } from '../../src/common/ids';
import { VacancyRepository } from '../../src/vacancies';
import { vacancyDraft } from '../support/vacancies';
import { cli, clock, database, inCommit } from './cli-database';

const vacancies = new VacancyRepository(clock, new DomainEvents());
const TIME = /\d{4}-\d\d-\d\d \d\d:\d\d/;
let vacancyId: string;

beforeEach(async () => {
  const draft = vacancyDraft({ slug: 'baker' });
  vacancyId = (await inCommit((tx) => vacancies.upsert(tx, draft))).vacancy.id;
});

async function auditOf(): Promise<string[]> {
  const rows = await database().sql<{ actor: string; action: string }>(
    'select actor, action from audit_event where subject_hash = $1 order by id',
    [hashToken(vacancyId)],
  );
  return rows.map(({ actor, action }) => `${actor}: ${action}`);
}

test('close and reopen say what follows, and are noted in the audit once', async () => {
  const closed = await cli(['vacancy', 'close', 'baker']);
  const again = await cli(['vacancy', 'close', 'baker']);
  const opened = await cli(['vacancy', 'reopen', 'baker']);
  const openedAgain = await cli(['vacancy', 'reopen', 'baker', '--json']);

  expect(closed).toMatchObject({ code: 0, err: '' });
  expect(closed.out).toContain('Closed: no new interview begins.');
  expect(closed.out).toContain('./colloquy vacancy reopen baker');
  expect(again.code).toBe(0);
  expect(again.out).toMatch(new RegExp(`Closed already, since ${TIME.source}`));
  expect(opened.out).toContain('Open again: its links and invitations begin interviews.');
  expect(JSON.parse(openedAgain.out)).toMatchObject({ closedAt: null, hasChanged: false });
  expect(await auditOf()).toEqual(['command line: vacancy.close', 'command line: vacancy.reopen']);
});

test('list and show say since when a vacancy is closed', async () => {
  await cli(['vacancy', 'close', 'baker']);

  const [listed, shown] = [await cli(['vacancy', 'list']), await cli(['vacancy', 'show', 'baker'])];

  const since = new RegExp(`closed since ${TIME.source}`);
  expect(listed.out).toMatch(since);
  expect(shown.out).toMatch(since);
  const json = JSON.parse((await cli(['vacancy', 'list', '--json'])).out) as {
    vacancies: { closedAt: string | null }[];
  };
  expect(json.vacancies.map(({ closedAt }) => typeof closedAt)).toEqual(['string']);
});

test('invite refuses a closed vacancy and stores nobody', async () => {
  await cli(['vacancy', 'close', 'baker']);

  const run = await cli(['invite', 'baker', '--name', 'Ada']);

  expect(run).toEqual({
    code: 1,
    out: '',
    err: 'The vacancy "baker" is closed. Open it again first: ./colloquy vacancy reopen baker\n',
  });
  expect(await database().sql('select 1 from candidate')).toEqual([]);
  await cli(['vacancy', 'reopen', 'baker']);
  expect(await cli(['invite', 'baker'])).toMatchObject({ code: 0, err: '' });
});

test('a closed vacancy that is imported in a new version stays closed, and the import says so', async () => {
  await cli(['vacancy', 'close', 'baker']);
  const folder = await mkdtemp(path.join(tmpdir(), 'colloquy-closing-'));
  const file = path.join(folder, 'baker.yaml');
  const { out } = await cli(['vacancy', 'export', 'baker']);
  // A plan that was stored without them is imported again with facts.
  const changed = out
    .replace('title: Baker', 'title: Head baker')
    .replace('kind: knockout', 'kind: knockout\n    knockOut: [{ name: early, fact: Can start. }]');
  await writeFile(file, changed);

  const imported = await cli(['vacancy', 'import', file]);

  expect(await readFile(file, 'utf8')).toContain('Head baker');
  expect(imported.out).toContain('changed baker: Head baker');
  expect(imported.out).toMatch(/closed since/);
  expect((await cli(['vacancy', 'list'])).out).toMatch(/Head baker.*closed since/);
  await rm(folder, { recursive: true });
});

test('a vacancy that does not exist is not found', async () => {
  const run = await cli(['vacancy', 'close', 'butcher']);

  expect(run).toMatchObject({ code: 4, out: '' });
  expect(run.err).toContain('No vacancy "butcher"');
});
