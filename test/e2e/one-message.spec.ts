import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import path from 'node:path';
import { TestCandidate } from '../support/candidate';
import { ModelServer, replyWith } from '../../tools/fake-model/model-server';
import { EventSourceReader } from '../channels/web/event-source';
import { startTestApp } from '../support/app';
import { WINDOW_MS, begunPerson, BOT, type Person } from '../channels/telegram/telegram-person';

/**
 * Which files of src/ each message crosses, from its intake to the delivered reply. The lists are for
 * readers of the code; how long they are is not checked.
 */
/** A timer beside a message adds files, and on a slow machine beside each of a few. */
const CANDIDATES = 3;
const MESSAGES_OF_EACH = 3;

/** COLLOQUY_FILES_CROSSED names a folder for the lists. */
function keepList(name: string, files: readonly string[]): void {
  const folder = process.env.COLLOQUY_FILES_CROSSED;
  if (folder !== undefined) writeFileSync(`${folder}/${name}.txt`, `${files.join('\n')}\n`);
}

/** The files that every message crosses. `begin` brings a candidate and returns how one sends a message. */
async function filesOfEach(begin: () => Promise<() => Promise<void>>): Promise<string[]> {
  const lists: string[][] = [];
  for (let candidate = 0; candidate < CANDIDATES; candidate += 1) {
    const send = await begin();
    for (let n = 0; n < MESSAGES_OF_EACH; n += 1) {
      lists.push(await filesCrossedBy(send));
    }
  }
  const [first = [], ...others] = lists;
  return first.filter((file) => others.every((list) => list.includes(file)));
}

let model: ModelServer;

beforeAll(async () => {
  model = await ModelServer.start(replyWith('answered', 'Thank you for this.'));
});
afterAll(() => model.close());

function withModel(): Record<string, string> {
  return { OPENAI_API_KEY: 'test', OPENAI_BASE_URL: model.baseUrl };
}

test('a web message goes through the buffer to its reply, each time by the same files', async () => {
  const app = await startTestApp({ env: withModel() });
  try {
    await app.stopSweeps();
    const streams: EventSourceReader[] = [];
    const files = await filesOfEach(async () => {
      const candidate = await TestCandidate.begin(app);
      const events = await EventSourceReader.open(`${app.url}/api/v1/conversation/events`, {
        authorization: `Bearer ${candidate.token}`,
      });
      streams.push(events);
      await events.until(({ names }) => names.includes('hello'));
      let finished = 0;
      return async () => {
        finished += 1;
        await candidate.send(`m${finished}`, 'I build chat systems.');
        await events.until(
          ({ names }) => names.filter((name) => name === 'finish').length === finished,
        );
      };
    });
    for (const events of streams) events.close();
    keepList('web', files);

    for (const { text } of streams) expect(text).toContain('Thank you for this.');
    expect(files).toContain('buffer/buffer.service.ts');
  } finally {
    await app.close();
  }
});

test('a Telegram message goes through the buffer to its reply, each time by the same files', async () => {
  const app = await startTestApp({ ...BOT, env: withModel() });
  try {
    await app.stopSweeps();
    const persons: Person[] = [];
    const files = await filesOfEach(async () => {
      const person = await begunPerson(app);
      persons.push(person);
      return async () => {
        await person.writes('I build chat systems.');
        await app.pass(WINDOW_MS);
      };
    });
    keepList('telegram', files);

    for (const { heard } of persons) expect(heard.join('\n')).toContain('Thank you for this.');
    expect(files).toContain('buffer/buffer.service.ts');
  } finally {
    await app.close();
  }
});

const SOURCES = path.resolve(__dirname, '../../src') + path.sep;
/** What the compiler adds so that an import reads an export when it is used. */
const EXPORT_GETTER = /^(get )?\w* ?\(\) \{\s*return [\w.]+;\s*\}$/;

/**
 * Runs `work` and returns the files of src/ in which a function ran meanwhile, relative to it and in
 * alphabetical order. Constructors and modules that are only imported do not count. Loops and
 * sweeps of the process count when they happen to run.
 */
async function filesCrossedBy(work: () => Promise<void>): Promise<string[]> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Debugger.enable');
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    await session.post('Profiler.takePreciseCoverage'); // Sets all counts to zero.
    await work();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const crossed = [];
    for (const { scriptId, url, functions } of result) {
      const file = url.replace(/^file:\/\//, '');
      if (!file.startsWith(SOURCES)) continue;
      const { scriptSource } = await session.post('Debugger.getScriptSource', { scriptId });
      const hasRun = functions.some(({ functionName, ranges: [range] }) => {
        if (range === undefined || range.count === 0 || /^[A-Z]/.test(functionName)) return false;
        return !EXPORT_GETTER.test(scriptSource.slice(range.startOffset, range.endOffset));
      });
      if (hasRun) crossed.push(file.slice(SOURCES.length));
    }
    return [...new Set(crossed)].sort();
  } finally {
    await session.post('Profiler.stopPreciseCoverage');
    session.disconnect();
  }
}
