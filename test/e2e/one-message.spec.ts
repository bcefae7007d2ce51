import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import path from 'node:path';
import { TestCandidate } from '../support/candidate';
import { ModelServer, replyWith } from '../../tools/fake-model/model-server';
import { EventSourceReader } from '../channels/web/event-source';
import { startTestApp } from '../support/app';
import { WINDOW_MS, begunPerson, BOT } from '../channels/telegram/telegram-person';

/**
 * How many files of src/ each message crosses, from its intake to the delivered reply. Each bound is
 * today's count and one more, for a timer that runs beside it: raise it only for a change that is worth another file.
 */
const MOST_FILES = { web: 104, telegram: 116 };

/** COLLOQUY_FILES_CROSSED names a folder for the lists. */
function keepList(name: string, files: readonly string[]): void {
  const folder = process.env.COLLOQUY_FILES_CROSSED;
  if (folder !== undefined) writeFileSync(`${folder}/${name}.txt`, `${files.join('\n')}\n`);
}

/** The files that each of three messages crosses: a timer beside one of them adds others. */
async function filesOfEach(measure: () => Promise<string[]>): Promise<string[]> {
  let files = await measure();
  for (let n = 1; n < 3; n += 1) {
    const also = new Set(await measure());
    files = files.filter((file) => also.has(file));
  }
  return files;
}

let model: ModelServer;

beforeAll(async () => {
  model = await ModelServer.start(replyWith('answered', 'Thank you for this.'));
});
afterAll(() => model.close());

function withModel(): Record<string, string> {
  return { OPENAI_API_KEY: 'test', OPENAI_BASE_URL: model.baseUrl };
}

test('a web message crosses few files', async () => {
  const app = await startTestApp({ env: withModel() });
  try {
    await app.stopSweeps();
    const candidate = await TestCandidate.begin(app);
    const events = await EventSourceReader.open(`${app.url}/api/v1/conversation/events`, {
      authorization: `Bearer ${candidate.token}`,
    });
    await events.until(({ names }) => names.includes('hello'));

    let finished = 0;
    const files = await filesOfEach(() =>
      filesCrossedBy(async () => {
        finished += 1;
        await candidate.send(`m${finished}`, 'I build chat systems.');
        await events.until(
          ({ names }) => names.filter((name) => name === 'finish').length === finished,
        );
      }),
    );
    events.close();
    keepList('web', files);

    expect(events.text).toContain('Thank you for this.');
    expect(files).toContain('buffer/buffer.service.ts');
    expect(files.length).toBeLessThanOrEqual(MOST_FILES.web);
  } finally {
    await app.close();
  }
});

test('a Telegram message crosses few files', async () => {
  const app = await startTestApp({ ...BOT, env: withModel() });
  try {
    await app.stopSweeps();
    const person = await begunPerson(app);

    const files = await filesOfEach(() =>
      filesCrossedBy(async () => {
        await person.writes('I build chat systems.');
        await app.pass(WINDOW_MS);
      }),
    );
    keepList('telegram', files);

    expect(person.heard.join('\n')).toContain('Thank you for this.');
    expect(files).toContain('buffer/buffer.service.ts');
    expect(files.length).toBeLessThanOrEqual(MOST_FILES.telegram);
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
