import { TestCandidate } from '../support/candidate';
import { ModelServer, replyWith } from '../../tools/fake-model/model-server';
import { attemptsOf, flushJob, makeDue, repliesOf } from '../support/outside';
import { createExampleDatabase } from '../support/example-database';
import { ServerProcess } from '../support/server-process';

jest.setTimeout(90_000);

let databaseUrl: string;
let model: ModelServer;
let drop: () => Promise<void>;

beforeAll(async () => {
  ({ url: databaseUrl, drop } = await createExampleDatabase());
  model = await ModelServer.start(replyWith('answered', 'Once.'));
});

afterAll(async () => {
  await ServerProcess.killAll();
  await model.close();
  await drop();
});

test('after kill -9 another process replies once to collected and half-replied answers', async () => {
  const env = {
    DATABASE_URL: databaseUrl,
    OPENAI_API_KEY: 'sk-test',
    OPENAI_BASE_URL: model.baseUrl,
    INTERVIEW_BUFFER_DEBOUNCE_TIMEOUT_WEB: '60',
    JOB_LEASE: '1.5',
  };
  const killed = await ServerProcess.serve(env);
  const collecting = await TestCandidate.begin(killed.host);
  const replied = await TestCandidate.begin(killed.host);
  model.next({ kind: 'hold', content: '{"verdict":"answered","text":"Half a ', rest: '' });
  await collecting.send('a', 'an answer');
  await replied.send('a', 'an answer');
  await replied.post('done');
  await model.request(1);

  const survivor = await ServerProcess.serve(env);
  const held = await flushJob(databaseUrl, replied.conversationId);
  killed.signal('SIGKILL');
  await killed.exited;
  await makeDue(databaseUrl);
  const views = await Promise.all(
    [collecting, replied].map((candidate) =>
      candidate.at(survivor.host).waitFor((view) => view.interviewStep === 1 && !view.replying),
    ),
  );

  expect(held).toMatchObject({ state: 'running', claimNo: 1, isDue: false });
  for (const { id, messages } of views) {
    const replies = await repliesOf(databaseUrl, id);
    expect(replies).toHaveLength(1);
    expect(messages.at(-1)?.text).toBe(replies[0]);
    expect(replies[0]).toContain('Once.');
  }
  const attempts = await attemptsOf(databaseUrl, replied.conversationId);
  expect(attempts.map(({ outcome }) => outcome)).toEqual(['sent', 'ok']);
  expect(await attemptsOf(databaseUrl, collecting.conversationId)).toEqual([{ outcome: 'ok' }]);
  expect(await survivor.stop()).toBe(0);
  expect(survivor.err).toBe('');
});
