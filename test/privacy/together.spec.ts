import { WebSessionRepository } from '../../src/candidates';
import { ColloquyError } from '../../src/common/errors';
import type { Tx } from '../../src/common/uow';
import { InvitationRepository, VacancyRepository } from '../../src/vacancies';
import { gate } from '../../tools/http-fake/gate';
import { invitationSecrets } from '../support/invitations';
import { vacancyDraft } from '../support/vacancies';
import { type Person, PrivacyStage } from './privacy-stage';
import { startOther, pause, work, settled, inTime } from '../interview/interview-fixture';
import { InterviewService, InterviewStart } from '../../src/interview';
import type { TestApp } from '../support/app';

/** An erasure together with everything else that people and processes do at that moment. */

let stage: PrivacyStage;
let other: TestApp;

beforeAll(async () => {
  stage = await PrivacyStage.open();
  other = await startOther(stage.app);
});
afterAll(() => stage.close());

/** The errors that work may get after the erasure; any other error is a bug. */
const TOO_LATE = [
  'conversation_unknown',
  'candidate_unknown',
  'conversation_closed',
  'message_unknown',
];

async function twoInterviews(): Promise<Person> {
  const { app } = stage;
  const { vacancy } = await app.commit((tx) =>
    app.get(VacancyRepository).upsert(tx, vacancyDraft({ slug: 'second' })),
  );
  const person = await stage.person();
  await stage.conversation(person, vacancy);
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
    const profile = { name: stage.words(person, 'name'), contact: stage.words(person, 'contact') };
    return [
      () => candidate.say(stage.words(person, 'said')),
      () => stage.edit(candidate, sent[index] ?? '', stage.words(person, 'edited')),
      () => other.commit((tx) => other.get(InterviewService).profile(tx, candidate.id, profile)),
      () => other.commit((tx) => beginAgain(tx, person, index)),
      () => candidate.stop(other),
      () => candidate.withdraw(),
      () => candidate.askForPerson(other),
      () => work(stage.app),
      () => work(other),
      () => stage.export(person),
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
      await candidate.say(stage.words(person, 'an answer'));
      sent.push((await stage.onChannel(person, candidate)).externalId);
    }
    pause(stage.app, 10_000);
    const erase = (): Promise<unknown> => stage.erase(person, seed % 2 === 0 ? stage.app : other);
    const from = stage.app.log.lines.length;

    const all = shuffled([...deeds(person, sent), erase, erase], seed);
    const outcomes = await Promise.allSettled(all.map((deed) => deed()));
    await inTime(stage.app, Promise.all([settled(stage.app), settled(other)]));
    await stage.work();
    await work(other);

    const failures = outcomes
      .filter((outcome) => outcome.status === 'rejected')
      .map(({ reason }) => reason as unknown);
    const surprises = failures.filter(
      (error) => !(error instanceof ColloquyError && TOO_LATE.includes(error.code)),
    );
    expect(surprises).toEqual([]);
    expect(await stage.leftOf(person)).toEqual([]);
    expect(stage.app.log.lines.slice(from).join('\n')).not.toMatch(/violates|TypeError|deadlock/);
  },
);

test('an interview that begins at the same moment is erased with the others', async () => {
  const { app } = stage;
  const person = await stage.person();
  const { vacancy } = await app.commit((tx) =>
    app.get(VacancyRepository).upsert(tx, vacancyDraft({ slug: 'third' })),
  );
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

  const erasing = stage.erase(person);
  while ((await app.sql('select 1 from pg_locks where not granted')).length === 0);
  ending.open();
  await beginning;

  expect((await erasing).conversations).toBe(2);
  expect(await stage.leftOf(person)).toEqual([]);
});
