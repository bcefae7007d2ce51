import { UnitOfWorkMetrics } from '../../../src/common/uow';
import { type TestApp, startTestApp } from '../../support/app';
import { TestCandidate } from '../../support/candidate';
import { FakeClock } from '../../../tools/support/fake-clock';
import { PDF } from '../../support/sent-files';

const OWN = '/api/v1/conversation';
const UPLOAD = Buffer.from(PDF);

/** A request as the page sends it, with the cookie of its session. */
interface Sent {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly body?: object | Buffer;
  readonly type?: string;
}

/** By the route of the API: what is sent to it, its status, and the labels of its commits. */
type Cases = Readonly<Record<string, readonly [Sent, number, readonly string[]]>>;

const get = (path: string): Sent => ({ method: 'GET', path });
const post = (path: string, body: object = {}): Sent => ({ method: 'POST', path, body });

/** In this order: each needs what the ones before it stored. */
const casesOf = ({ conversationId }: TestCandidate, version: string): Cases => ({
  'GET /api/v1/conversation': [get(OWN), 200, ['conversation.view']],
  'GET /api/v1/conversation/messages': [get(`${OWN}/messages`), 200, ['conversation.page']],
  'POST /api/v1/conversation/consent': [
    post(`${OWN}/consent`, { version, accepted: true }),
    200,
    ['conversation.consent'],
  ],
  'POST /api/v1/conversation/profile': [
    post(`${OWN}/profile`, { name: 'Ada', contact: 'ada@example.org' }),
    200,
    ['conversation.profile'],
  ],
  'POST /api/v1/conversation/messages': [
    post(`${OWN}/messages`, { id: 'm1', text: 'Rye.' }),
    202,
    ['buffer.append'],
  ],
  'GET /api/v1/conversation/receipt': [
    { method: 'GET', path: `${OWN}/receipt` },
    404,
    ['conversation.receipt'],
  ],
  'POST /api/v1/conversation/activity': [
    post(`${OWN}/activity`, { type: 'typing' }),
    204,
    ['buffer.activity'],
  ],
  'POST /api/v1/conversation/voice': [
    { ...post(`${OWN}/voice?id=v1`, UPLOAD), type: 'audio/webm' },
    202,
    ['voice.receive'],
  ],
  'POST /api/v1/conversation/messages/{id}/correction': [
    post(`${OWN}/messages/v1/correction`, { text: 'Wheat.' }),
    202,
    ['voice.correct'],
  ],
  'POST /api/v1/conversation/files': [
    { ...post(`${OWN}/files?id=f1&name=cv.pdf`, UPLOAD), type: 'application/pdf' },
    202,
    ['file.receive'],
  ],
  'POST /api/v1/conversation/done': [post(`${OWN}/done`), 202, ['buffer.finish']],
  'POST /api/v1/conversation/stop': [post(`${OWN}/stop`), 202, ['turn.stop']],
  'POST /api/v1/conversation/continue': [post(`${OWN}/continue`), 202, ['turn.continue']],
  'POST /api/v1/conversation/continuation': [
    post(`${OWN}/continuation`),
    409,
    ['conversation.continuation'],
  ],
  'POST /api/v1/conversation/human': [post(`${OWN}/human`), 202, ['conversation.hand_over']],
  'POST /api/v1/conversation/resume': [post(`${OWN}/resume`), 202, ['conversation.take_back']],
  'POST /api/chat/{id}/stop': [post(`/api/chat/${conversationId}/stop`), 202, ['chat.stop']],
  'POST /api/v1/conversation/withdraw': [post(`${OWN}/withdraw`), 202, ['conversation.withdraw']],
  'POST /api/v1/conversation/forget': [
    post(`${OWN}/forget`, { confirm: 'erase' }),
    204,
    ['personal.erase'],
  ],
});

/** Routes whose responses commit after the request: pages, parts of a file, events, a reply. */
const STREAMS = [
  'GET /api/v1/conversation/mydata',
  'GET /api/v1/conversation/files/{messageId}',
  'GET /api/v1/conversation/events',
  'POST /api/chat',
  'GET /api/chat/{id}/stream',
];

describe('a request with the cookie of a session that is known', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp({
      clock: new FakeClock(),
      isWorking: false,
      // Voices are accepted; no worker transcribes them here.
      env: {
        OPENAI_API_KEY: 'test',
        OPENAI_BASE_URL: 'http://127.0.0.1:9',
        OPENAI_TRANSCRIPTION_MODEL: 'w-1',
      },
    });
    // Their commits are not those of a request.
    await app.stopSweeps();
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  afterAll(() => app.close());

  async function statusOf(sent: Sent, token: string): Promise<number> {
    const { method, path, body, type = 'application/json' } = sent;
    const headers: Record<string, string> = {
      cookie: `colloquy_session=${token}`,
      'sec-fetch-site': 'same-origin',
      ...(body === undefined ? {} : { 'content-type': type }),
    };
    const bytes = Buffer.isBuffer(body) ? new Uint8Array(body) : JSON.stringify(body);
    const response = await fetch(`${app.url}${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: bytes }),
    });
    await response.arrayBuffer();
    return response.status;
  }

  /** Labels of all commits from now on, in one list. */
  function watchCommits(): string[] {
    const labels: string[] = [];
    const note = (label: string): void => void labels.push(label);
    jest.spyOn(UnitOfWorkMetrics.prototype, 'committed').mockImplementation(note);
    jest.spyOn(UnitOfWorkMetrics.prototype, 'rolledBack').mockImplementation(note);
    return labels;
  }

  test('costs one commit on every route', async () => {
    const candidate = await TestCandidate.begin(app);
    const { disclosure } = await candidate.view();
    const cases = casesOf(candidate, disclosure.version);
    const labels = watchCommits();

    const costs: Record<string, unknown> = {};
    for (const [route, [sent]] of Object.entries(cases)) {
      labels.length = 0;
      const status = await statusOf(sent, candidate.token);
      costs[route] = [status, [...labels]];
    }

    const expected = Object.entries(cases).map(([route, [, ...cost]]) => [route, cost] as const);
    expect(costs).toEqual(Object.fromEntries(expected));
  });

  test('that signs out costs one commit too', async () => {
    const candidate = await TestCandidate.begin(app);
    await candidate.view();
    const labels = watchCommits();

    const leaving: Sent = { method: 'DELETE', path: '/api/v1/sessions/current' };
    expect(await statusOf(leaving, candidate.token)).toBe(204);

    expect(labels).toEqual(['session.end']);
  });

  test('is tested for every route that needs a session', async () => {
    const { paths } = (await (await fetch(`${app.url}/docs/openapi.json`)).json()) as {
      paths: Record<string, Record<string, { security?: object[]; tags?: string[] }>>;
    };
    const ofSessions = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(
          ([, { security = [], tags = [] }]) =>
            security.length > 0 && tags.some((tag) => ['Candidate', 'AI SDK'].includes(tag)),
        )
        .map(([method]) => `${method.toUpperCase()} ${path}`),
    );

    const cases = casesOf(await TestCandidate.arrive(app), '1');
    const known = [...Object.keys(cases), ...STREAMS, 'DELETE /api/v1/sessions/current'];
    expect(ofSessions.sort()).toEqual(known.sort());
  });
});
