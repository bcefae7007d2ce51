import { OpenLinkInterviews } from '../../../src/interview';
import { InvitationIssuer, OneInvitation } from '../../../src/invitations';
import { PersonalDataService } from '../../../src/privacy';
import { CandidateRepository } from '../../../src/candidates';
import { type TestApp, startTestApp } from '../../support/app';
import { changedTables } from '../../support/changed-tables';
import { invitationSecrets } from '../../support/invitations';
import { TestCandidate } from '../../support/candidate';
import { ACTIONS, LatePage, type OpenPage, READS, agrees } from './late-page';

/** The candidate API's requests without a session: test/channels/web/late-links.spec.ts. */
const WITHOUT_SESSION = ['GET /api/v1/invites/{token}', 'POST /api/v1/sessions'];

const DAY_MS = 24 * 3_600_000;

/** A page stays open in a browser while its session ends, and then each of its buttons is pressed. */
describe('a page whose session has ended', () => {
  let app: TestApp;
  let page: LatePage;

  beforeAll(async () => {
    app = await startTestApp(LatePage.options);
    await app.stopSweeps();
    page = new LatePage(app);
  });

  afterAll(() => app.close());

  /** Somebody without an invitation, whose interview is given to one who has one. */
  async function joined(open: OpenPage): Promise<void> {
    await app.commit(async (tx) => {
      const { id: candidateId } = await app.get(CandidateRepository).create(tx);
      await app.get(InvitationIssuer).issue(tx, {
        vacancyId: open.vacancyId,
        invited: { candidateId },
        secrets: invitationSecrets(),
      });
      const given = { candidateId, account: 'telegram:1' };
      await app.get(OpenLinkInterviews).join(tx, [open.shown.id], given);
    });
  }

  async function openedByOpenLink(): Promise<OpenPage> {
    const person = await page.invited();
    const browser = await TestCandidate.arrive(app, person.openToken);
    const { version } = (await browser.view()).disclosure;
    return { ...person, browser, shown: { id: browser.conversationId, version } };
  }

  const ENDS: Readonly<Record<string, (open: OpenPage) => Promise<unknown>>> = {
    'because its browser has signed out': (open) =>
      page.send(open, { method: 'DELETE', path: '/api/v1/sessions/current' }),
    'because it was not used for long': () => app.pass(DAY_MS),
    'because the invitation was revoked': ({ invitationId }) =>
      app.commit((tx) => app.get(OneInvitation).revoke(tx, invitationId, null)),
    'because the invitation was issued again': ({ vacancyId, candidateId }) =>
      app.commit((tx) =>
        app.get(InvitationIssuer).issue(tx, {
          vacancyId,
          invited: { candidateId },
          secrets: invitationSecrets(),
        }),
      ),
    'because its person was erased': ({ candidateId }) =>
      app.commit((tx) => app.get(PersonalDataService).erase(tx, candidateId, 'admin')),
    'because its interview was joined to an invitation': joined,
  };

  test.each(Object.keys(ENDS))('%s: each button says so and changes nothing', async (name) => {
    const isJoined = ENDS[name] === joined;
    const open = isJoined ? await openedByOpenLink() : await page.opened();
    await agrees(open);
    await ENDS[name]?.(open);
    await app.settle();

    const told: Record<string, string> = {};
    const changed = await changedTables(app, async () => {
      for (const [action, sent] of Object.entries({ ...ACTIONS, ...READS })) {
        told[action] = await page.send(open, sent(open.shown));
      }
    });

    const all = [...Object.keys(ACTIONS), ...Object.keys(READS)];
    expect(told).toEqual(Object.fromEntries(all.map((action) => [action, 'session_unknown'])));
    expect(changed).toEqual([]);
  });

  test('is tested with every request that a candidate can send', async () => {
    const { paths } = (await (await fetch(`${app.url}/docs/openapi.json`)).json()) as {
      paths: Record<string, Record<string, { tags?: string[] }>>;
    };
    const offered = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, { tags = [] }]) => tags.includes('Candidate') || tags.includes('AI SDK'))
        .map(([method]) => `${method.toUpperCase()} ${path}`),
    );

    const tested = [...Object.keys(ACTIONS), ...Object.keys(READS)].map((action) =>
      action.split(' ').slice(0, 2).join(' '),
    );
    expect(offered.sort()).toEqual([...new Set([...tested, ...WITHOUT_SESSION])].sort());
  });
});
