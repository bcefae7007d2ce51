import { hashToken } from '../../../src/common/ids';
import { TestCandidate } from '../../support/candidate';
import { type TestApp, startTestApp } from '../../support/app';
import { EN, type Person, BOT, begunPerson, invite, newPerson } from './telegram-person';

interface Opened {
  readonly status: number;
  readonly code?: string;
  readonly conversationId?: string;
  readonly sessionToken?: string;
  readonly cookies: readonly string[];
}

interface Shown {
  readonly disclosure: { readonly version: string; readonly text: string } | null;
  readonly state: string;
}

/** A browser opens the link to an interview that somebody else has open. */
describe('a browser that opens a link of somebody else', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp(BOT);
  });

  afterAll(() => app.close());

  async function open(invite: string, version?: string, cookie = ''): Promise<Opened> {
    const response = await fetch(`${app.url}/api/v1/sessions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: app.url, cookie },
      body: JSON.stringify({ invite, ...(version === undefined ? {} : { mine: { version } }) }),
    });
    const cookies = response.headers.getSetCookie().map((one) => one.split(';')[0] ?? '');
    return { ...((await response.json()) as Opened), status: response.status, cookies };
  }

  async function look(link: string): Promise<Shown & { text: string }> {
    const text = await (await fetch(`${app.url}/api/v1/invites/${link}`)).text();
    return { ...(JSON.parse(text) as Shown), text };
  }

  /** All rows of a conversation, without the times at which its sessions were used. */
  async function everything(conversationId: string): Promise<string> {
    const rows = await app.sql(
      `select to_jsonb(c) as row from conversation c where id = $1
       union all select to_jsonb(p) from candidate p
         where id = (select candidate_id from conversation where id = $1)
       union all select to_jsonb(s) - 'seen_at' from web_session s where conversation_id = $1
       union all select to_jsonb(l) from continuation l where conversation_id = $1
       union all select to_jsonb(a) from account_conversation a where conversation_id = $1
       union all select to_jsonb(m) from message m where conversation_id = $1 order by 1`,
      [conversationId],
    );
    return JSON.stringify(rows);
  }

  async function consentedAt(conversationId: string): Promise<number> {
    const [row] = await app.sql<{ at: Date | null }>(
      'select consent_at as at from conversation where id = $1',
      [conversationId],
    );
    return row?.at?.getTime() ?? 0;
  }

  async function linkToWeb(person: Person): Promise<string> {
    await person.writes('/web');
    return /\/i\/([\w-]+)/.exec(person.lastHeard)?.[1] ?? '';
  }

  /** An interview in Telegram, and the link to it that its owner passes on. */
  async function fromTelegram(): Promise<{ link: string; conversationId: string }> {
    const mallory = await begunPerson(app, { first_name: 'Mallory', username: 'mallory' });
    await mallory.writes('What only Mallory and the team may read.');
    return {
      link: await linkToWeb(mallory),
      conversationId: (await mallory.conversationId()) ?? '',
    };
  }

  /** An invitation that is open in another browser, with or without consent. */
  async function fromBrowser({ hasAgreed }: { hasAgreed: boolean }) {
    const { token: link } = await invite(app, { name: 'Mallory Invited' });
    const mallory = await TestCandidate.arrive(app, link);
    const { disclosure } = await mallory.view();
    if (hasAgreed) await mallory.post('consent', { version: disclosure.version, accepted: true });
    return { link, conversationId: mallory.conversationId };
  }

  const MAKERS = [
    ['in Telegram', fromTelegram],
    ['in another browser', () => fromBrowser({ hasAgreed: true })],
    ['in another browser before any consent', () => fromBrowser({ hasAgreed: false })],
  ] as const;

  test.each(MAKERS)(
    'is asked for confirmation of a link made %s, and nothing is linked before',
    async (_, make) => {
      const { link, conversationId } = await make();
      const before = await everything(conversationId);

      const shown = await look(link);
      const opened = [await open(link), await open(link)];

      expect(shown.disclosure?.text).toContain('script of Crumb');
      expect(shown.text).not.toMatch(/mallory/i);
      expect(shown.text).not.toContain(conversationId);
      expect(opened).toMatchObject(Array(2).fill({ status: 409, code: 'confirmation_needed' }));
      expect(opened.map(({ cookies }) => cookies)).toEqual([[], []]);
      expect(JSON.stringify(opened)).not.toContain(conversationId);
      expect(await everything(conversationId)).toBe(before);
    },
  );

  test.each(MAKERS)(
    'continues an interview made %s after confirmation, with a new consent',
    async (_, make) => {
      const { link, conversationId } = await make();
      const before = await consentedAt(conversationId);
      app.clock.advance(60_000);
      const { disclosure } = await look(link);

      const opened = await open(link, disclosure?.version);

      expect([opened.status, opened.conversationId]).toEqual([201, conversationId]);
      expect(await consentedAt(conversationId)).toBeGreaterThan(before);
      // From now on this browser is known.
      const back = await open(link, undefined, opened.cookies.join('; '));
      expect([back.status, back.conversationId]).toEqual([200, conversationId]);
    },
  );

  test.each(MAKERS)(
    'cannot confirm a link made %s with an outdated disclosure',
    async (_, make) => {
      const { link, conversationId } = await make();
      const before = await everything(conversationId);

      const outdated = await open(link, '2020-01');

      expect(outdated).toMatchObject({ status: 409, code: 'disclosure_outdated' });
      expect(outdated.cookies).toEqual([]);
      expect(await everything(conversationId)).toBe(before);
    },
  );

  test('keeps its own open interview', async () => {
    const { link, conversationId } = await fromTelegram();
    const own = await open(app.vacancy.openToken);
    const cookie = own.cookies.join('; ');

    const refused = await open(link, undefined, cookie);
    const view = await fetch(`${app.url}/api/v1/conversation`, { headers: { cookie } });

    expect(refused).toMatchObject({ status: 409, cookies: [] });
    expect(await view.json()).toMatchObject({ id: own.conversationId });
    expect(own.conversationId).not.toBe(conversationId);
    const { disclosure } = await look(link);
    await open(link, disclosure?.version, cookie);
    const owners = await app.sql<{ candidate_id: string }>(
      'select distinct candidate_id from conversation where id = any($1::uuid[])',
      [[own.conversationId, conversationId]],
    );
    expect(owners).toHaveLength(2);
  });

  test('does not use up the link if it does not confirm it', async () => {
    const ada = await begunPerson(app);
    const link = await linkToWeb(ada);

    // A link preview, or a person who does not confirm.
    for (let n = 0; n < 3; n += 1) await open(link);
    const { disclosure, state } = await look(link);
    const opened = await open(link, disclosure?.version);

    expect([state, opened.status]).toEqual(['open', 201]);
    expect(await open(link, disclosure?.version)).toMatchObject({
      status: 410,
      code: 'continuation_used',
    });
    expect((await look(link)).state).toBe('used');
  });

  test('is the only one to get in when several open a new invitation at once', async () => {
    const { token } = await invite(app);

    const opened = await Promise.all(Array.from({ length: 4 }, () => open(token)));

    expect(opened.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
    const sessions = opened.map(({ sessionToken }) => sessionToken).filter(Boolean);
    const stored = await app.sql<{ hash: string }>(
      `select token_hash as hash from web_session where conversation_id = $1`,
      [opened.find(({ status }) => status === 201)?.conversationId],
    );
    expect(stored.map(({ hash }) => hash)).toEqual(sessions.map((one) => hashToken(one ?? '')));
  });

  test('needs no confirmation for an invitation that nobody else has opened', async () => {
    const { token } = await invite(app);

    const shown = await look(token);
    const opened = await open(token);

    expect(shown.disclosure).toBeNull();
    expect(opened.status).toBe(201);
    expect((await look(app.vacancy.openToken)).disclosure).toBeNull();
  });

  test('needs confirmation for an invitation that is open in Telegram', async () => {
    const { token } = await invite(app);
    const ada = newPerson(app, { first_name: 'Victoria' });
    await ada.starts(token);
    await ada.presses(EN.agreeButton);
    const before = await everything((await ada.conversationId()) ?? '');

    const opened = await open(token);

    expect(opened).toMatchObject({ status: 409, code: 'confirmation_needed' });
    expect((await look(token)).text).not.toContain('Victoria');
    expect(await everything((await ada.conversationId()) ?? '')).toBe(before);
  });
});
