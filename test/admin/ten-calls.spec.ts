import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { HiringDecisionRepository, signingKey } from '../../src/scoring';
import { type TestApp, startTestApp } from '../support/app';
import { TestCandidate } from '../support/candidate';
import { makeKey } from '../support/keys';

const ROOT = path.join(__dirname, '../..');
const KEY = /colloquy_[\w-]{43}/;

type Json = Readonly<Record<string, unknown>>;

let app: TestApp;
/** Where the shell runs: `./colloquy` is there, as in a checkout, and the key that signs decisions. */
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'colloquy-calls-'));
  await signingKey(folder);
  const program = ['-r', 'tools/support/swc-register.cjs', 'src/cli/colloquy.ts'];
  const command = path.join(folder, 'colloquy');
  const args = program.map((part) => (part === '-r' ? part : path.join(ROOT, part))).join(' ');
  await writeFile(command, `#!/bin/sh\nexec node ${args} "$@"\n`);
  await chmod(command, 0o755);
  app = await startTestApp({ env: { COLLOQUY_DATA_DIR: folder } });
});

afterAll(async () => {
  await app.close();
  await rm(folder, { recursive: true });
});

/** The commands of a section of a document, in their order. `kind`: what they are fenced as. */
async function commands(document: string, heading: RegExp, kind = 'sh'): Promise<string[]> {
  const text = await readFile(path.join(ROOT, 'docs', document), 'utf8');
  const [section = ''] = text.split(/^(?=##? )/m).filter((one) => heading.test(one));
  const blocks = section.matchAll(new RegExp(`\`\`\`${kind}\\n([\\s\\S]*?)\`\`\``, 'g'));
  return [...blocks].map(([, block = '']) => block.replaceAll('http://localhost:3000', app.url));
}

/** Pastes the commands into a shell; returns everything that it shows. */
async function paste(blocks: readonly string[], env: Record<string, string> = {}): Promise<string> {
  const shell = spawn('bash', ['-euc', blocks.join('\necho\n')], {
    cwd: folder,
    env: { ...process.env, BASE: app.url, DATABASE_URL: app.databaseUrl, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [shell.stdout, shell.stderr]) {
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  }
  await once(shell, 'close');
  expect(output).not.toContain('"code":');
  return output;
}

/** The bodies of responses that the shell has shown. */
function bodiesIn(output: string): Json[] {
  const lines = output.split('\n').filter((line) => line.startsWith('{'));
  return lines.map((line) => JSON.parse(line) as Json);
}

test('the ten calls of docs/api.md connect a program when they are pasted into a shell', async () => {
  const section = /^## Ten calls/;
  const [token = ''] = KEY.exec(await paste(await commands('api.md', section, 'text'))) ?? [];
  const blocks = await commands('api.md', section);
  // Ten, and what the candidate does.
  expect(blocks).toHaveLength(11);

  const read = bodiesIn(await paste(blocks, { KEY: token }));

  expect(read).toHaveLength(8);
  const [created, replaced, rows, invitations, sent, , interview, transcript] = read;
  expect(created).toMatchObject({ slug: 'night-baker', state: 'open' });
  expect(replaced).toMatchObject({ slug: 'night-baker', questions: 1 });
  expect(rows).toMatchObject({
    items: [
      { externalId: 'crm-18', state: 'created', link: { telegram: null } },
      { externalId: 'crm-19', state: 'created' },
    ],
  });
  expect(invitations).toMatchObject({ items: [{ externalId: 'crm-17', state: 'invited' }] });
  expect(sent).toMatchObject({ id: 'm1' });
  expect(interview).toMatchObject({ state: 'finished', externalId: 'crm-17' });
  expect(transcript).toMatchObject({
    conversationId: interview?.id,
    candidate: { name: 'Ada Lovelace' },
    status: 'completed',
  });
  const { greeting } = (await (
    await fetch(`${app.url}/api/v1/vacancies/night-baker/file`, {
      headers: { authorization: `Bearer ${token}` },
    })
  ).json()) as { greeting: string };
  expect(greeting).toBe('Hello, and welcome.');
});

test('the first call of docs/api.md, and those of keys and of many invitations, work too', async () => {
  const { token } = await makeKey(app);
  const sections = [/^# The API/, /^## Keys/, /^## Invite many people/];
  const blocks = [];
  for (const section of sections) blocks.push(...(await commands('api.md', section)));
  expect(blocks).toHaveLength(4);

  const output = await paste(blocks, { KEY: token, VACANCY: app.vacancy.slug });

  expect(output).toContain('"asyncapi":"3');
  expect(output).toMatch(/^Key crm, which is shown only now/m);
  expect(output).toMatch(/^\{"items":\[/m);
  expect(bodiesIn(output).at(-1)).toMatchObject({ state: 'running', rows: 1 });
});

test('the call of docs/api.md that exports a decision writes a file that the command verifies', async () => {
  const { conversationId } = await TestCandidate.begin(app);
  const { candidateId } = await app.one<{ candidateId: string }>(
    'select candidate_id as "candidateId" from conversation where id = $1',
    [conversationId],
  );
  const decision = { candidateId, by: 'Nora', reason: 'A reason.', isAdverse: false };
  await app.commit((tx) => app.get(HiringDecisionRepository).add(tx, decision));
  const { token } = await makeKey(app, { scopes: ['decisions:read'] });
  const blocks = await commands('api.md', /^## Decisions/);
  expect(blocks).toHaveLength(1);

  const output = await paste(blocks, { KEY: token, DECISION: '1' });

  expect(output).toContain('decision-1.json: unchanged, number 1 of the chain');
});

test('no shell command of docs/api.md is left out here', async () => {
  const text = await readFile(path.join(ROOT, 'docs/api.md'), 'utf8');
  const pasted = [
    /^# The API/,
    /^## Keys/,
    /^## Ten calls/,
    /^## Invite many people/,
    /^## Decisions/,
  ];
  const blocks = await Promise.all(pasted.map((section) => commands('api.md', section)));

  expect(text.match(/^```(sh|bash|shell|console)\b/gm)).toHaveLength(blocks.flat().length);
});

test('the calls of docs/integrations.md invite a spreadsheet and merge the links back', async () => {
  const { token } = await makeKey(app, { scopes: ['invitations:read', 'invitations:write'] });
  const env = { KEY: token, VACANCY: app.vacancy.slug };
  const [send = '', merge = '', ...more] = await commands('integrations.md', /^## A spreadsheet/);
  expect(more).toEqual([]);
  const csv = '\ufeffФИО;Почта;id\r\nИванов Пётр;petr@example.org;s-1\r\n';
  await writeFile(path.join(folder, 'candidates.csv'), csv);

  const [accepted = {}] = bodiesIn(await paste([send], env));
  const { id, linkKey } = accepted as { id: string; linkKey: string };
  await app.until('the row is stored', async () => {
    const rows = await app.sql('select from invitation where external_id = $1', ['s-1']);
    return rows.length > 0;
  });
  const [rows] = bodiesIn(await paste([merge], { ...env, ID: id, LINK_KEY: linkKey }));

  expect(rows).toMatchObject({
    items: [
      {
        row: 1,
        state: 'created',
        externalId: 's-1',
        link: { web: expect.stringContaining('/i/') as string },
      },
    ],
  });
});
