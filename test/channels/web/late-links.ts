import { ContinuationLinks, InterviewService } from '../../../src/interview';
import { InvitationIssuer, OneInvitation } from '../../../src/invitations';
import { PersonalDataService } from '../../../src/privacy';
import { VacancyRepository } from '../../../src/vacancies';
import type { TestApp } from '../../support/app';
import { TestCandidate, type View } from '../../support/candidate';
import { changedTables } from '../../support/changed-tables';
import { invitationSecrets } from '../../support/invitations';
import { type InvitedPerson, type OpenPage, agrees } from './late-page';

/* Links that are opened in a browser, and the button "This is mine" below one, after something has happened. */

const HOUR_MS = 3_600_000;

/** What a browser opens. */
export interface Link extends InvitedPerson {
  /** Of the interview, if it has been opened. */
  readonly shown?: { readonly id: string };
  /** The browser has this session already. */
  readonly session?: string;
  /** The disclosure to which the person has agreed by saying that the interview is theirs. */
  readonly mine?: { readonly version: string };
}

type Event = (app: TestApp, link: Link) => Promise<unknown>;

const NOBODY = { id: '' };

const EVENTS = {
  nothing: () => Promise.resolve(),
  'the invitation has expired': (app) => app.pass(2 * HOUR_MS),
  'the link has expired': (app) => app.pass(24 * HOUR_MS),
  'the link was used': (app, { token }) => TestCandidate.claim(app, token),
  'the invitation was revoked': (app, { invitationId }) =>
    app.commit((tx) => app.get(OneInvitation).revoke(tx, invitationId, null)),
  'the invitation was issued again': (app, { vacancyId, candidateId }) =>
    app.commit((tx) =>
      app.get(InvitationIssuer).issue(tx, {
        vacancyId,
        invited: { candidateId },
        secrets: invitationSecrets(),
      }),
    ),
  'the vacancy was closed': (app, { slug }) =>
    app.commit((tx) => app.get(VacancyRepository).setClosed(tx, slug, true)),
  'the person was erased': (app, { candidateId }) =>
    app.commit((tx) => app.get(PersonalDataService).erase(tx, candidateId, 'admin')),
  'the candidate has withdrawn': (app, { shown: { id } = NOBODY }) =>
    app.commit((tx) => app.get(InterviewService).withdraw(tx, id)),
  'the interview has ended by silence': (app, { shown: { id } = NOBODY }) =>
    app.sql(`update conversation set status = 'expired' where id = $1`, [id]),
} satisfies Record<string, Event>;

export type EventName = keyof typeof EVENTS;

/** The token of a link that continues the interview in another browser. */
export async function continuationOf(app: TestApp, { shown: { id } }: OpenPage): Promise<string> {
  const link = await app.commit((tx) => app.get(ContinuationLinks).continueOn(tx, id, 'web'));
  return link?.url.split('/').at(-1) ?? '';
}

/** The interview has begun in the browser that has opened the page. */
export async function begun<T extends OpenPage>(open: T): Promise<T> {
  await agrees(open);
  return open;
}

/** The version of the disclosure that whoever opens the link is asked to agree to. */
export async function disclosureOf(app: TestApp, token: string): Promise<{ version: string }> {
  const shown = await fetch(`${app.url}/api/v1/invites/${token}`);
  const { disclosure } = (await shown.json()) as { disclosure: View['disclosure'] | null };
  if (disclosure === null) throw new Error('the link leads to nothing that is open elsewhere');
  return { version: disclosure.version };
}

/** The state that the page shows, the status or the code of the session, and the tables that have other rows then. */
export type Outcome = readonly [shown: string, told: string, changed: string];

/** Opens the link after the event. */
export async function openLate(
  app: TestApp,
  make: () => Promise<Link>,
  event: EventName,
): Promise<Outcome> {
  const link = await make();
  const happen: Event = EVENTS[event];
  await happen(app, link);
  await app.settle();
  let [shown, told] = ['', ''];
  const changed = await changedTables(app, async () => {
    shown = await toldBy(await fetch(`${app.url}/api/v1/invites/${link.token}`));
    told = await toldBy(await begin(app, link));
  });
  return [shown, told, changed.join(' ')];
}

function begin(app: TestApp, { token, session, mine }: Link): Promise<Response> {
  const bearer = session === undefined ? {} : { authorization: `Bearer ${session}` };
  return fetch(`${app.url}/api/v1/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...bearer },
    body: JSON.stringify({ invite: token, mine }),
  });
}

async function toldBy(response: Response): Promise<string> {
  const { state, code } = (await response.json()) as { state?: string; code?: string };
  return state ?? code ?? String(response.status);
}
