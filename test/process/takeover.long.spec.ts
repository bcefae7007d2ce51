import { EventSourceReader } from '../channels/web/event-source';
import { TestCandidate } from '../support/candidate';
import { ModelServer, replyWith } from '../../tools/fake-model/model-server';
import { attemptsOf, repliesOf, rowsOf } from '../support/outside';
import { createExampleDatabase } from '../support/example-database';
import { ServerProcess } from '../support/server-process';

jest.setTimeout(90_000);

let databaseUrl: string;
let model: ModelServer;
let drop: () => Promise<void>;
let env: Record<string, string>;

beforeAll(async () => {
  ({ url: databaseUrl, drop } = await createExampleDatabase());
  model = await ModelServer.start(replyWith('answered', 'Once and whole.'));
  env = {
    DATABASE_URL: databaseUrl,
    OPENAI_API_KEY: 'sk-test',
    OPENAI_BASE_URL: model.baseUrl,
    INTERVIEW_BUFFER_DEBOUNCE_TIMEOUT_WEB: '0.2',
    INTERVIEW_SCRIPTED_PACE: '0',
    JOB_LEASE: '1.5',
  };
});

afterAll(async () => {
  await ServerProcess.killAll();
  await model.close();
  await drop();
});

const HALF = 'Half a reply.';

/** A process that has written half of a reply, and a reader on another replica who has seen it. */
async function halfRead() {
  const writer = await ServerProcess.serve(env);
  const candidate = await TestCandidate.begin(writer.host);
  model.next({
    kind: 'hold',
    content: `{"verdict":"answered","text":"${HALF} A`,
    rest: 'nd more."}',
  });
  const asked = model.requests.length;
  await candidate.send('a', 'an answer');
  await candidate.post('done');
  await model.request(asked + 1);
  const other = await ServerProcess.serve(env);
  const reader = await EventSourceReader.open(`${other.host.url}/api/v1/conversation/events`, {
    authorization: `Bearer ${candidate.token}`,
  });
  await reader.until(({ text }) => text === HALF);
  return { writer, other, candidate: candidate.at(other.host), reader };
}

async function segments(): Promise<unknown[]> {
  return rowsOf(databaseUrl, 'select turn_id from turn_segment');
}

test('a reader sees the whole reply again under the same id after its writer was killed', async () => {
  const { writer, other, candidate, reader } = await halfRead();

  writer.signal('SIGKILL');
  await writer.exited;
  await reader.until((told) => told.of('finish').length === 1);

  const [stored] = await repliesOf(databaseUrl, candidate.conversationId);
  expect(reader.text).toBe(stored);
  expect(stored).toContain('Once and whole.');
  const starts = reader.of('start').map(({ data }) => data);
  expect(starts.map(({ messageId }) => messageId)).toEqual([
    starts[0]?.messageId,
    starts[0]?.messageId,
  ]);
  expect(starts.map(({ epoch }) => epoch)).toEqual([1, 2]);
  expect(await segments()).toEqual([]);
  reader.close();
  expect(await other.stop()).toBe(0);
});

test('a frozen writer that resumes after another one has written its reply writes nothing', async () => {
  const { writer, other, candidate, reader } = await halfRead();

  writer.signal('SIGSTOP');
  await reader.until((told) => told.of('finish').length === 1);
  const stored = await repliesOf(databaseUrl, candidate.conversationId);
  const framesBefore = reader.frames.length;
  writer.signal('SIGCONT');
  model.release();
  const awake = await candidate.at(writer.host).waitFor(({ replying }) => !replying);

  expect(awake.messages.at(-1)?.text).toBe(stored[0]);
  expect(await repliesOf(databaseUrl, candidate.conversationId)).toEqual(stored);
  expect(stored).toHaveLength(1);
  expect(await writer.stop()).toBe(0);
  expect(await segments()).toEqual([]);
  expect(reader.frames.slice(framesBefore).filter(({ event }) => event !== 'state')).toEqual([]);
  const outcomes = (await attemptsOf(databaseUrl, candidate.conversationId)).map((a) => a.outcome);
  expect(outcomes).toHaveLength(2);
  expect(outcomes[1]).toBe('ok');
  reader.close();
  expect(await other.stop()).toBe(0);
});
