import { textsOf } from '../../../src/interview/texts/texts';
import type { TestApp } from '../../support/app';
import {
  EN,
  type Person,
  WINDOW_MS,
  begunPerson,
  newPerson,
  withBotAndModel,
} from './telegram-person';

/** /skip leaves the open question; the model server counts that nobody asks it. */
describe('/skip', () => {
  let app: TestApp;

  withBotAndModel((started) => (app = started));

  async function outcomes(person: Person): Promise<string[]> {
    const [row] = await app.sql<{ outcomes: string[] }>(
      `select array(select jsonb_path_query(state, '$.settled[*].outcome') #>> '{}') as outcomes
       from conversation where id = $1`,
      [await person.conversationId()],
    );
    return row?.outcomes ?? [];
  }

  test('declines the question without a model and asks the next one', async () => {
    const ada = await begunPerson(app);
    const requestsBefore = app.model.requests.length;

    await ada.writes('/skip');
    await app.pass(1000);

    expect(ada.heard).toEqual([expect.stringMatching(/\n\nWhy bread\?$/)]);
    expect(textsOf('en').declined).toContain(ada.lastHeard.split('\n\n')[0]);
    expect(await outcomes(ada)).toEqual(['declined']);
    expect(app.model.requests).toHaveLength(requestsBefore);
  });

  test('also of the last question, and then the interview is complete', async () => {
    const ada = await begunPerson(app);

    for (let question = 0; question < 3; question += 1) {
      await ada.writes('/skip');
      await app.pass(1000);
    }

    expect(await outcomes(ada)).toEqual(['declined', 'declined', 'declined']);
    expect((await ada.conversation()).status).toBe('completed');
    ada.forgetsTheChat();
    await ada.writes('/skip');
    expect(ada.heard).toEqual([EN.completed]);
  });

  test('wins over what was written before it, which is kept', async () => {
    const ada = await begunPerson(app);
    const requestsBefore = app.model.requests.length;
    await ada.writes('I would rather not say.');

    await ada.writes('/skip It is private.');
    await app.pass(1000);

    expect(await ada.said()).toEqual(['I would rather not say.', 'It is private.', '/skip']);
    expect(await outcomes(ada)).toEqual(['declined']);
    expect(app.model.requests).toHaveLength(requestsBefore);
  });

  test('ends a break', async () => {
    const ada = await begunPerson(app);
    await ada.writes('/pause');

    await ada.writes('/skip');
    await app.pass(1000);

    await ada.writes('/status');
    expect(ada.lastHeard).toBe(
      EN.status({ question: 2, of: 3, isCollecting: false, isReplying: false, isPaused: false }),
    );
  });

  test('while a reply is being written it says so, and leaves the next question alone', async () => {
    const ada = await begunPerson(app);
    const requestsBefore = app.model.requests.length;
    app.model.next({ kind: 'hold', content: '{"verdict":"answered","text":"Th', rest: 'anks."}' });
    await ada.writes('A rye loaf.');
    app.clock.advance(WINDOW_MS);
    await app.settle('flush');
    await app.model.request(requestsBefore + 1);

    ada.user.writes('/skip');
    await app.settle('flush');

    expect(ada.lastHeard).toBe(EN.skipTooEarly);
    app.model.release();
    await app.settle();
    expect(await ada.said()).toEqual(['A rye loaf.']);
    expect(ada.lastHeard).toContain('Why bread?');
  });

  test('before consent it says that consent comes first, and keeps nothing', async () => {
    const ada = newPerson(app);
    await ada.starts(app.vacancy.openToken);
    ada.forgetsTheChat();

    await ada.writes('/skip');

    expect(ada.heard).toEqual([EN.notStarted]);
    expect(await ada.said()).toEqual([]);
  });
});
