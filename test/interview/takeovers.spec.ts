import { Takeovers } from '../../src/interview';
import { textsOf } from '../../src/interview/texts/texts';
import { SegmentWriter } from '../../src/streams/segment-writer';
import { replyWith } from '../../tools/fake-model/model-server';
import { until } from '../support/model-calls';
import type { InterviewProcess } from './interview-process';
import type { TurnCandidate } from './turn-candidate';
import { LEASE_MS, TurnFixture, words } from './turn-fixture';

let fixture: TurnFixture;
let other: InterviewProcess;

beforeAll(async () => {
  fixture = await TurnFixture.open();
  other = await fixture.another();
  await other.pass();
});

afterAll(() => fixture.close());

const TEXTS = textsOf('en');
const SHOWN = 'Half';
const HELD = {
  kind: 'hold',
  content: `{"verdict":"answered","text":"${SHOWN}`,
  rest: ' and the rest."}',
} as const;
const PERSON = 'Nora here: shall we talk on Friday?';

/** By a process that writes no reply: the console's or the command line's. */
function act(work: (takeovers: Takeovers, ...rest: Parameters<Takeovers['ask']>) => Promise<void>) {
  return (candidate: TurnCandidate): Promise<void> =>
    other.commit((tx) => work(other.get(Takeovers), tx, candidate.id));
}

const reply = act((takeovers, tx, id) => takeovers.reply(tx, id, PERSON));
const giveBack = act((takeovers, tx, id) => takeovers.giveBack(tx, id, 'Nora'));
function takeBack({ id }: TurnCandidate): Promise<boolean> {
  return other.commit((tx) => other.get(Takeovers).takeBack(tx, id));
}

async function ownerOf({ id }: TurnCandidate): Promise<string | undefined> {
  const rows = await fixture.sql<{ owner: string }>(
    'select owner from conversation where id = $1',
    [id],
  );
  return rows[0]?.owner;
}

async function stateOf({ id }: TurnCandidate): Promise<unknown> {
  const [row] = await fixture.sql('select state, status from conversation where id = $1', [id]);
  return row;
}

async function completed(): Promise<TurnCandidate> {
  const candidate = await fixture.candidate();
  for (const _ of fixture.vacancy.plan.questions) await candidate.answer(words());
  expect(await candidate.state()).toMatchObject({ status: 'completed' });
  return candidate;
}

describe('a person who replies', () => {
  test('is not overtaken by a reply that was being written, and the interview waits', async () => {
    const candidate = await fixture.candidate();
    fixture.model.next(HELD);
    await candidate.start(fixture.main, words());
    await until(() => fixture.main.visible(candidate.id) === SHOWN);

    await reply(candidate);
    fixture.model.release();
    await fixture.main.settled();

    expect(await candidate.replies()).toEqual([PERSON]);
    expect(await candidate.state()).toMatchObject({ status: 'handed_over', question: 0 });
    expect(await candidate.waiting()).toEqual([]);
    expect(await ownerOf(candidate)).toBe('person');
  });

  test('is not overtaken either when the interview was returned meanwhile', async () => {
    const candidate = await fixture.candidate();
    fixture.model.next(HELD);
    await candidate.start(fixture.main, words());
    await until(() => fixture.main.visible(candidate.id) === SHOWN);

    await reply(candidate);
    await giveBack(candidate);
    fixture.model.release();
    await fixture.main.settled();

    const question = fixture.vacancy.plan.questions[0]?.text ?? '';
    expect(await candidate.replies()).toEqual([PERSON, `${TEXTS.goingOn}\n\n${question}`]);
    expect(await candidate.state()).toMatchObject({ status: 'active', question: 0 });
  });

  test.each([
    ['has the conversation', false],
    ['has returned it', true],
  ])('and %s is not followed by what a crashed process had written', async (_when, isReturned) => {
    const candidate = await fixture.candidate();
    fixture.model.next(HELD);
    await candidate.start(fixture.main, words());
    await until(() => fixture.main.visible(candidate.id) === SHOWN);
    await fixture.main.get(SegmentWriter).write();

    await reply(candidate);
    if (isReturned) await giveBack(candidate);
    const said = await candidate.replies();
    fixture.clock.advance(LEASE_MS);
    await other.work();

    fixture.model.release();
    await fixture.main.settled();

    expect(await candidate.replies()).toEqual(said);
    expect(await candidate.state()).toMatchObject({ question: 0 });
  });

  test('is marked in the transcript, and no model is asked until the interview is returned', async () => {
    const candidate = await fixture.candidate();
    await reply(candidate);
    const asked = fixture.model.requests.length;

    await candidate.answer(words('for the person'));

    expect(fixture.model.requests).toHaveLength(asked);
    expect(await candidate.replies()).toEqual([PERSON, TEXTS.keptForPerson]);
    expect(
      await fixture.sql('select text from message where conversation_id = $1 and from_person', [
        candidate.id,
      ]),
    ).toEqual([{ text: PERSON }]);
    expect(await candidate.attention()).toMatchObject([{ kind: 'handed_over', closed: false }]);
  });

  test('is named as the team to the model afterwards', async () => {
    const candidate = await fixture.candidate();
    await reply(candidate);
    await giveBack(candidate);

    await candidate.answer(words());

    const { messages } = fixture.model.requests.at(-1)?.body ?? { messages: [] };
    const { transcript } = JSON.parse(messages.at(-1)?.content ?? '{}') as { transcript: object[] };
    expect(transcript).toContainEqual({ role: 'team', text: PERSON });
    expect(await candidate.state()).toMatchObject({ status: 'active', question: 1 });
  });

  test('is refused after a withdrawal', async () => {
    const candidate = await fixture.candidate();
    await candidate.withdraw();

    await expect(reply(candidate)).rejects.toMatchObject({ code: 'conversation_closed' });
    expect(await candidate.replies()).toEqual([]);
  });
});

describe('an interview that is returned', () => {
  test('goes on where it stood, and its item is closed', async () => {
    const candidate = await fixture.candidate();
    await candidate.answer(words());
    const before = await stateOf(candidate);
    await candidate.askForPerson();
    await reply(candidate);

    await giveBack(candidate);

    expect(await stateOf(candidate)).toEqual(before);
    expect(await ownerOf(candidate)).toBe('model');
    expect(await candidate.attention()).toMatchObject([{ kind: 'handed_over', closed: true }]);
    expect((await candidate.replies()).at(-1)).toContain(
      fixture.vacancy.plan.questions[1]?.text ?? '',
    );
  });

  test('goes on too after the model understood that a person is wanted', async () => {
    const candidate = await fixture.candidate();
    const question = fixture.vacancy.plan.questions[0]?.text ?? '';
    fixture.model.next(replyWith('human', ''));
    await candidate.answer('Can I talk to somebody?');
    fixture.model.next(replyWith('human', ''));
    await candidate.answer('Yes.');
    expect(await ownerOf(candidate)).toBe('asked');

    await giveBack(candidate);

    expect((await candidate.replies()).at(-1)).toBe(`${TEXTS.goingOn}\n\n${question}`);
    expect(await candidate.state()).toMatchObject({ status: 'active', question: 0 });
  });

  test('cannot be returned twice', async () => {
    const candidate = await fixture.candidate();
    await candidate.askForPerson();
    await giveBack(candidate);

    await expect(giveBack(candidate)).rejects.toMatchObject({ code: 'conversation_with_model' });
  });

  test('before consent waits for consent again', async () => {
    const candidate = await fixture.stranger();
    await candidate.askForPerson();

    await giveBack(candidate);

    expect(await candidate.state()).toMatchObject({ status: 'new' });
  });
});

describe('a candidate who asked for a person', () => {
  test('in words is asked first: nothing pauses, and nobody is told, before the yes', async () => {
    const candidate = await fixture.candidate();
    fixture.model.next(replyWith('human', 'MODEL WORDS'));

    await candidate.answer('Can I talk to somebody?');

    expect(await candidate.replies()).toEqual([TEXTS.confirmHuman]);
    expect(await candidate.state()).toMatchObject({ status: 'active', question: 0 });
    expect(await ownerOf(candidate)).toBe('model');
    expect(await candidate.attention()).toEqual([]);
  });

  test('in words, and then answers, is in the interview as before', async () => {
    const candidate = await fixture.candidate();
    fixture.model.next(replyWith('human', ''));
    await candidate.answer('Can I talk to somebody?');

    await candidate.answer(words());

    expect(await candidate.state()).toMatchObject({ status: 'active', question: 1 });
    expect(await ownerOf(candidate)).toBe('model');
    expect(await candidate.attention()).toEqual([]);
  });

  test('may go on as long as nobody has written', async () => {
    const candidate = await fixture.candidate();
    const before = await stateOf(candidate);
    await candidate.askForPerson();

    expect(await takeBack(candidate)).toBe(true);

    expect(await stateOf(candidate)).toEqual(before);
    expect(await candidate.attention()).toMatchObject([{ kind: 'handed_over', closed: true }]);
    await candidate.askForPerson();
    expect(await candidate.notices()).toEqual([TEXTS.handedOver, TEXTS.handedOver]);
    await reply(candidate);
    expect(await takeBack(candidate)).toBe(false);
    expect(await ownerOf(candidate)).toBe('person');
  });

  test('of a completed interview leaves it completed', async () => {
    const candidate = await completed();

    await candidate.askForPerson();
    await candidate.answer(words('one more thing'));

    expect(await candidate.state()).toMatchObject({ status: 'completed' });
    expect((await candidate.replies()).at(-1)).toBe(TEXTS.keptForPerson);
    expect(await candidate.attention()).toMatchObject([{ kind: 'handed_over', closed: false }]);
    await reply(candidate);
    await giveBack(candidate);
    expect(await candidate.state()).toMatchObject({ status: 'completed' });
  });
});
