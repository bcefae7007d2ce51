import { ALL_POINTS, COLLECTED, HEARD, IN_WORK, type Point, VOICES } from './matrix-points';
import { LATE, Shutdown, seenOf } from './matrix-shutdown';
import { Deployment } from './deployment';

jest.setTimeout(120_000);

const MODES = ['polling', 'webhook'] as const;

let deployment: Deployment;
let shutdown: Shutdown;

describe.each(MODES)('SIGTERM with updates by %s and SHUTDOWN_PENDING=keep:', (mode) => {
  let nextCode: number | string;

  beforeAll(async () => {
    deployment = await Deployment.open(mode);
    shutdown = await Shutdown.prepare(deployment, ALL_POINTS);
    await shutdown.end(() => shutdown.typingGoesOn(shutdown.person('in the model stream')));
    const next = await deployment.serve();
    deployment.balancer.leadTo(next.port);
    await shutdown.late.untilStored(LATE);
    await deployment.endWindows();
    for (const person of [...shutdown.everybody, shutdown.late]) await person.untilReplied();
    nextCode = await next.server.stop();
  });

  afterAll(() => deployment.close());

  test('the process exits 0 without an error line, and so does the next one', () => {
    expect([shutdown.code, shutdown.errors, nextCode]).toEqual([0, '', 0]);
  });

  test('meanwhile it is live and not ready, serves metrics, and refuses pushed updates', () => {
    expect(shutdown.probes).toEqual({
      live: 200,
      ready: 503,
      metrics: 200,
      pushed: { status: 503, retryAfter: '1' },
    });
  });

  test.each(IN_WORK)('%s: finished and delivered before the end', (point) => {
    expect(shutdown.before.get(point)).toMatchObject({ withoutReply: 1 });
    expect(shutdown.atEnd.get(point)).toMatchObject({ replies: [1], withoutReply: 0 });
  });

  test.each(VOICES)(
    '%s: transcribed and repeated in the chat before the end; the next process replies',
    async (point) => {
      const { heard } = shutdown.person(point);
      expect(shutdown.before.get(point)).toMatchObject({ texts: [''], replies: [] });
      expect(shutdown.atEnd.get(point)).toMatchObject({
        texts: [HEARD],
        replies: [],
        withoutReply: 1,
      });
      expect(heard.filter((text) => text.includes(HEARD))).toHaveLength(1);
      expect(await shutdown.person(point).outcomes('transcribe')).toEqual(['ok']);
    },
  );

  test.each(COLLECTED)('%s: its due time is kept, and the next process replies', (point) => {
    const [before, atEnd] = [shutdown.before.get(point), shutdown.atEnd.get(point)];
    expect(atEnd).toMatchObject({ replies: [], withoutReply: 1 });
    expect(atEnd?.dueAt?.getTime()).toBeGreaterThan(Date.now());
    const wasStored = point !== 'before the commit of an update';
    if (wasStored) expect(atEnd?.dueAt).toEqual(before?.dueAt);
  });

  test('a command that is being handled gets one reply, before the end', () => {
    const { heard } = shutdown.person('in the reply to a command');
    expect(heard.filter((text) => text.includes('/mydata'))).toHaveLength(1);
  });

  test('a message after SIGTERM stays with Telegram, and the next process replies to it', async () => {
    const statuses = deployment.telegram.webhookAttempts.map(({ status }) => status);

    expect(shutdown.pending).toContain(LATE);
    expect(statuses.includes(503)).toBe(mode === 'webhook');
    expect(await seenOf(shutdown.late)).toMatchObject({ texts: [LATE], replies: [1] });
  });

  test.each(ALL_POINTS)(
    '%s: in the end there is one message, one request and one reply',
    async (point) => {
      const person = shutdown.person(point);
      const isVoice = (VOICES as readonly Point[]).includes(point);
      expect(await seenOf(person)).toMatchObject({
        texts: isVoice ? [HEARD] : person.said,
        replies: [1],
        withoutReply: 0,
      });
      expect(await person.interviewRequests()).toBe(1);
      expect(new Set(await person.outcomes('interview'))).toEqual(new Set(['ok']));
    },
  );

  test('no call violates the Bot API', () => {
    expect(deployment.telegram.journal.violations).toEqual([]);
  });
});

describe.each(MODES)('SIGTERM with updates by %s and SHUTDOWN_PENDING=flush:', (mode) => {
  beforeAll(async () => {
    deployment = await Deployment.open(mode);
    const points = ['in the model stream', ...COLLECTED] as const;
    shutdown = await Shutdown.prepare(deployment, points, { SHUTDOWN_PENDING: 'flush' });
    await shutdown.person('in the model stream').sends('And one thing more.');
    await shutdown.end();
  });

  afterAll(() => deployment.close());

  test.each(COLLECTED)('%s: gets its reply before the end', async (point) => {
    expect(shutdown.atEnd.get(point)).toMatchObject({ replies: [1], withoutReply: 0 });
    expect(await shutdown.person(point).outcomes('interview')).toEqual(['ok']);
  });

  test('a message during a reply gets its reply too', () => {
    const { replies, withoutReply } = shutdown.atEnd.get('in the model stream') ?? {};
    expect({ replies, withoutReply }).toEqual({ replies: [1, 1], withoutReply: 0 });
  });

  test('the process does not wait for a message that comes after SIGTERM', () => {
    expect([shutdown.code, shutdown.errors]).toEqual([0, '']);
    expect(shutdown.pending).toContain(LATE);
  });
});
