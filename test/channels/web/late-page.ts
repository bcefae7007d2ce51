import { setTimeout as sleep } from 'node:timers/promises';
import { Takeovers } from '../../../src/interview';
import { InvitationIssuer } from '../../../src/invitations';
import { VacancyRepository } from '../../../src/vacancies';
import type { TestApp } from '../../support/app';
import { TestCandidate } from '../../support/candidate';
import { changedTables } from '../../support/changed-tables';
import { invitationSecrets } from '../../support/invitations';
import { PDF } from '../../support/sent-files';

/*
 * What the buttons of the page send, long after the page was opened: in the states that the interview may have
 * reached meanwhile.
 */

const OWN = '/api/v1/conversation';
const HOUR_MS = 3_600_000;

/** A request as the page sends it. */
export interface Sent {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly body?: object | Buffer;
  readonly type?: string;
}

interface Shown {
  readonly id: string;
  /** Of the disclosure that the page shows. */
  readonly version: string;
}

const post = (path: string, body: object = {}): Sent => ({ method: 'POST', path, body });
const get = (path: string): Sent => ({ method: 'GET', path });

/** What writes, by the route of the API; a word behind it tells two buttons apart. */
export const ACTIONS: Readonly<Record<string, (shown: Shown) => Sent>> = {
  'POST /api/v1/conversation/consent yes': ({ version }) =>
    post(`${OWN}/consent`, { version, accepted: true }),
  'POST /api/v1/conversation/consent no': ({ version }) =>
    post(`${OWN}/consent`, { version, accepted: false }),
  'POST /api/v1/conversation/profile': () =>
    post(`${OWN}/profile`, { name: 'Eve', contact: 'eve@example.org' }),
  'POST /api/v1/conversation/messages': () => post(`${OWN}/messages`, { id: 'late', text: 'Rye.' }),
  'POST /api/v1/conversation/messages/{id}/correction': () =>
    post(`${OWN}/messages/early/correction`, { text: 'Wheat.' }),
  'POST /api/v1/conversation/voice': () => ({
    ...post(`${OWN}/voice?id=voice`, Buffer.from(PDF)),
    type: 'audio/webm',
  }),
  'POST /api/v1/conversation/files': () => ({
    ...post(`${OWN}/files?id=file&name=cv.pdf`, Buffer.from(PDF)),
    type: 'application/pdf',
  }),
  'POST /api/v1/conversation/activity': () => post(`${OWN}/activity`, { type: 'typing' }),
  'POST /api/v1/conversation/done': () => post(`${OWN}/done`),
  'POST /api/v1/conversation/stop': () => post(`${OWN}/stop`),
  'POST /api/v1/conversation/continue': () => post(`${OWN}/continue`),
  'POST /api/v1/conversation/human': () => post(`${OWN}/human`),
  'POST /api/v1/conversation/resume': () => post(`${OWN}/resume`),
  'POST /api/v1/conversation/continuation': () => post(`${OWN}/continuation`),
  'POST /api/v1/conversation/withdraw': () => post(`${OWN}/withdraw`),
  'POST /api/v1/conversation/forget': () => post(`${OWN}/forget`, { confirm: 'erase' }),
  'DELETE /api/v1/sessions/current': () => ({
    method: 'DELETE',
    path: '/api/v1/sessions/current',
  }),
  'POST /api/chat': ({ id }) =>
    post('/api/chat', {
      id,
      messages: [{ role: 'user', id: 'chat', parts: [{ type: 'text', text: 'Rye.' }] }],
    }),
  'POST /api/chat/{id}/stop': ({ id }) => post(`/api/chat/${id}/stop`),
};

/** What only reads. */
export const READS: Readonly<Record<string, (shown: Shown) => Sent>> = {
  'GET /api/v1/conversation': () => get(OWN),
  'GET /api/v1/conversation/messages': () => get(`${OWN}/messages`),
  'GET /api/v1/conversation/receipt': () => get(`${OWN}/receipt`),
  'GET /api/v1/conversation/mydata': () => get(`${OWN}/mydata`),
  'GET /api/v1/conversation/events': () => get(`${OWN}/events`),
  'GET /api/v1/conversation/files/{messageId}': ({ id }) => get(`${OWN}/files/${id}`),
  'GET /api/chat/{id}/stream': ({ id }) => get(`/api/chat/${id}/stream`),
};

/** Somebody who was invited. */
export interface InvitedPerson {
  readonly slug: string;
  readonly vacancyId: string;
  /** Of the vacancy's open link. */
  readonly openToken: string;
  readonly candidateId: string;
  readonly invitationId: string;
  /** Of the invitation's link. */
  readonly token: string;
}

/** Their page, which is open in a browser. */
export interface OpenPage extends InvitedPerson {
  readonly browser: TestCandidate;
  readonly shown: Shown;
}

/** In the browser, which has a session by then. */
export async function agrees({ browser, shown: { version } }: OpenPage): Promise<void> {
  await browser.post('consent', { version, accepted: true });
  await browser.post('profile', { name: 'Ada', contact: 'ada@example.org' });
}

type Step = (page: LatePage, open: OpenPage) => Promise<unknown>;

const agreed: Step = (_, open) => agrees(open);
const closes: Step = ({ app }, { slug }) =>
  app.commit((tx) => app.get(VacancyRepository).setClosed(tx, slug, true));
const asks: Step = (_, { browser }) => browser.post('human');

/** How the interview has come to a state since the page was opened. */
const WAYS = {
  new: [],
  newClosed: [closes],
  newLinkEnded: [({ app }) => app.pass(2 * HOUR_MS)],
  newAsked: [asks],
  declined: [
    (_, { browser, shown: { version } }) => browser.post('consent', { version, accepted: false }),
  ],
  active: [agreed],
  answering: [agreed, (_, { browser }) => browser.send('early', 'Rye, I')],
  activeClosed: [agreed, closes],
  completed: [
    agreed,
    async ({ app }, { browser }) => {
      for (const text of ['A rye loaf with caraway.', 'It feeds people.', 'Yes, I can.']) {
        await browser.send(text, text);
        await app.pass(10_000);
      }
      expect(await browser.view()).toMatchObject({ status: 'completed' });
    },
  ],
  silent: [
    agreed,
    ({ app }, { browser }) =>
      app.sql(`update conversation set status = 'expired' where id = $1`, [browser.conversationId]),
  ],
  asked: [agreed, asks],
  withPerson: [
    agreed,
    ({ app }, { browser }) =>
      app.commit((tx) => app.get(Takeovers).reply(tx, browser.conversationId, 'Nora here.')),
  ],
  withdrawn: [agreed, (_, { browser }) => browser.post('withdraw')],
  askedWithdrawn: [agreed, asks, (_, { browser }) => browser.post('withdraw')],
} satisfies Record<string, readonly Step[]>;

export type State = keyof typeof WAYS;

export const STATES = Object.keys(WAYS) as readonly State[];

/** Pages that are opened, left for a while, and then pressed. */
export class LatePage {
  static readonly options = {
    clock: 'fake',
    env: {
      PUBLIC_URL: 'https://jobs.example.org',
      TELEGRAM_BOT_NAME: 'bread_bot',
      SESSION_IDLE_TIMEOUT: '86400',
    },
  } as const;

  private count = 0;
  private readonly open = new Map<State, OpenPage>();

  constructor(readonly app: TestApp) {}

  /** To a vacancy of its own, for two hours. */
  async invited(): Promise<InvitedPerson> {
    const { app } = this;
    this.count += 1;
    const slug = `vacancy-${String(this.count)}`;
    const { id: vacancyId, openToken } = await app.addVacancy({ slug });
    const secrets = invitationSecrets();
    const expiresAt = new Date(app.clock.now().getTime() + 2 * HOUR_MS);
    const wanted = { vacancyId, invited: { known: {} }, secrets, expiresAt };
    const issued = await app.commit((tx) => app.get(InvitationIssuer).issue(tx, wanted));
    if (issued === null) throw new Error('nobody was invited');
    const { candidate, invitation } = issued;
    const of = { candidateId: candidate.id, invitationId: invitation.id, token: secrets.token };
    return { slug, vacancyId, openToken, ...of };
  }

  async opened(): Promise<OpenPage> {
    const person = await this.invited();
    const browser = await TestCandidate.arrive(this.app, person.token);
    const { version } = (await browser.view()).disclosure;
    return { ...person, browser, shown: { id: browser.conversationId, version } };
  }

  /** What the browser is told, and the tables that have other rows then. */
  async press(state: State, action: string): Promise<readonly [told: string, changed: string]> {
    const known = this.open.get(state);
    const open = known ?? (await this.opened());
    if (known === undefined) {
      const ways: readonly Step[] = WAYS[state];
      for (const step of ways) await step(this, open);
      await this.app.settle();
      this.open.set(state, open);
    }
    const sent = ACTIONS[action]?.(open.shown);
    if (sent === undefined) throw new Error(`there is no action ${action}`);
    let told = '';
    const changed = await changedTables(this.app, async () => {
      told = await this.send(open, sent);
      await this.rests();
    });
    // The next button is pressed where nothing was pressed before.
    if (changed.length > 0) this.open.delete(state);
    return [told, changed.join(' ')];
  }

  /**
   * Until what is due at once is done: a voice that nobody can transcribe goes to a person. No time passes, so that
   * nothing else becomes due.
   */
  private async rests(): Promise<void> {
    const busy = `select 1 from job
      where state = 'running' or state in ('open', 'retry') and due_at <= $1`;
    while ((await this.app.sql(busy, [this.app.clock.now()])).length > 0) await sleep(2);
  }

  /** The status of a response that accepts, or the code of a problem. */
  async send({ browser }: OpenPage, { method, path, body, type }: Sent): Promise<string> {
    const stop = new AbortController();
    const response = await fetch(`${this.app.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${browser.token}`,
        ...(body === undefined ? {} : { 'content-type': type ?? 'application/json' }),
      },
      ...(body === undefined
        ? {}
        : { body: Buffer.isBuffer(body) ? new Uint8Array(body) : JSON.stringify(body) }),
      signal: stop.signal,
    });
    const isProblem = response.status >= 400;
    const told = isProblem
      ? ((await response.json()) as { code: string }).code
      : String(response.status);
    stop.abort();
    return told;
  }
}
