import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestApp, startTestApp } from '../support/app';
import { makeKey } from '../support/keys';

let app: TestApp;
let folder: string;

beforeAll(async () => {
  app = await startTestApp();
  folder = await mkdtemp(path.join(tmpdir(), 'colloquy-calls-'));
});

afterAll(async () => {
  await app.close();
  await rm(folder, { recursive: true });
});

/** The commands of the section, in their order. */
async function commands(): Promise<string[]> {
  const document = await readFile(path.join(__dirname, '../../docs/api.md'), 'utf8');
  const [, section = ''] = /^## Ten calls$([\s\S]*?)^## /m.exec(document) ?? [];
  return [...section.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block);
}

test('the ten calls of docs/api.md connect a program when they are pasted into a shell', async () => {
  const { token } = await makeKey(app, {
    scopes: [
      'vacancies:read',
      'vacancies:write',
      'invitations:read',
      'invitations:write',
      'interviews:read',
    ],
  });
  const blocks = await commands();
  // Ten, and what the candidate does.
  expect(blocks).toHaveLength(11);

  const shell = spawn('bash', ['-euc', blocks.join('\necho\n')], {
    cwd: folder,
    env: { ...process.env, BASE: app.url, KEY: token },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [shell.stdout, shell.stderr]) {
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  }
  await once(shell, 'close');

  expect(output).not.toContain('"code"');
  const bodies = output.split('\n').filter((line) => line.startsWith('{'));
  const read = bodies.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(read).toHaveLength(7);
  const [created, replaced, rows, invitations, session, interview, transcript] = read;
  expect(created).toMatchObject({ slug: 'night-baker', state: 'open' });
  expect(replaced).toMatchObject({ slug: 'night-baker', questions: 1 });
  expect(rows).toMatchObject({ items: [{ externalId: 'crm-18' }, { externalId: 'crm-19' }] });
  expect(invitations).toMatchObject({ items: [{ externalId: 'crm-17', state: 'invited' }] });
  const { conversationId } = session as { conversationId: string };
  expect(interview).toMatchObject({ id: conversationId, state: 'opened', externalId: 'crm-17' });
  expect(transcript).toMatchObject({ conversationId, candidate: { name: 'Ada Lovelace' } });
  const { greeting } = (await (
    await fetch(`${app.url}/api/v1/vacancies/night-baker/file`, {
      headers: { authorization: `Bearer ${token}` },
    })
  ).json()) as { greeting: string };
  expect(greeting).toBe('Hello, and welcome.');
});
