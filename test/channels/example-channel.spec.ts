import { mkdtemp, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { FileChannelModule } from '../../examples/channels/file-channel';
import { type TestApp, startReplica, startTestApp } from '../support/app';
import { TestCandidate } from '../support/candidate';
import { until } from '../support/until';

/** The channel of docs/adding-a-channel.md, run as it stands there. */
let folder: string;
/** Holds the database; knows no files. */
let host: TestApp;
let running: TestApp | null = null;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'colloquy-files-'));
  host = await startTestApp({ isWorking: false });
});
afterEach(async () => {
  await running?.close();
  running = null;
});
afterAll(async () => {
  await host.close();
  await rm(folder, { recursive: true });
});

async function start(isWorking: boolean): Promise<void> {
  running = await startReplica(host, { isWorking, channels: [FileChannelModule.in(folder)] });
}

async function stop(): Promise<void> {
  await running?.close();
  running = null;
}

const at = (...names: string[]): string => path.join(folder, ...names);

async function wasRead(file: string): Promise<boolean> {
  return (await readdir(at('read'))).includes(file);
}

/** The texts of the replies to a conversation. */
async function replies({ conversationId }: TestCandidate): Promise<string[]> {
  const files = (await readdir(at('out'))).filter((name) => name.startsWith(conversationId));
  return Promise.all(files.map((name) => readFile(at('out', name), 'utf8')));
}

function messagesOf(candidate: TestCandidate): Promise<{ text: string }[]> {
  return host.sql(
    `select text from message where conversation_id = $1 and channel = 'files' order by seq`,
    [candidate.conversationId],
  );
}

test('replies to a message that was read before a restart', async () => {
  const candidate = await TestCandidate.begin(host);
  const file = `${candidate.conversationId}.1.txt`;
  await start(false);
  await writeFile(at('in', file), 'I rebuilt a payments service.');
  await until('the message is read', () => wasRead(file));
  expect(await replies(candidate)).toEqual([]);
  await stop();

  await start(true);
  await until('the reply is written', async () => (await replies(candidate)).length > 0);

  const { messages } = await candidate.view();
  expect(await replies(candidate)).toEqual([messages.at(-1)?.text]);
  expect(messages.at(-1)?.role).toBe('assistant');
  const delivered = `select 1 from delivery
    where conversation_id = $1 and channel = 'files' and state = 'sent'`;
  await until('the delivery is settled', async () => {
    return (await host.sql(delivered, [candidate.conversationId])).length === 1;
  });
});

test('stores a message once when its file is read again', async () => {
  const candidate = await TestCandidate.begin(host);
  const file = `${candidate.conversationId}.1.txt`;
  await start(false);
  await writeFile(at('in', file), 'Twelve people.');
  await until('the message is read', () => wasRead(file));
  await rename(at('read', file), at('in', file));
  await until('it is read again', () => wasRead(file));

  expect(await messagesOf(candidate)).toEqual([{ text: 'Twelve people.' }]);
});

test('puts a file of no conversation aside', async () => {
  const file = '00000000-0000-4000-8000-000000000000.1.txt';
  await start(false);
  await writeFile(at('in', file), 'Hello?');

  await until('the file is put aside', () => wasRead(file));
});
