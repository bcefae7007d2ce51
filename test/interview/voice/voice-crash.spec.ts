import { DataSource } from 'typeorm';
import { DatabaseBusyError } from '../../../src/common/uow';
import { textsOf } from '../../../src/interview/texts/texts';
import { ConversationRepository } from '../../../src/interview/conversation.repository';
import { untilInProcess } from '../../support/until';
import { VoiceMessages, onTelegram } from './voice-messages';
import { WINDOW_MS, LEASE_MS, work, settled, live, inTime } from '../interviews';
import { newCandidate } from '../interviewee';

const EN = textsOf('en');
let setup: VoiceMessages;

beforeAll(async () => {
  setup = await VoiceMessages.open({ env: { OPENAI_TRANSCRIPTION_TIMEOUT: '600' } });
});

afterAll(() => setup.close());

describe('a crash', () => {
  test.each(['fetch', 'request'] as const)(
    'during the %s leaves the voice to another process, which continues from the last commit',
    async (point) => {
      const other = await setup.another();
      const candidate = await newCandidate(setup.app);
      const before = setup.fetched.length;
      if (point === 'fetch') setup.next(new Promise<never>(() => undefined));
      else setup.model.transcriptions.hold();
      const asked = setup.model.transcriptions.requests.length;
      await setup.send(candidate, onTelegram());
      await setup.app.worker.tick();
      if (point === 'request') await setup.model.transcriptions.request(asked + 1);
      else await untilInProcess('the fetch has begun', () => setup.fetched.length > before);
      setup.app.clock.advance(LEASE_MS);
      const taken = work(other);
      if (point === 'request') await setup.model.transcriptions.request(asked + 2);
      setup.model.transcriptions.release();
      await taken;
      expect(await setup.voices(candidate)).toMatchObject([{ state: 'heard' }]);
      expect(setup.fetched.length - before).toBe(point === 'fetch' ? 2 : 1);

      // The first process continues, and stores nothing a second time.
      setup.app.clock.advance(60_000);
      await work(setup.app);
      expect(await setup.jobs(candidate)).toEqual([{ state: 'done', failures: 0, claim_no: 2 }]);
      await live(setup.app, 2 * WINDOW_MS);
      expect(await candidate.replies()).toHaveLength(1);
      const rows = await setup.app.sql<{ n: number }>(
        `select r.n from llm_request r join message m on r.subject = 'voice:' || m.id
         where m.conversation_id = $1`,
        [candidate.id],
      );
      expect(rows).toEqual([{ n: 1 }]);
    },
  );

  test('repeated too often ends with an attention item, without a request', async () => {
    const candidate = await newCandidate(setup.app);
    const { messageId } = await setup.send(candidate);
    await setup.app.sql(
      `update job set state = 'running', claim_no = 10, claims_without_progress = 10, due_at = $2
       where queue = 'transcribe' and key = $1`,
      [messageId, setup.app.clock.now()],
    );
    await work(setup.app);
    expect(await setup.attempts(candidate)).toEqual([]);
    expect(await setup.jobs(candidate)).toMatchObject([{ state: 'dead' }]);
    await setup.expectGivenUp(candidate, 'failed', EN.voiceNotHeard);
  });
});

test('a drain hands the voice back, and another process transcribes it', async () => {
  const leaving = await setup.another();
  const candidate = await newCandidate(setup.app);
  setup.model.transcriptions.hold();
  const asked = setup.model.transcriptions.requests.length;
  await setup.speak(candidate);
  await leaving.worker.tick();
  await setup.model.transcriptions.request(asked + 1);

  expect(await leaving.worker.handBack()).toBe(1);
  setup.model.transcriptions.release();
  await work(setup.app);

  expect(await setup.attempts(candidate)).toEqual(['aborted', 'ok']);
  expect(await setup.jobs(candidate)).toMatchObject([{ state: 'done', failures: 0 }]);
  await live(setup.app, 2 * WINDOW_MS);
  expect(await candidate.replies()).toHaveLength(1);
});

test('keeps a transcript in memory while the database is busy, and requests it once', async () => {
  const { app } = setup;
  const candidate = await newCandidate(setup.app);
  setup.model.transcriptions.hold();
  const asked = setup.model.transcriptions.requests.length;
  await setup.speak(candidate);
  await app.worker.tick();
  await setup.model.transcriptions.request(asked + 1);
  const lock = jest.spyOn(app.get(ConversationRepository), 'lock');
  lock.mockRejectedValueOnce(new DatabaseBusyError('somebody holds the conversation'));
  setup.model.transcriptions.release();
  await inTime(setup.app, settled(app));
  lock.mockRestore();

  expect(await setup.attempts(candidate)).toEqual(['ok']);
  expect(await setup.jobs(candidate)).toEqual([{ state: 'done', failures: 0, claim_no: 1 }]);
  expect(await setup.voices(candidate)).toMatchObject([{ state: 'heard' }]);
});

test('holds no connection during a fetch or a transcription (I6)', async () => {
  const candidate = await newCandidate(setup.app);
  const pool = setup.app.get(DataSource).driver as unknown as {
    master: { totalCount: number; idleCount: number };
  };
  const held = (): number => pool.master.totalCount - pool.master.idleCount;
  setup.model.transcriptions.hold();
  const asked = setup.model.transcriptions.requests.length;
  await setup.speak(candidate, onTelegram());
  await setup.app.worker.tick();
  await setup.model.transcriptions.request(asked + 1);
  // Other work of that pass may still release its connection.
  await untilInProcess('no job is held', () => held() === 0);
  expect(setup.model.transcriptions.requests).toHaveLength(asked + 1);
  setup.model.transcriptions.release();
  await settled(setup.app);
});
