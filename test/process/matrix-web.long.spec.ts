import { TestCandidate } from '../support/candidate';
import { repliesOf } from '../support/outside';
import { until } from '../support/until';
import { streamCalls } from '../../tools/fake-model/tool-replies';
import { ANSWER, HALF, HEARD, QUESTION, SEARCHED, heldReply, letPeersGo } from './matrix-points';
import { Deployment, type Replica } from './deployment';

jest.setTimeout(120_000);

/** Where an answer from the web page can be, in the order of matrix-points.ts. */
const POINTS = {
  'in the reply after a search': async (deployment: Deployment, candidate: TestCandidate) => {
    const asked = deployment.model.requests.length;
    deployment.model.next(streamCalls(['search_knowledge', { query: QUESTION }]), heldReply());
    await answer(deployment, candidate, QUESTION);
    await deployment.model.request(asked + 2);
  },
  'in retrieval': async (deployment: Deployment, candidate: TestCandidate) => {
    const { embeddings } = deployment.model;
    const asked = embeddings.requests.length;
    embeddings.hold();
    deployment.model.next(streamCalls(['search_knowledge', { query: QUESTION }]));
    await answer(deployment, candidate, QUESTION);
    await embeddings.request(asked + 1);
  },
  'in the model stream': async (deployment: Deployment, candidate: TestCandidate) => {
    const asked = deployment.model.requests.length;
    deployment.model.next(HALF);
    await answer(deployment, candidate, ANSWER);
    await deployment.model.request(asked + 1);
  },
  'in transcription': async ({ model }: Deployment, candidate: TestCandidate) => {
    const asked = model.transcriptions.requests.length;
    model.transcriptions.hold();
    expect((await speak(candidate)).status).toBe(202);
    await model.transcriptions.request(asked + 1);
  },
  'in the debounce window': async (_stage: Deployment, candidate: TestCandidate) => {
    expect((await candidate.send('a', ANSWER)).status).toBe(202);
  },
};
type Point = keyof typeof POINTS;
const ALL = Object.keys(POINTS) as Point[];
const IN_WORK = ['in the reply after a search', 'in retrieval', 'in the model stream'] as const;

async function answer(
  deployment: Deployment,
  candidate: TestCandidate,
  text: string,
): Promise<void> {
  expect((await candidate.send('a', text)).status).toBe(202);
  await deployment.endWindows(candidate.conversationId);
}

function speak({ app, headers }: TestCandidate): Promise<Response> {
  return fetch(`${app.url}/api/v1/conversation/voice?id=a&duration=3`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'audio/webm' },
    body: Buffer.from('a voice'),
  });
}

/** One candidate at each point of a process. */
async function begin(deployment: Deployment, replica: Replica): Promise<Map<Point, TestCandidate>> {
  const candidates = new Map<Point, TestCandidate>();
  for (const point of ALL) {
    const candidate = await TestCandidate.begin(replica.server.host);
    candidates.set(point, candidate);
    await POINTS[point](deployment, candidate);
  }
  return candidates;
}

let deployment: Deployment;
let candidates: Map<Point, TestCandidate>;

function candidateAt(point: Point): TestCandidate {
  const candidate = candidates.get(point);
  if (candidate === undefined) throw new Error(`no candidate is ${point}`);
  return candidate;
}

function repliesAt(point: Point): Promise<string[]> {
  return repliesOf(deployment.databaseUrl, candidateAt(point).conversationId);
}

/** The candidate's messages in the transcript; a voice without a transcript is empty. */
async function textsAt(point: Point): Promise<string[]> {
  const rows = await deployment.sql<{ text: string }>(
    `select text from message where conversation_id = $1 and role = 'user' order by seq`,
    [candidateAt(point).conversationId],
  );
  return rows.map(({ text }) => text);
}

/** Ends all quiet times and waits until this process has replied to every candidate. */
async function goOnAt(next: Replica): Promise<void> {
  const { host } = next.server;
  await until('the voice is transcribed', async () =>
    (await textsAt('in transcription')).includes(HEARD),
  );
  await deployment.endWindows();
  for (const candidate of candidates.values()) {
    await candidate
      .at(host)
      .waitFor(
        ({ interviewStep, replying, hasBuffer }) => interviewStep > 0 && !replying && !hasBuffer,
      );
  }
}

async function expectOneReply(point: Point): Promise<void> {
  const [reply, ...more] = await repliesAt(point);
  const texts = {
    'in transcription': HEARD,
    'in the reply after a search': QUESTION,
    'in retrieval': QUESTION,
  };
  expect(reply).toMatch(
    SEARCHED.includes(point)
      ? /would rather not guess/
      : /reply, and the rest of it|Noted, thank you/,
  );
  expect(more).toEqual([]);
  expect(await textsAt(point)).toEqual([
    (texts as Partial<Record<Point, string>>)[point] ?? ANSWER,
  ]);
}

describe('SIGTERM with candidates on the page', () => {
  let code: number | string;
  const before = new Map<Point, number>();

  beforeAll(async () => {
    deployment = await Deployment.open('polling');
    const first = await deployment.serveFirst();
    candidates = await begin(deployment, first);
    first.server.signal('SIGTERM');
    await first.server.told('shutting down after SIGTERM');
    await letPeersGo(deployment);
    code = await first.server.exited;
    for (const point of ALL) before.set(point, (await repliesAt(point)).length);
    expect(await textsAt('in transcription')).toEqual([HEARD]);
    const next = await deployment.serve();
    await goOnAt(next);
    expect([await next.server.stop(), first.server.err]).toEqual([0, '']);
  });
  afterAll(() => deployment.close());

  test('finishes running work, transcribes voices, and leaves collected answers', () => {
    expect(code).toBe(0);
    for (const point of ALL) {
      expect([point, before.get(point)]).toEqual([
        point,
        (IN_WORK as readonly Point[]).includes(point) ? 1 : 0,
      ]);
    }
  });

  test.each(ALL)('%s: in the end there is one reply to one message', expectOneReply);
});

describe('kill -9 with candidates on the page', () => {
  const LEASE = { JOB_LEASE: '1.5' };
  const RESENT = 'sent twice, stored once';
  let unacknowledged: TestCandidate;

  beforeAll(async () => {
    deployment = await Deployment.open('polling');
    const first = await deployment.serveFirst(LEASE);
    candidates = await begin(deployment, first);
    unacknowledged = await TestCandidate.begin(first.server.host);
    const survivor = await deployment.serve(LEASE);
    await deployment.gatekeeper.closeConversation(unacknowledged.conversationId);
    const lost = unacknowledged.send('b', RESENT).catch(() => 'cut' as const);
    await deployment.gatekeeper.isRowWaitedFor();
    first.server.signal('SIGKILL');
    await first.server.exited;
    await letPeersGo(deployment);
    expect(await lost).toBe('cut');
    const { host } = survivor.server;
    expect((await unacknowledged.at(host).send('b', RESENT)).status).toBe(202);
    await goOnAt(survivor);
    expect([await survivor.server.stop(), survivor.server.err]).toEqual([0, '']);
  });
  afterAll(() => deployment.close());

  test.each(ALL)('%s: in the end there is one reply to one message', expectOneReply);

  test.each(ALL)(
    '%s: there is one request, and each call of the model that it needs succeeded once',
    async (point) => {
      const { conversationId } = candidateAt(point);
      const outcomes = await deployment.outcomes(conversationId, 'interview');
      const calls = SEARCHED.includes(point) ? 2 : 1;
      expect(outcomes.filter((outcome) => outcome === 'ok')).toHaveLength(calls);
      expect(await deployment.interviewRequests(conversationId)).toBe(1);
    },
  );

  test('a message is not acknowledged before its commit, and is stored once when it is sent again', async () => {
    const stored = await deployment.sql(
      `select 1 from message where conversation_id = $1 and role = 'user'`,
      [unacknowledged.conversationId],
    );
    expect(stored).toHaveLength(1);
    expect(await repliesOf(deployment.databaseUrl, unacknowledged.conversationId)).toHaveLength(1);
  });
});
