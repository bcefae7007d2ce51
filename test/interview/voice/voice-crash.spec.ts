import { DataSource } from 'typeorm';
import { DatabaseBusyError } from '../../../src/common/uow';
import { textsOf } from '../../../src/interview/texts/texts';
import { ConversationRepository } from '../../../src/interview/conversation.repository';
import { until, turnOfLoop } from '../../support/model-calls';
import { VoiceStage, onTelegram } from './voice-stage';
import { WINDOW_MS, LEASE_MS, work, settled, live, inTime } from '../interview-fixture';
import { newCandidate } from '../turn-candidate';

const EN = textsOf('en');
let stage: VoiceStage;

beforeAll(async () => {
  stage = await VoiceStage.open({ env: { OPENAI_TRANSCRIPTION_TIMEOUT: '600' } });
});

afterAll(() => stage.close());

describe('a crash', () => {
  test.each(['fetch', 'request'] as const)(
    'during the %s leaves the voice to another process, which continues from the last commit',
    async (point) => {
      const other = await stage.another();
      const candidate = await newCandidate(stage.app);
      const before = stage.fetched.length;
      if (point === 'fetch') stage.next(new Promise<never>(() => undefined));
      else stage.model.transcriptions.hold();
      const asked = stage.model.transcriptions.requests.length;
      await stage.send(candidate, onTelegram());
      await stage.app.worker.tick();
      if (point === 'request') await stage.model.transcriptions.request(asked + 1);
      else while (stage.fetched.length === before) await turnOfLoop();
      stage.app.clock.advance(LEASE_MS);
      const taken = work(other);
      if (point === 'request') await stage.model.transcriptions.request(asked + 2);
      stage.model.transcriptions.release();
      await taken;
      expect(await stage.voices(candidate)).toMatchObject([{ state: 'heard' }]);
      expect(stage.fetched.length - before).toBe(point === 'fetch' ? 2 : 1);

      // The first process continues, and stores nothing a second time.
      stage.app.clock.advance(60_000);
      await work(stage.app);
      expect(await stage.jobs(candidate)).toEqual([{ state: 'done', failures: 0, claim_no: 2 }]);
      await live(stage.app, 2 * WINDOW_MS);
      expect(await candidate.replies()).toHaveLength(1);
      const rows = await stage.app.sql<{ n: number }>(
        `select r.n from llm_request r join message m on r.flush_id = 'voice:' || m.id
         where m.conversation_id = $1`,
        [candidate.id],
      );
      expect(rows).toEqual([{ n: 1 }]);
    },
  );

  test('repeated too often ends with an attention item, without a request', async () => {
    const candidate = await newCandidate(stage.app);
    const { messageId } = await stage.send(candidate);
    await stage.app.sql(
      `update job set state = 'running', claim_no = 10, claims_without_progress = 10, due_at = $2
       where queue = 'transcribe' and key = $1`,
      [messageId, stage.app.clock.now()],
    );
    await work(stage.app);
    expect(await stage.attempts(candidate)).toEqual([]);
    expect(await stage.jobs(candidate)).toMatchObject([{ state: 'dead' }]);
    await stage.expectGivenUp(candidate, 'failed', EN.voiceNotHeard);
  });
});

test('a drain hands the voice back, and another process transcribes it', async () => {
  const leaving = await stage.another();
  const candidate = await newCandidate(stage.app);
  stage.model.transcriptions.hold();
  const asked = stage.model.transcriptions.requests.length;
  await stage.speak(candidate);
  await leaving.worker.tick();
  await stage.model.transcriptions.request(asked + 1);

  expect(await leaving.worker.handBack()).toBe(1);
  stage.model.transcriptions.release();
  await work(stage.app);

  expect(await stage.attempts(candidate)).toEqual(['aborted', 'ok']);
  expect(await stage.jobs(candidate)).toMatchObject([{ state: 'done', failures: 0 }]);
  await live(stage.app, 2 * WINDOW_MS);
  expect(await candidate.replies()).toHaveLength(1);
});

test('keeps a transcript in memory while the database is busy, and requests it once', async () => {
  const { app } = stage;
  const candidate = await newCandidate(stage.app);
  stage.model.transcriptions.hold();
  const asked = stage.model.transcriptions.requests.length;
  await stage.speak(candidate);
  await app.worker.tick();
  await stage.model.transcriptions.request(asked + 1);
  const lock = jest.spyOn(app.get(ConversationRepository), 'lock');
  lock.mockRejectedValueOnce(new DatabaseBusyError('somebody holds the conversation'));
  stage.model.transcriptions.release();
  await inTime(stage.app, settled(app));
  lock.mockRestore();

  expect(await stage.attempts(candidate)).toEqual(['ok']);
  expect(await stage.jobs(candidate)).toEqual([{ state: 'done', failures: 0, claim_no: 1 }]);
  expect(await stage.voices(candidate)).toMatchObject([{ state: 'heard' }]);
});

test('holds no connection during a fetch or a transcription (I6)', async () => {
  const candidate = await newCandidate(stage.app);
  const pool = stage.app.get(DataSource).driver as unknown as {
    master: { totalCount: number; idleCount: number };
  };
  const held = (): number => pool.master.totalCount - pool.master.idleCount;
  stage.model.transcriptions.hold();
  const asked = stage.model.transcriptions.requests.length;
  await stage.speak(candidate, onTelegram());
  await stage.app.worker.tick();
  await stage.model.transcriptions.request(asked + 1);
  // Other work of that pass may still release its connection.
  await until(() => held() === 0);
  expect(stage.model.transcriptions.requests).toHaveLength(asked + 1);
  stage.model.transcriptions.release();
  await settled(stage.app);
});
