import { writeFileSync } from 'node:fs';
import { TestCandidate } from '../support/candidate';
import { ModelServer, replyWith } from '../../tools/fake-model/model-server';
import { EventSourceReader } from '../channels/web/event-source';
import { filesCrossedBy } from './files-crossed';
import { startTestApp } from '../support/app';
import { WINDOW_MS, begunPerson, TALK } from '../channels/telegram/talk';

/**
 * How many files of src/ one message crosses, from its intake to the delivered reply. Each bound is
 * today's count: raise it only for a change that is worth another file.
 */
const MOST_FILES = { web: 97, telegram: 116 };

/** COLLOQUY_FILES_CROSSED names a folder for the lists. */
function keepList(name: string, files: readonly string[]): void {
  const folder = process.env.COLLOQUY_FILES_CROSSED;
  if (folder !== undefined) writeFileSync(`${folder}/${name}.txt`, `${files.join('\n')}\n`);
}

/** Of three messages: a timer of the process that runs beside one of them adds files of its own. */
async function fewestFiles(measure: () => Promise<string[]>): Promise<string[]> {
  const measured = [await measure(), await measure(), await measure()];
  return measured.reduce((fewest, files) => (files.length < fewest.length ? files : fewest));
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
    const candidate = await TestCandidate.begin(app);
    const events = await EventSourceReader.open(`${app.url}/api/v1/conversation/events`, {
      authorization: `Bearer ${candidate.token}`,
    });
    await events.until(({ names }) => names.includes('hello'));

    let finished = 0;
    const files = await fewestFiles(() =>
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
  const app = await startTestApp({ ...TALK, env: withModel() });
  try {
    const person = await begunPerson(app);

    const files = await fewestFiles(() =>
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
