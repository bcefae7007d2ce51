import { Takeovers } from '../../../src/interview';
import { textsOf } from '../../../src/interview/texts/texts';
import { type ModelServer, replyWith } from '../../../tools/fake-model/model-server';
import type { TestApp } from '../../support/app';
import { type Person, WINDOW_MS, begunPerson, withBotAndModel } from './telegram-person';

const HELD = {
  kind: 'hold',
  content: '{"verdict":"answered","sources":"","text":"Rye and ',
  rest: 'water, the model says."}',
} as const;
const NORA = 'Nora here: shall we talk on Friday?';
const TEXTS = textsOf('en');

/** A person takes over a conversation while the model writes a reply. */
describe('a person who takes over in Telegram', () => {
  let model: ModelServer;
  let app: TestApp;

  withBotAndModel((started) => {
    app = started;
    model = started.model;
  });

  async function nora(
    person: Person,
    work: 'reply' | 'returnToModel',
    words: string,
  ): Promise<void> {
    const id = (await person.conversationId()) ?? '';
    const takeovers = app.get(Takeovers);
    await app.commit<unknown>((tx) => takeovers[work](tx, id, words));
  }

  /** A candidate who has answered, while the model is still writing its reply. */
  async function answering(): Promise<Person> {
    const ada = await begunPerson(app);
    const asked = model.requests.length;
    model.next(HELD);
    await ada.writes('Rye, with caraway and a dark crust.');
    app.clock.advance(WINDOW_MS);
    await app.until('the model has begun its reply', () => model.requests.length > asked);
    return ada;
  }

  test('replaces the reply that was being written, which is not delivered', async () => {
    const ada = await answering();

    await nora(ada, 'reply', NORA);
    model.release();
    await app.pass(1000);

    expect(ada.heard).toEqual([`${TEXTS.fromPerson}\n\n${NORA}`]);
    expect((await ada.lines()).map(({ text }) => text)).not.toContainEqual(
      expect.stringContaining('the model says'),
    );
    const [{ count } = { count: -1 }] = await app.sql<{ count: number }>(
      `select count(*)::int as count from delivery d join message m on m.id = d.message_id
       where d.conversation_id = $1 and d.kind = 'reply'`,
      [await ada.conversationId()],
    );
    expect(count).toBe(0);
  });

  test('is not followed by the interrupted reply, even if the interview was given back meanwhile', async () => {
    const ada = await answering();

    await nora(ada, 'reply', NORA);
    await nora(ada, 'returnToModel', 'Nora');
    model.release();
    await app.pass(1000);

    expect(ada.heard).toEqual([
      `${TEXTS.fromPerson}\n\n${NORA}`,
      `${TEXTS.goingOn}\n\nWhat did you bake last?`,
    ]);
  });

  test('comes after a reply that the model has ended, even if that reply is not sent yet', async () => {
    const ada = await begunPerson(app);
    model.next(replyWith('answered', 'Rye, the model says.'));
    app.telegram.faults.on('sendMessage', { kind: 'hang' });
    await ada.writes('Rye, with caraway and a dark crust.');
    app.clock.advance(WINDOW_MS);
    await app.until('the reply is being sent', () => app.telegram.faults.waiting > 0);

    await nora(ada, 'reply', NORA);
    app.telegram.faults.release();
    await app.pass(1000);

    expect(ada.heard).toEqual([
      expect.stringContaining('Rye, the model says.'),
      `${TEXTS.fromPerson}\n\n${NORA}`,
    ]);
  });

  test('is called when the candidate confirms in words that they want a person', async () => {
    const ada = await begunPerson(app);
    model.next(replyWith('human', ''));
    await ada.writes('Can I talk to somebody?');
    await app.pass(WINDOW_MS);
    expect(ada.heard).toEqual([TEXTS.confirmHuman]);
    expect((await ada.conversation()).status).toBe('active');

    model.next(replyWith('human', ''));
    await ada.writes('Yes.');
    await app.pass(WINDOW_MS);

    expect(ada.lastHeard).toBe(TEXTS.handedOver);
    expect((await ada.conversation()).status).toBe('handed_over');
  });
});
