import { randomUUID } from 'node:crypto';
import { InterviewService, Takeovers } from '../../../src/interview';
import { InvitationIssuer, OneInvitation } from '../../../src/invitations';
import { PersonalDataService } from '../../../src/privacy';
import { type InvitationSecrets, type Vacancy, VacancyRepository } from '../../../src/vacancies';
import type { TestApp } from '../../support/app';
import { TestCandidate } from '../../support/candidate';
import { invitationSecrets } from '../../support/invitations';
import { EN, type Person, WINDOW_MS, newPerson } from './telegram-person';

/* Chats in which the bot has asked something, and what may happen before a button is pressed or a link is opened. */

const HOUR_MS = 3_600_000;

/** A chat in which buttons are shown. */
export interface Chat {
  readonly person: Person;
  /** Of the interview or the invitation that they are about. */
  readonly vacancy: Vacancy;
  readonly candidateId: string;
  readonly invitationId: string;
  /** Of the invitation's link. */
  readonly token: string;
  /** What leads to the interview that is open elsewhere. */
  readonly continuation?: string;
  readonly pin?: string;
}

/** A vacancy of its own; its title is a word that no other one has. */
export function newVacancy(app: TestApp): Promise<Vacancy> {
  const title = randomUUID().replaceAll('-', '');
  return app.addVacancy({ slug: `vacancy-${title}`, title });
}

type Issued = Pick<Chat, 'token' | 'invitationId' | 'candidateId'>;

/** Invites somebody new, of whom this is known, or again, for two hours. */
export async function issue(
  app: TestApp,
  { id: vacancyId }: Vacancy,
  candidateId?: string,
  {
    secrets = invitationSecrets(),
    known = {},
  }: { secrets?: InvitationSecrets; known?: object } = {},
): Promise<Issued> {
  const invited = candidateId === undefined ? { known } : { candidateId };
  const expiresAt = new Date(app.clock.now().getTime() + 2 * HOUR_MS);
  const issued = await app.commit((tx) =>
    app.get(InvitationIssuer).issue(tx, { vacancyId, invited, secrets, expiresAt }),
  );
  if (issued === null) throw new Error('there is no such candidate');
  const { candidate, invitation } = issued;
  return { token: secrets.token, invitationId: invitation.id, candidateId: candidate.id };
}

/** An invitation that a person has opened in the bot. */
export async function opened(app: TestApp): Promise<Chat> {
  const chat = await invited(app);
  await chat.person.starts(chat.token);
  return chat;
}

/** An invitation that nobody has opened yet. */
export async function invited(app: TestApp): Promise<Chat> {
  const vacancy = await newVacancy(app);
  return { person: newPerson(app), vacancy, ...(await issue(app, vacancy)) };
}

/** An interview that has begun in the bot. */
export async function agreed(app: TestApp): Promise<Chat> {
  const chat = await opened(app);
  await chat.person.agrees();
  return chat;
}

/** What the candidate does in a browser: agrees and gives a name. */
export async function begins(browser: TestCandidate): Promise<void> {
  const { version } = (await browser.view()).disclosure;
  await browser.post('consent', { version, accepted: true });
  await browser.post('profile', { name: 'Ada', contact: 'ada@example.org' });
}

/** An interview that has begun in a browser, with a link that continues it here. */
export async function begunOnWeb(app: TestApp): Promise<Chat> {
  const chat = await invited(app);
  const browser = await TestCandidate.arrive(app, chat.token);
  await begins(browser);
  return { ...chat, continuation: await linkToTelegram(browser) };
}

/** A vacancy that the person has searched for and chosen: they have no invitation. */
export async function foundVacancy(app: TestApp): Promise<Chat> {
  const vacancy = await newVacancy(app);
  const person = newPerson(app);
  await person.writes(vacancy.title);
  await person.presses(`${vacancy.title}, ${vacancy.company}`);
  const { id: candidateId } = await app.one<{ id: string }>(
    'select candidate_id as id from conversation where vacancy_id = $1',
    [vacancy.id],
  );
  return { person, vacancy, candidateId, invitationId: '', token: '' };
}

/** The same, agreed to. */
export async function foundAndBegun(app: TestApp): Promise<Chat> {
  const chat = await foundVacancy(app);
  await chat.person.agrees();
  return chat;
}

/** The token of a link to the bot that the page makes. */
export async function linkToTelegram(browser: TestCandidate): Promise<string> {
  const body = JSON.stringify(await (await browser.post('continuation')).json());
  return /start=([\w-]+)/.exec(body)?.[1] ?? '';
}

/** What happens between a question and the press of its button. */
export type Event = (app: TestApp, chat: Chat) => Promise<unknown>;

/** The id of the interview that the chat is about. */
export async function interviewOf(app: TestApp, { candidateId, vacancy }: Chat): Promise<string> {
  const { id } = await app.one<{ id: string }>(
    'select id from conversation where candidate_id = $1 and vacancy_id = $2',
    [candidateId, vacancy.id],
  );
  return id;
}

/** Another person opens the invitation that was issued again, and agrees. */
const takenAgain: Event = async (app, { vacancy, candidateId }) => {
  const bob = newPerson(app, { first_name: 'Bob' });
  await bob.starts((await issue(app, vacancy, candidateId)).token);
  const shown = bob.chat.messages.flatMap(({ buttons }) => buttons.flat());
  await bob.presses(shown.includes(EN.mineButton) ? EN.mineButton : EN.agreeButton);
};

export const EVENTS = {
  nothing: () => Promise.resolve(),
  'the invitation has expired': (app) => app.pass(2 * HOUR_MS),
  'the invitation was revoked': (app, { invitationId }) =>
    app.commit((tx) => app.get(OneInvitation).revoke(tx, invitationId, null)),
  'the invitation was issued again': (app, { vacancy, candidateId }) =>
    issue(app, vacancy, candidateId),
  'another account has taken it': takenAgain,
  'a browser has agreed': async (app, { token }) => {
    await TestCandidate.claim(app, token);
  },
  'another account has used the link': async (app, { continuation = '' }) => {
    const bob = newPerson(app, { first_name: 'Bob' });
    await bob.starts(continuation);
    await bob.presses(EN.mineButton);
  },
  'the interview has moved to another account': async (app, { person }) => {
    await person.writes('/web');
    const token = /[\w-]{32}(?=\s|$)/.exec(person.lastHeard)?.[0] ?? '';
    const browser = await TestCandidate.claim(app, token);
    const bob = newPerson(app, { first_name: 'Bob' });
    await bob.starts(await linkToTelegram(browser));
    await bob.presses(EN.mineButton);
  },
  'the link has expired': (app) => app.pass(24 * HOUR_MS),
  'the vacancy was closed': (app, { vacancy }) =>
    app.commit((tx) => app.get(VacancyRepository).setClosed(tx, vacancy.slug, true)),
  'the person was erased': (app, { candidateId }) =>
    app.commit((tx) => app.get(PersonalDataService).erase(tx, candidateId, 'admin')),
  'the interview was completed': async (app, { person }) => {
    for (const answer of ['A rye loaf with caraway.', 'It feeds people.', 'Yes, I can.']) {
      await person.writes(answer);
      await app.pass(WINDOW_MS);
    }
    expect((await person.conversation()).status).toBe('completed');
  },
  'the candidate has withdrawn': async (app, chat) => {
    const id = await interviewOf(app, chat);
    await app.commit((tx) => app.get(InterviewService).withdraw(tx, id));
    await app.settle();
  },
  'the candidate has declined': (_, { person }) => person.declines(),
  'the candidate has agreed': (_, { person }) => person.agrees(),
  'the candidate has asked for a person': (_, { person }) => person.asksForPerson(),
  'the candidate has gone on': (_, { person }) => person.presses(EN.humanTakeBack),
  'the interview has ended by silence': async (app, chat) =>
    app.sql(`update conversation set status = 'expired' where id = $1`, [
      await interviewOf(app, chat),
    ]),
  'a person has written': async (app, chat) => {
    const id = await interviewOf(app, chat);
    await app.commit((tx) => app.get(Takeovers).reply(tx, id, 'Nora here.'));
    await app.settle();
  },
} satisfies Record<string, Event>;

export type EventName = keyof typeof EVENTS;
