import { randomUUID } from 'node:crypto';
import { Takeovers } from '../../src/interview';
import { textsOf } from '../../src/interview/texts/texts';
import { SegmentWriter } from '../../src/streams/segment-writer';
import { replyWith } from '../../tools/fake-model/model-server';
import { untilInProcess } from '../support/until';
import {
  LEASE_MS,
  startInterviews,
  startOther,
  closeInterviews,
  words,
  work,
  settled,
  visible,
} from './interviews';
import { type Interviewee, newCandidate, newStranger } from './interviewee';
import type { TestApp } from '../support/app';

let app: TestApp;
let other: TestApp;

beforeAll(async () => {
  app = await startInterviews();
  other = await startOther(app);
  await other.worker.tick();
});

afterAll(() => closeInterviews(app));

const TEXTS = textsOf('en');
const SHOWN = 'Half.';
const HELD = {
  kind: 'hold',
  content: `{"verdict":"answered","text":"${SHOWN} A`,
  rest: 'nd the rest."}',
} as const;
const PERSON = 'Nora here: shall we talk on Friday?';

/** Runs in a process that writes no reply, as the admin API or the command line does. */
function inOther(
  work: (takeovers: Takeovers, ...rest: Parameters<Takeovers['requestPerson']>) => Promise<unknown>,
) {
  return (candidate: Interviewee): Promise<unknown> =>
    other.commit((tx) => work(other.get(Takeovers), tx, candidate.id));
}

const reply = inOther((takeovers, tx, id) => takeovers.reply(tx, id, PERSON));
const take = inOther((takeovers, tx, id) => takeovers.take(tx, id));
const returnToModel = inOther((takeovers, tx, id) => takeovers.returnToModel(tx, id, 'Nora'));
function takeBack({ id }: Interviewee): Promise<boolean> {
  return other.commit((tx) => other.get(Takeovers).takeBack(tx, id));
}

async function ownerOf({ id }: Interviewee): Promise<string | undefined> {
  const rows = await app.sql<{ owner: string }>('select owner from conversation where id = $1', [
    id,
  ]);
  return rows[0]?.owner;
}

async function stateOf({ id }: Interviewee): Promise<unknown> {
  const [row] = await app.sql('select state, status from conversation where id = $1', [id]);
  return row;
}

async function completed(): Promise<Interviewee> {
  const candidate = await newCandidate(app);
  for (const _ of app.vacancy.plan.questions) await candidate.answer(words());
  expect(await candidate.state()).toMatchObject({ status: 'completed' });
  return candidate;
}

describe('the reply of a person', () => {
  test('replaces a reply that was being written, and the interview pauses', async () => {
    const candidate = await newCandidate(app);
    app.model.next(HELD);
    await candidate.start(app, words());
    await untilInProcess(
      'the beginning of the reply is visible',
      () => visible(app, candidate.id) === SHOWN,
    );

    await reply(candidate);
    app.model.release();
    await settled(app);

    expect(await candidate.replies()).toEqual([PERSON]);
    expect(await candidate.state()).toMatchObject({ status: 'handed_over', question: 0 });
    expect(await candidate.waiting()).toEqual([]);
    expect(await ownerOf(candidate)).toBe('person');
  });

  test('is stored once, and takes nothing over again, when it is repeated under its id', async () => {
    const candidate = await newCandidate(app);
    const id = randomUUID();
    const repeat = inOther((takeovers, tx, of) => takeovers.reply(tx, of, PERSON, id));

    await repeat(candidate);
    await returnToModel(candidate);
    await repeat(candidate);

    const question = app.vacancy.plan.questions[0]?.text ?? '';
    expect(await candidate.replies()).toEqual([PERSON, `${TEXTS.goingOn}\n\n${question}`]);
    expect(await ownerOf(candidate)).toBe('model');
  });

  test('replaces it also when the interview was returned meanwhile', async () => {
    const candidate = await newCandidate(app);
    app.model.next(HELD);
    await candidate.start(app, words());
    await untilInProcess(
      'the beginning of the reply is visible',
      () => visible(app, candidate.id) === SHOWN,
    );

    await reply(candidate);
    await returnToModel(candidate);
    app.model.release();
    await settled(app);

    const question = app.vacancy.plan.questions[0]?.text ?? '';
    expect(await candidate.replies()).toEqual([PERSON, `${TEXTS.goingOn}\n\n${question}`]);
    expect(await candidate.state()).toMatchObject({ status: 'active', question: 0 });
  });

  test.each([
    ['the person has the conversation', false],
    ['the person has returned it', true],
  ])('is not followed by the text of a crashed process while %s', async (_when, isReturned) => {
    const candidate = await newCandidate(app);
    app.model.next(HELD);
    await candidate.start(app, words());
    await untilInProcess(
      'the beginning of the reply is visible',
      () => visible(app, candidate.id) === SHOWN,
    );
    await app.get(SegmentWriter).write();

    await reply(candidate);
    if (isReturned) await returnToModel(candidate);
    const said = await candidate.replies();
    app.clock.advance(LEASE_MS);
    await work(other);

    app.model.release();
    await settled(app);

    expect(await candidate.replies()).toEqual(said);
    expect(await candidate.state()).toMatchObject({ question: 0 });
  });

  test('is marked in the transcript, and no request is sent until the interview is returned', async () => {
    const candidate = await newCandidate(app);
    await reply(candidate);
    const requestsBefore = app.model.requests.length;

    await candidate.answer(words('for the person'));

    expect(app.model.requests).toHaveLength(requestsBefore);
    expect(await candidate.replies()).toEqual([PERSON, TEXTS.keptForPerson]);
    expect(
      await app.sql('select text from message where conversation_id = $1 and from_person', [
        candidate.id,
      ]),
    ).toEqual([{ text: PERSON }]);
    expect(await candidate.attention()).toMatchObject([{ kind: 'handed_over', closed: false }]);
  });

  test('has the role "team" in later prompts', async () => {
    const candidate = await newCandidate(app);
    await reply(candidate);
    await returnToModel(candidate);

    await candidate.answer(words());

    const { messages } = app.model.requests.at(-1)?.body ?? { messages: [] };
    const { transcript } = JSON.parse(messages.at(-1)?.content ?? '{}') as { transcript: object[] };
    expect(transcript).toContainEqual({ role: 'team', text: PERSON });
    expect(await candidate.state()).toMatchObject({ status: 'active', question: 1 });
  });

  test('is refused after a withdrawal', async () => {
    const candidate = await newCandidate(app);
    await candidate.withdraw();

    await expect(reply(candidate)).rejects.toMatchObject({ code: 'conversation_closed' });
    expect(await candidate.replies()).toEqual([]);
  });
});

describe('a person who takes an interview over without a word', () => {
  test('ends the reply that was being written, and there is an item until the interview is returned', async () => {
    const candidate = await newCandidate(app);
    app.model.next(HELD);
    await candidate.start(app, words());
    await untilInProcess(
      'the beginning of the reply is visible',
      () => visible(app, candidate.id) === SHOWN,
    );

    await take(candidate);
    app.model.release();
    await settled(app);

    expect(await candidate.replies()).toEqual([]);
    expect(await ownerOf(candidate)).toBe('person');
    expect(await candidate.attention()).toMatchObject([{ kind: 'handed_over', closed: false }]);
    await returnToModel(candidate);
    expect(await candidate.attention()).toMatchObject([{ kind: 'handed_over', closed: true }]);
  });

  test('is not followed by the text of a crashed process', async () => {
    const candidate = await newCandidate(app);
    app.model.next(HELD);
    await candidate.start(app, words());
    await untilInProcess(
      'the beginning of the reply is visible',
      () => visible(app, candidate.id) === SHOWN,
    );
    await app.get(SegmentWriter).write();

    await take(candidate);
    app.clock.advance(LEASE_MS);
    await work(other);

    app.model.release();
    await settled(app);
    expect(await candidate.replies()).toEqual([]);
  });

  test('opens the item again that somebody has closed while they had it', async () => {
    const candidate = await newCandidate(app);
    await take(candidate);
    await app.sql(
      `update attention set closed_at = now() where conversation_id = $1 returning id`,
      [candidate.id],
    );

    await take(candidate);

    expect(await candidate.attention()).toMatchObject([
      { kind: 'handed_over', closed: true },
      { kind: 'handed_over', closed: false },
    ]);
  });

  test('is refused after a withdrawal', async () => {
    const candidate = await newCandidate(app);
    await candidate.withdraw();

    await expect(take(candidate)).rejects.toMatchObject({ code: 'conversation_closed' });
  });
});

describe('an interview that is returned', () => {
  test('continues from the same state, and its item is closed', async () => {
    const candidate = await newCandidate(app);
    await candidate.answer(words());
    const before = await stateOf(candidate);
    await candidate.askForPerson();
    await reply(candidate);

    await returnToModel(candidate);

    expect(await stateOf(candidate)).toEqual(before);
    expect(await ownerOf(candidate)).toBe('model');
    expect(await candidate.attention()).toMatchObject([{ kind: 'handed_over', closed: true }]);
    expect((await candidate.replies()).at(-1)).toContain(app.vacancy.plan.questions[1]?.text ?? '');
  });

  test('continues also after the candidate asked for a person in words', async () => {
    const candidate = await newCandidate(app);
    const question = app.vacancy.plan.questions[0]?.text ?? '';
    app.model.next(replyWith('human', ''));
    await candidate.answer('Can I talk to somebody?');
    app.model.next(replyWith('human', ''));
    await candidate.answer('Yes.');
    expect(await ownerOf(candidate)).toBe('asked');

    await returnToModel(candidate);

    expect((await candidate.replies()).at(-1)).toBe(`${TEXTS.goingOn}\n\n${question}`);
    expect(await candidate.state()).toMatchObject({ status: 'active', question: 0 });
  });

  test('cannot be returned twice', async () => {
    const candidate = await newCandidate(app);
    await candidate.askForPerson();
    await returnToModel(candidate);

    await expect(returnToModel(candidate)).rejects.toMatchObject({
      code: 'conversation_with_model',
    });
  });

  test('before consent waits for consent', async () => {
    const candidate = await newStranger(app);
    await candidate.askForPerson();

    await returnToModel(candidate);

    expect(await candidate.state()).toMatchObject({ status: 'new' });
  });
});

describe('a candidate who asked for a person', () => {
  test('in words is asked to confirm first: the interview does not pause before that', async () => {
    const candidate = await newCandidate(app);
    app.model.next(replyWith('human', 'MODEL WORDS'));

    await candidate.answer('Can I talk to somebody?');

    expect(await candidate.replies()).toEqual([TEXTS.confirmHuman]);
    expect(await candidate.state()).toMatchObject({ status: 'active', question: 0 });
    expect(await ownerOf(candidate)).toBe('model');
    expect(await candidate.attention()).toEqual([]);
  });

  test('in words and then answers continues the interview', async () => {
    const candidate = await newCandidate(app);
    app.model.next(replyWith('human', ''));
    await candidate.answer('Can I talk to somebody?');

    await candidate.answer(words());

    expect(await candidate.state()).toMatchObject({ status: 'active', question: 1 });
    expect(await ownerOf(candidate)).toBe('model');
    expect(await candidate.attention()).toEqual([]);
  });

  test('may continue until a person has replied', async () => {
    const candidate = await newCandidate(app);
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

  test('after an objection, and goes on, leaves the item about the objection open', async () => {
    const candidate = await newCandidate(app);
    app.model.next(replyWith('objection', ''));
    await candidate.answer('I object to automated processing.');
    await candidate.askForPerson();

    expect(await takeBack(candidate)).toBe(true);

    expect(await candidate.attention()).toMatchObject([
      { kind: 'objection', closed: false },
      { kind: 'handed_over', closed: true },
    ]);
  });

  test('and objects while a person has the completed interview: it is stored', async () => {
    const candidate = await completed();
    await reply(candidate);

    await candidate.answer('I object to automated processing.');

    expect((await candidate.replies()).at(-1)).toBe(TEXTS.objectionNoted);
    expect(await candidate.attention()).toMatchObject([
      { kind: 'handed_over', closed: false },
      { kind: 'objection', closed: false },
    ]);
    const [row] = await app.sql(
      'select automated_processing_objected_at is not null as objected from conversation where id = $1',
      [candidate.id],
    );
    expect(row).toEqual({ objected: true });
  });

  test('of a completed interview leaves it completed', async () => {
    const candidate = await completed();

    await candidate.askForPerson();
    await candidate.answer(words('one more thing'));

    expect(await candidate.state()).toMatchObject({ status: 'completed' });
    expect((await candidate.replies()).at(-1)).toBe(TEXTS.keptForPerson);
    expect(await candidate.attention()).toMatchObject([{ kind: 'handed_over', closed: false }]);
    await reply(candidate);
    await returnToModel(candidate);
    expect(await candidate.state()).toMatchObject({ status: 'completed' });
  });
});
