import { CandidateRepository, ContinuationRepository } from '../../../src/candidates';
import {
  InvitationRepository,
  PinHasher,
  type PersonalInvite,
  withInvitationSecrets,
} from '../../../src/vacancies';
import {
  ContinuationLinks,
  MetadataService,
  InterviewService,
  InterviewStart,
} from '../../../src/interview';
import { SCRIPT_VERSION } from '../../../src/interview/texts/disclosure';
import { type TestApp, startReplica, startTestApp } from '../../support/app';
import { TestCandidate } from '../../support/candidate';
import { FakeClock } from '../../../tools/support/fake-clock';

const DAY_MS = 24 * 3_600_000;
const PUBLIC_URL = 'https://jobs.example.org';
const TELEGRAM = { TELEGRAM_BOT_NAME: '@crumb_bot', PUBLIC_URL };

interface Begun {
  readonly status: number;
  readonly code?: string;
  readonly conversationId?: string;
  readonly sessionToken?: string;
  readonly cookie: string;
}

describe('an interview on two channels', () => {
  const clock = new FakeClock();
  let app: TestApp;
  let replica: TestApp;

  beforeAll(async () => {
    app = await startTestApp({ clock, isWorking: false, env: TELEGRAM });
    replica = await startReplica(app, { clock, isWorking: false, env: TELEGRAM });
  });

  afterAll(async () => {
    await replica.close();
    await app.close();
  });

  async function open(
    token: string,
    cookie = '',
    { at = app, mine }: { at?: TestApp; mine?: { version: string } } = {},
  ): Promise<Begun> {
    const response = await fetch(`${at.url}/api/v1/sessions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: at.url, cookie },
      body: JSON.stringify({ invite: token, mine }),
    });
    const cookies = response.headers.getSetCookie().map((one) => one.split(';')[0]);
    const body = (await response.json()) as Partial<Begun>;
    return { ...body, status: response.status, cookie: cookies.join('; ') };
  }

  /** The person confirms that the interview, which is open elsewhere, is theirs. */
  function claim(token: string, at = app): Promise<Begun> {
    return open(token, '', { at, mine: { version: SCRIPT_VERSION } });
  }

  function once({ signal }: AbortController): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      signal.addEventListener('abort', () => {
        resolve();
      });
    });
  }

  async function look(token: string): Promise<unknown> {
    return (await fetch(`${app.url}/api/v1/invites/${token}`)).json();
  }

  /** The secret of a link to the web page, as the bot gives it. */
  async function webLink(conversationId: string): Promise<string> {
    const links = app.get(ContinuationLinks);
    const link = await app.commit((tx) => links.continueOn(tx, conversationId, 'web'));
    const url = link?.url ?? '';
    expect(url).toMatch(/^https:\/\/jobs\.example\.org\/i\/[\w-]{32}$/);
    return url.slice(`${PUBLIC_URL}/i/`.length);
  }

  async function issue(): Promise<{ token: string; invite: PersonalInvite }> {
    const invitations = app.get(InvitationRepository);
    const candidates = app.get(CandidateRepository);
    const pinKeys = app.get(PinHasher);
    return withInvitationSecrets(pinKeys, (secrets) =>
      app.commit(async (tx) => {
        const { id: candidateId } = await candidates.create(tx);
        await invitations.issue(tx, { vacancyId: app.vacancy.id, candidateId, secrets });
        const invite = await invitations.findByToken(tx, secrets.token);
        if (invite.state === 'unknown' || invite.kind === 'open') throw new Error('not personal');
        return { token: secrets.token, invite };
      }),
    );
  }

  function metadataOf(conversationId: string): Promise<object> {
    const store = app.get(MetadataService);
    return app.commit((tx) => store.read(tx, conversationId));
  }

  test('continues in another browser by a link, with a session of its own', async () => {
    const one = await TestCandidate.arrive(app);
    const token = await webLink(one.conversationId);

    const looked = await look(token);
    const begun = await claim(token);
    const view = await fetch(`${app.url}/api/v1/conversation`, {
      headers: { cookie: begun.cookie },
    });

    expect(looked).toEqual({
      interviewer: 'script',
      kind: 'continuation',
      isPreview: false,
      language: 'en',
      company: 'Crumb',
      vacancyTitle: 'Baker',
      brand: { logo: null, accent: null },
      questions: 3,
      minutes: 5,
      state: 'open',
      disclosure: { version: SCRIPT_VERSION, text: expect.any(String) as string },
    });
    expect([begun.status, begun.conversationId]).toEqual([201, one.conversationId]);
    expect(begun.sessionToken).not.toBe(one.token);
    expect(await view.json()).toMatchObject({ id: one.conversationId });
    expect(await metadataOf(one.conversationId)).toMatchObject({ identifiedBy: 'continuation' });
  });

  test('opens for one of two browsers that use the link at once on two replicas', async () => {
    for (let race = 0; race < 5; race += 1) {
      const one = await TestCandidate.arrive(app);
      const token = await webLink(one.conversationId);

      const begun = await Promise.all([claim(token), claim(token, replica)]);

      expect(begun.map(({ status }) => status).sort()).toEqual([201, 410]);
      expect(begun.find(({ status }) => status === 410)?.code).toBe('continuation_used');
    }
  });

  test('opens again only in the browser that used the link', async () => {
    const one = await TestCandidate.arrive(app);
    const token = await webLink(one.conversationId);
    const begun = await claim(token);
    const other = await open((await issue()).token, begun.cookie);
    clock.advance(2 * DAY_MS);

    const back = await open(token, `${other.cookie}; ${begun.cookie}`);
    const foreign = await open(token, other.cookie);

    expect([back.status, back.conversationId]).toEqual([200, one.conversationId]);
    expect([foreign.status, foreign.code]).toEqual([410, 'continuation_used']);
    expect(await look(token)).toMatchObject({ kind: 'continuation', state: 'used' });
  });

  test('returns to the browser where it began, and the link is used up all the same', async () => {
    const begun = await open(app.vacancy.openToken);
    const token = await webLink(begun.conversationId ?? '');

    const back = await open(token, begun.cookie);

    expect([back.status, back.conversationId]).toEqual([200, begun.conversationId]);
    expect(await open(token)).toMatchObject({ status: 410, code: 'continuation_used' });
  });

  test('does not continue by an expired link', async () => {
    const one = await TestCandidate.arrive(app);
    const token = await webLink(one.conversationId);

    clock.advance(DAY_MS);

    expect(await open(token)).toMatchObject({ status: 410, code: 'continuation_expired' });
    expect(await look(token)).toMatchObject({ state: 'expired' });
  });

  test('continues in Telegram by a link that the web page refuses', async () => {
    const one = await TestCandidate.arrive(app);

    const response = await one.post('continuation');
    const { url, expiresAt } = (await response.json()) as { url: string; expiresAt: string };

    expect(response.status).toBe(201);
    const token = /^https:\/\/t\.me\/crumb_bot\?start=([\w-]{1,64})$/.exec(url)?.[1] ?? '';
    expect(expiresAt).toBe(new Date(clock.now().getTime() + DAY_MS).toISOString());
    expect(await open(token)).toMatchObject({ status: 404, code: 'invite_unknown' });
    const continuations = app.get(ContinuationRepository);
    await expect(app.commit((tx) => continuations.redeem(tx, token, 'telegram'))).resolves.toEqual({
      conversationId: one.conversationId,
    });
    expect(await one.view()).toMatchObject({ telegram: true });
  });

  test('offers no Telegram without a bot', async () => {
    const without = await startReplica(app, { clock, env: {}, isWorking: false });
    try {
      const one = await TestCandidate.arrive(without);

      const response = await one.post('continuation');

      expect(response.status).toBe(409);
      expect(await response.json()).toMatchObject({ code: 'channel_off' });
      expect(await one.view()).toMatchObject({ telegram: false });
    } finally {
      await without.close();
    }
  });

  test('requires a session for a link', async () => {
    const response = await fetch(`${app.url}/api/v1/conversation/continuation`, { method: 'POST' });

    expect(response.status).toBe(401);
  });

  test('is one conversation when its invitation is opened on both, at once', async () => {
    const { token, invite } = await issue();
    const starts = app.get(InterviewStart);
    const invitations = app.get(InvitationRepository);

    const [inTelegram, onWeb] = await Promise.all([
      app.commit(async (tx) => {
        const binding = await invitations.bind(tx, invite.invitation.id, 'telegram:1');
        const { id } = await starts.beginAs(tx, invite, { identifiedBy: 'link' });
        return { binding, id };
      }),
      open(token),
    ]);

    expect(inTelegram).toEqual({ binding: 'bound', id: onWeb.conversationId });
    expect((await claim(token)).conversationId).toBe(inTelegram.id);
  });

  test('locks the conversation first, both when it is used and when it is revoked', async () => {
    const candidate = await TestCandidate.begin(app);
    const token = await webLink(candidate.conversationId);
    const links = app.get(ContinuationLinks);
    const continuations = app.get(ContinuationRepository);
    const interviews = app.get(InterviewService);
    const tries = { revoking: 0, using: 0 };
    const [held, goOn] = [new AbortController(), new AbortController()];

    const revoking = app.commit(async (tx) => {
      tries.revoking += 1;
      await interviews.lock(tx, candidate.conversationId);
      held.abort();
      await once(goOn);
      await continuations.revokeOf(tx, [candidate.conversationId]);
    });
    await once(held);
    const using = replica.commit((tx) => {
      tries.using += 1;
      return links.redeem(tx, token, 'web');
    });
    await app.untilLockWait();
    goOn.abort();
    await revoking;

    expect(await using).toBe('unknown');
    expect(tries).toEqual({ revoking: 1, using: 1 });
  });
});
