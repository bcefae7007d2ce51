import { Metrics } from '../../../src/common/metrics';
import { CandidateRepository } from '../../../src/candidates';
import {
  InvitationRepository,
  OpenLinkLimits,
  PinHasher,
  VacancyRepository,
  withInvitationSecrets,
} from '../../../src/vacancies';
import { FakeClock } from '../../../tools/support/fake-clock';
import { PDF } from '../../support/sent-files';
import { type TestApp, startReplica, startTestApp } from '../../support/app';
import { TestCandidate } from '../../support/candidate';
import { settingsForTests } from '../../support/settings';
import { vacancyDraft } from '../../support/vacancies';

const CAPS = {
  OPEN_LINK_INTERVIEWS_PER_10_MINUTES: '3',
  OPEN_LINK_INTERVIEWS_PER_DAY: '5',
  OPEN_LINK_UPLOAD_MB_PER_10_MINUTES: '1',
  OPEN_LINK_UPLOAD_MB_PER_DAY: '2',
};
const MINUTE_MS = 60_000;
/** A PDF of almost half a megabyte. */
const LARGE = Buffer.concat([PDF, Buffer.alloc(524_000, ' ')]);

let app: TestApp;

afterEach(() => app.close());

const start = async (env: Record<string, string> = CAPS): Promise<void> => {
  app = await startTestApp({ isWorking: false, clock: 'fake', env });
};

interface Opened {
  readonly status: number;
  readonly code: string | undefined;
  readonly retryAfterS: number;
}

async function open(of = app, invite = of.vacancy.openToken): Promise<Opened> {
  const response = await fetch(`${of.url}/api/v1/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ invite }),
  });
  const { code } = (await response.json()) as { code?: string };
  return {
    status: response.status,
    code,
    retryAfterS: Number(response.headers.get('retry-after')),
  };
}

async function opened(times: number): Promise<number[]> {
  const statuses: number[] = [];
  for (let n = 0; n < times; n += 1) statuses.push((await open()).status);
  return statuses;
}

/** The token of a new person's invitation to the application's vacancy. */
function invite(): Promise<string> {
  return withInvitationSecrets(app.get(PinHasher), (secrets) =>
    app.commit(async (tx) => {
      const { id } = await app.get(CandidateRepository).create(tx);
      const invitation = { vacancyId: app.vacancy.id, candidateId: id, secrets };
      await app.get(InvitationRepository).issue(tx, invitation);
      return secrets.token;
    }),
  );
}

async function items(): Promise<unknown[]> {
  await app.get(OpenLinkLimits).sweep();
  return app.sql(
    `select kind, reason, closed_by from attention where subject like 'open-link:%' order by id`,
  );
}

async function uploaded(candidate: TestCandidate, id: string): Promise<Opened> {
  const response = await candidate.attach(id, LARGE, { name: 'cv.pdf' });
  const { code } = (await response.json()) as { code?: string };
  return {
    status: response.status,
    code,
    retryAfterS: Number(response.headers.get('retry-after')),
  };
}

describe('an open link', () => {
  test('begins no more interviews in ten minutes and in a day than its caps, and says when', async () => {
    await start();

    expect(await opened(3)).toEqual([201, 201, 201]);
    const refused = await open();
    expect(refused).toMatchObject({ status: 429, code: 'open_link_full' });
    expect(refused.retryAfterS).toBeGreaterThan(8 * 60);
    expect(refused.retryAfterS).toBeLessThanOrEqual(10 * 60);

    app.clock.advance(11 * MINUTE_MS);
    expect(await opened(3)).toEqual([201, 201, 429]);
    expect((await open()).retryAfterS).toBeGreaterThan(23 * 3600);
    app.clock.advance(23 * 60 * MINUTE_MS);
    expect((await open()).status).toBe(429);
    app.clock.advance(61 * MINUTE_MS);
    expect(await opened(1)).toEqual([201]);
  });

  test('that is full goes on with what has begun, and other links and invitations begin', async () => {
    await start();
    const running = await TestCandidate.begin(app);
    await opened(5);
    const { vacancy: other } = await app.commit((tx) =>
      app.get(VacancyRepository).upsert(tx, vacancyDraft({ slug: 'another-one' })),
    );

    expect((await open()).status).toBe(429);
    expect((await open(app, other.openToken)).status).toBe(201);
    expect((await running.send('m1', 'I bake rye.')).status).toBe(202);
    expect((await uploaded(running, 'f1')).status).toBe(202);
    // The browser's own session is not a new interview.
    const again = await fetch(`${app.url}/api/v1/sessions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${running.token}` },
      body: JSON.stringify({ invite: app.vacancy.openToken }),
    });
    expect([200, 429]).toContain(again.status);
    expect((await running.view()).status).toBe('active');
  });

  test('counts for all replicas together, and overshoots by no more than begins at once', async () => {
    await start({
      ...CAPS,
      OPEN_LINK_INTERVIEWS_PER_10_MINUTES: '10',
      OPEN_LINK_INTERVIEWS_PER_DAY: '10',
    });
    const replica = await startReplica(app);

    const all = await Promise.all(
      Array.from({ length: 120 }, (_, n) => open(n % 2 === 0 ? app : replica)),
    );

    const begun = all.filter(({ status }) => status === 201).length;
    expect(begun).toBeGreaterThanOrEqual(10);
    // Two pools of six connections.
    expect(begun).toBeLessThanOrEqual(10 + 12);
    const [row] = await app.sql<{ count: number }>(
      'select count(*)::int as count from conversation',
    );
    expect(row?.count).toBe(begun);
    expect((await open(replica)).status).toBe(429);
  });

  test('an interview that is erased does not make room for another one', async () => {
    await start();
    await opened(3);
    await app.sql('delete from candidate');

    expect((await open()).status).toBe(429);
  });

  test('stores no more uploads than its caps; text goes on, and the same upload again is found', async () => {
    await start();
    const [one, two] = [await TestCandidate.begin(app), await TestCandidate.begin(app)];

    expect((await uploaded(one, 'f1')).status).toBe(202);
    expect((await uploaded(two, 'f1')).status).toBe(202);
    expect((await uploaded(one, 'f2')).status).toBe(202);
    const refused = await uploaded(two, 'f2');
    expect(refused).toMatchObject({ status: 429, code: 'uploads_full' });
    expect(refused.retryAfterS).toBeGreaterThan(8 * 60);
    expect((await uploaded(one, 'f1')).status).toBe(202);
    expect((await two.send('m1', 'I bake rye.')).status).toBe(202);

    app.clock.advance(11 * MINUTE_MS);
    expect((await uploaded(two, 'f2')).status).toBe(202);
    expect((await uploaded(two, 'f3')).status).toBe(202);
    const ofDay = await uploaded(two, 'f4');
    expect(ofDay).toMatchObject({ status: 429, code: 'uploads_full' });
    expect(ofDay.retryAfterS).toBeGreaterThan(20 * 3600);
  });

  test('neither limits nor counts interviews and uploads of personal invitations', async () => {
    await start();
    const invited: TestCandidate[] = [];
    for (let n = 0; n < 4; n += 1) {
      invited.push(
        await TestCandidate.begin({ url: app.url, vacancy: { openToken: await invite() } }),
      );
    }

    // Four interviews and eight uploads: more than the caps of the open link.
    for (const candidate of invited) {
      expect((await uploaded(candidate, 'f1')).status).toBe(202);
      expect((await uploaded(candidate, 'f2')).status).toBe(202);
    }
    expect(await opened(4)).toEqual([201, 201, 201, 429]);
    const [use] = await app.sql('select sum(upload_bytes)::int as bytes from open_link_use');
    expect(use).toEqual({ bytes: 0 });
  });

  test('that has stored too much refuses uploads of its own interviews only', async () => {
    await start();
    const own = await TestCandidate.begin(app);
    const guest = await TestCandidate.begin({
      url: app.url,
      vacancy: { openToken: await invite() },
    });
    for (const id of ['f1', 'f2', 'f3']) await uploaded(own, id);

    expect((await uploaded(own, 'f4')).status).toBe(429);
    expect((await uploaded(guest, 'f1')).status).toBe(202);
  });

  test('that is full is one item for the team, which closes by itself', async () => {
    await start();
    expect(await items()).toEqual([]);
    await opened(5);

    await items();
    const reason = expect.stringContaining('OPEN_LINK_INTERVIEWS_PER_10_MINUTES') as string;
    expect(await items()).toEqual([{ kind: 'full', reason, closed_by: null }]);
    app.clock.advance(11 * MINUTE_MS);
    expect(await items()).toEqual([{ kind: 'full', reason, closed_by: 'colloquy' }]);
    app.clock.advance(27 * 60 * MINUTE_MS);
    await items();
    expect(await app.sql('select * from open_link_use')).toEqual([]);
  });

  test('is counted in a metric when it refuses', async () => {
    await start();
    await opened(5);

    const metrics = await (await fetch(`${app.url}/metrics`)).text();
    expect(metrics).toContain('colloquy_open_link_refusals_total{reason="interviews"} 2');
  });
});

test('by default, a burst of 597 interviews is refused from the 301st on', async () => {
  await start({});
  const statuses: number[] = [];
  for (let n = 0; n < 310; n += 1) statuses.push((await open()).status);

  expect(statuses.indexOf(429)).toBe(300);
});

describe('the disk of the embedded database', () => {
  const INVITED = { vacancyId: 'v', invitationId: 'i' };
  const NO_USE = { burstInterviews: 0, dayInterviews: 0, burstBytes: 0, dayBytes: 0 };

  function limitsWith(env: Record<string, string>): OpenLinkLimits {
    const uses = { of: () => Promise.resolve(NO_USE), add: () => Promise.resolve() };
    return new OpenLinkLimits(
      settingsForTests({ DATABASE_URL: '', COLLOQUY_DATA_DIR: '.', ...env }),
      new FakeClock(),
      uses as never,
      {} as never,
      {} as never,
      new Metrics(),
    );
  }

  test('that is nearly full takes no upload of anybody and begins no interview of an open link', async () => {
    const limits = limitsWith({ DISK_RESERVE_MB: '10000000' });

    expect(await limits.uploadRefusal({} as never, INVITED)).toMatchObject({
      code: 'uploads_full',
      fields: { retryAfterS: 60 },
    });
    await expect(limits.countInterview({} as never, 'v')).rejects.toMatchObject({
      code: 'open_link_full',
      fields: { retryAfterS: 60 },
    });
  });

  test.each([
    [{ DISK_RESERVE_MB: '0' }],
    [{ DISK_RESERVE_MB: '10000000', DATABASE_URL: 'postgres://db.example/colloquy' }],
    [{ DISK_RESERVE_MB: '10000000', COLLOQUY_DATA_DIR: '/does/not/exist' }],
  ])('stops nothing with %j', async (env) => {
    const limits = limitsWith(env);

    expect(await limits.uploadRefusal({} as never, INVITED)).toBeNull();
    await expect(limits.countInterview({} as never, 'v')).resolves.toBeUndefined();
  });
});
