import { WebSessionRepository } from '../../src/candidates';
import { ColloquyError } from '../../src/common/errors';
import type { Tx } from '../../src/common/uow';
import { InvitationRepository } from '../../src/vacancies';
import { gate } from '../../tools/http-fake/gate';
import { invitationSecrets } from '../support/invitations';
import { type Person, StoredPeople } from './stored-people';
import { startOther, pause, work, settled, inTime } from '../interview/interviews';
import { InterviewService, InterviewStart } from '../../src/interview';
import type { TestApp } from '../support/app';

/** An erasure together with everything else that people and processes do at that moment. */

let setup: StoredPeople;
let other: TestApp;

beforeAll(async () => {
  setup = await StoredPeople.open();
  other = await startOther(setup.app);
});
afterAll(() => setup.close());

/** The errors that work may get after the erasure; any other error is a bug. */
const TOO_LATE = [
  'conversation_unknown',
  'candidate_unknown',
  'conversation_closed',
  'message_unknown',
];

async function twoInterviews(): Promise<Person> {
  const { app } = setup;
  const vacancy = await app.addVacancy({ slug: 'second' });
  const person = await setup.person();
  await setup.conversation(person, vacancy);
  return person;
}

/** The link of an interview is opened once more, in another browser. */
async function beginAgain(tx: Tx, { invitations }: Person, index: number): Promise<void> {
  const invite = invitations[index];
  if (invite === undefined) throw new Error('not invited');
  const { id } = await other.get(InterviewStart).begin(tx, invite);
  await other.get(WebSessionRepository).create(tx, id);
}

/** Everything that a person, a browser and a worker may do, on either process. */
function deeds(person: Person, sent: readonly string[]): (() => Promise<unknown>)[] {
  return person.conversations.flatMap((candidate, index) => {
    const profile = { name: setup.words(person, 'name'), contact: setup.words(person, 'contact') };
    return [
      () => candidate.say(setup.words(person, 'said')),
      () => setup.edit(candidate, sent[index] ?? '', setup.words(person, 'edited')),
      () => other.commit((tx) => other.get(InterviewService).profile(tx, candidate.id, profile)),
      () => other.commit((tx) => beginAgain(tx, person, index)),
      () => candidate.stop(other),
      () => candidate.withdraw(),
      () => candidate.askForPerson(other),
      () => work(setup.app),
      () => work(other),
      () => setup.export(person),
    ];
  });
}

/** The same order for the same number. */
function shuffled<T>(items: readonly T[], seed: number): T[] {
  let state = seed + 1;
  const keyed = items.map((item) => {
    state = (state * 48_271) % 2_147_483_647;
    return { item, key: state };
  });
  return keyed.toSorted((a, b) => a.key - b.key).map(({ item }) => item);
}

test.each(Array.from({ length: 12 }, (_, seed) => seed))(
  'leaves nothing of the person, and fails only work that comes after it (%i)',
  async (seed) => {
    const person = await twoInterviews();
    const sent: string[] = [];
    for (const candidate of person.conversations) {
      await candidate.say(setup.words(person, 'an answer'));
      sent.push((await setup.onChannel(person, candidate)).externalId);
    }
    pause(setup.app, 10_000);
    const erase = (): Promise<unknown> => setup.erase(person, seed % 2 === 0 ? setup.app : other);
    const from = setup.app.log.lines.length;

    const all = shuffled([...deeds(person, sent), erase, erase], seed);
    // On a busy machine a lock wait may time out. Its commit then runs again, after a pause of the fake clock.
    const done = Promise.allSettled(all.map((deed) => deed()));
    const outcomes = await inTime(setup.app, done, 1);
    await inTime(setup.app, Promise.all([settled(setup.app), settled(other)]));
    await setup.work();
    await work(other);

    const failures = outcomes
      .filter((outcome) => outcome.status === 'rejected')
      .map(({ reason }) => reason as unknown);
    const surprises = failures.filter(
      (error) => !(error instanceof ColloquyError && TOO_LATE.includes(error.code)),
    );
    expect(surprises).toEqual([]);
    expect(await setup.leftOf(person)).toEqual([]);
    expect(setup.app.log.lines.slice(from).join('\n')).not.toMatch(/violates|TypeError|deadlock/);
  },
);

test('an interview that begins at the same moment is erased with the others', async () => {
  const { app } = setup;
  const person = await setup.person();
  const vacancy = await app.addVacancy({ slug: 'third' });
  const secrets = invitationSecrets();
  const wanted = { vacancyId: vacancy.id, candidateId: person.candidateId, secrets };
  const invitation = await app.commit((tx) => app.get(InvitationRepository).issue(tx, wanted));
  const [begun, ending] = [gate(), gate()];
  const beginning = other.commit(async (tx) => {
    await other
      .get(InterviewStart)
      .begin(tx, { state: 'ok', kind: 'personal', vacancy, invitation });
    begun.open();
    await ending.opened;
  });
  await begun.opened;

  const erasing = setup.erase(person);
  await app.untilLockWait();
  ending.open();
  await beginning;

  expect((await erasing).conversations).toBe(2);
  expect(await setup.leftOf(person)).toEqual([]);
});
