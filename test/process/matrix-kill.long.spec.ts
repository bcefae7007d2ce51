import {
  ALL_POINTS,
  COLLECTED,
  HEARD,
  IN_WORK,
  POINTS,
  type Point,
  VOICES,
  letPeersGo,
} from './matrix-points';
import { Shutdown, seenOf } from './matrix-shutdown';
import { Deployment, type Replica } from './deployment';
import { until } from '../support/until';

jest.setTimeout(120_000);

const UNCOMMITTED = 'before the commit of an update' satisfies Point;
/** Of the calls of the model where the kill cuts one; after a search only the reply is asked for again. */
const OUTCOMES: Partial<Record<Point, readonly string[]>> = {
  'in the reply after a search': ['ok', 'sent', 'ok'],
  'in retrieval': ['sent', 'ok', 'ok'],
  'in the model stream': ['sent', 'ok'],
};
const LEASE = { JOB_LEASE: '1.5' };
/** The process cannot know whether Telegram got the message, so it is sent once more. */
const UNKNOWN = 'in a delivery that has arrived' satisfies Point;

/**
 * These tests assert what the surviving process does, and that it does it once. They do not assert how
 * soon: that depends on the lease and on the machine.
 */
describe.each(['polling', 'webhook'] as const)('kill -9 with updates by %s:', (mode) => {
  let deployment: Deployment;
  let killed: Shutdown;
  let survivor: Replica;
  let survivorCode: number | string;

  beforeAll(async () => {
    deployment = await Deployment.open(mode);
    const points = ALL_POINTS.filter((point) => point !== UNCOMMITTED);
    killed = await Shutdown.prepare(deployment, [...points, UNCOMMITTED], LEASE, points);
    survivor = await deployment.serve(LEASE);
    deployment.balancer.leadTo(killed.replica.port, survivor.port);
    await POINTS[UNCOMMITTED](deployment, killed.person(UNCOMMITTED));
    await killed.kill();
    await letPeersGo(deployment);
    for (const point of IN_WORK) await killed.person(point).untilReplied();
    for (const point of COLLECTED) {
      const person = killed.person(point);
      for (const text of person.said) await person.untilStored(text);
    }
    for (const point of VOICES) await killed.person(point).untilStored(HEARD);
    await until('the reply to the command is sent', () => helpsIn(killed).length > 0);
    await deployment.endWindows();
    for (const person of killed.everybody) await person.untilReplied();
    survivorCode = await survivor.server.stop();
  });

  afterAll(() => deployment.close());

  test('the surviving process shuts down without an error afterwards', () => {
    expect([killed.code, survivorCode, survivor.server.err]).toEqual(['SIGKILL', 0, '']);
  });

  test.each(ALL_POINTS)(
    '%s: the survivor continues, and nothing is lost or sent twice',
    async (point) => {
      const person = killed.person(point);
      const isVoice = (VOICES as readonly Point[]).includes(point);

      expect(await seenOf(person)).toMatchObject({
        texts: isVoice ? [HEARD] : person.said,
        replies: [point === UNKNOWN ? 2 : 1],
        withoutReply: 0,
      });
    },
  );

  test.each(ALL_POINTS)(
    '%s: the ledger has one request, and each call of the model that it needs succeeded once',
    async (point) => {
      const person = killed.person(point);
      expect(await person.interviewRequests()).toBe(1);
      // On a busy machine the survivor can lose its short lease; it aborts the call then, and sends it again.
      const outcomes = (await person.outcomes('interview')).filter((one) => one !== 'aborted');
      expect(outcomes).toEqual(OUTCOMES[point] ?? ['ok']);
    },
  );

  test('during a transcription the audio is sent again; during a download it is sent once', async () => {
    expect(await killed.person('in transcription').outcomes('transcribe')).toEqual(['sent', 'ok']);
    expect(await killed.person('in the download of a voice').outcomes('transcribe')).toEqual([
      'ok',
    ]);
    for (const point of VOICES) {
      const { heard } = killed.person(point);
      expect(heard.filter((text) => text.includes(HEARD))).toHaveLength(1);
    }
  });

  test('a send with an unknown outcome is counted as such, and repeated once', async () => {
    const parts = await deployment.sql(
      `select state, unknowns, confirmed from delivery
       where conversation_id = $1 and turn_id is not null`,
      [killed.person(UNKNOWN).conversationId],
    );
    expect(parts).toEqual([{ state: 'sent', unknowns: 1, confirmed: true }]);
  });

  test('a reply to a command is sent once when the process is killed during the send', () => {
    expect(helpsIn(killed)).toHaveLength(1);
  });
});

function helpsIn(killed: Shutdown): string[] {
  const { heard } = killed.person('in the reply to a command');
  return heard.filter((text) => text.includes('/mydata'));
}
