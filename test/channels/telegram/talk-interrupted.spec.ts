import { InterviewService, Takeovers } from '../../../src/interview';
import { textsOf } from '../../../src/interview/texts/texts';
import { LiveReplies } from '../../../src/streams';
import type { Tx } from '../../../src/common/uow';
import type { ModelServer } from '../../../tools/fake-model/model-server';
import type { TestApp } from '../../support/app';
import { type Person, WINDOW_MS, begunPerson, withBotAndModel } from './telegram-person';

const HELD = {
  kind: 'hold',
  content: '{"verdict":"answered","sources":"","text":"Rye and water. A',
  rest: 'nd salt."}',
} as const;
const TEXTS = textsOf('en');

type End = (app: TestApp, tx: Tx, id: string) => Promise<void>;

/** Telegram shows nothing of a reply before its end, so nothing of it is left to be shown. */
describe('the reply that the model writes in Telegram', () => {
  let model: ModelServer;
  let app: TestApp;

  withBotAndModel((started) => {
    app = started;
    model = started.model;
  });

  /** A candidate who has answered; the model has written the beginning of its reply. */
  async function answering(): Promise<{ ada: Person; id: string }> {
    const ada = await begunPerson(app);
    const id = (await ada.conversationId()) ?? '';
    model.next(HELD);
    await ada.writes('Rye, with caraway and a dark crust.');
    app.clock.advance(WINDOW_MS);
    await app.until('the model has begun its reply', () => {
      const { text = '' } = app.get(LiveReplies).current(id) ?? {};
      return text !== '';
    });
    return { ada, id };
  }

  test.each<[string, string, End]>([
    [
      'withdraws',
      TEXTS.withdrawn({ hasAnswers: false }),
      (of, tx, id) => of.get(InterviewService).withdraw(tx, id),
    ],
    [
      'asks for a person',
      TEXTS.handedOver,
      (of, tx, id) => of.get(Takeovers).requestPerson(tx, id),
    ],
  ])('is not sent to a candidate who %s meanwhile, in part or whole', async (_, said, end) => {
    const { ada, id } = await answering();

    await app.commit((tx) => end(app, tx, id));
    model.release();
    await app.pass(1000);

    expect(ada.heard).toEqual([said]);
    expect((await ada.lines()).map(({ text }) => text)).not.toContainEqual(
      expect.stringContaining('Rye and water.'),
    );
    expect(
      await app.sql(
        `select state, partial, reply_text from turn where conversation_id = $1 order by id`,
        [id],
      ),
    ).toEqual([{ state: 'delivered', partial: true, reply_text: '' }]);
    const waiting = `select 1 from message
      where conversation_id = $1 and role = 'user' and cleared_at is null`;
    expect(await app.sql(waiting, [id])).toEqual([]);
  });
});
