import { ConversationRepository } from '../../src/interview';
import { FakeClock } from '../../tools/support/fake-clock';
import { BufferService } from '../../src/buffer';
import { type TestApp, startTestApp } from '../support/app';
import { newCandidate } from './interviewee';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ clock: new FakeClock(), isWorking: false });
});
afterAll(() => app.close());

/** By status: why a message is refused with consent, and without. */
const WHY = {
  new: ['profile', 'consent'],
  active: [null, 'consent'],
  completed: [null, 'consent'],
  handed_over: [null, 'consent'],
  expired: [null, 'consent'],
  declined: ['closed', 'closed'],
  withdrawn: ['closed', 'closed'],
} as const;

const CODES = {
  profile: 'profile_required',
  consent: 'consent_required',
  closed: 'conversation_closed',
};

const CASES = Object.entries(WHY).flatMap(([status, [agreed, not]]) => [
  { status, consent: true, why: agreed },
  { status, consent: false, why: not },
  { status, consent: null, why: not },
]);

test.each(CASES)(
  'an interview that is $status, with consent $consent, says the same ($why) to TypeScript and to an append',
  async ({ status, consent, why }) => {
    const { id: conversationId } = await newCandidate(app);
    await app.sql('update conversation set status = $2, consent_accepted = $3 where id = $1', [
      conversationId,
      status,
      consent,
    ]);

    const message = { conversationId, channel: 'web', externalId: 'm', text: 'Rye.' } as const;
    const append = app.commit((tx) => app.get(BufferService).append(tx, message));

    if (why === null) await expect(append).resolves.toMatchObject({ isNew: true });
    else await expect(append).rejects.toMatchObject({ code: CODES[why] });
    const row = await app.commit((tx) => app.get(ConversationRepository).get(tx, conversationId));
    expect(row.notOpen).toBe(why);
  },
);
