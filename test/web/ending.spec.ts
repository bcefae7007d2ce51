import { dictionaries } from '../../web/src/i18n/dictionary';
import { givenName, promisedDay } from '../../web/src/promised-reply';
import { ApiProblem } from '../../web/src/api/client';
import { answersFile } from '../../web/src/state/answers-file';
import { aMessage, aView } from './fake-browser';
import { aSession } from './test-session';

const { en, ru } = dictionaries;
const reply = { from: 'Nora Lindqvist', withinDays: 5, by: '2026-11-27' };

describe('the first page', () => {
  test.each([
    [1, 1, '1 question, about 1 minute, at your own pace'],
    [8, 20, '8 questions, about 20 minutes, at your own pace'],
  ])('says in English that there are %d questions in %d minutes', (questions, minutes, text) => {
    expect(en.welcome.lead(questions, minutes)).toBe(text);
  });

  test.each([
    [1, 1, '1 вопрос, около 1 минуты'],
    [2, 5, '2 вопроса, около 5 минут'],
    [7, 15, '7 вопросов, около 15 минут'],
    [12, 22, '12 вопросов, около 22 минут'],
    [21, 21, '21 вопрос, около 21 минуты'],
  ])('says in Russian that there are %d questions in %d minutes', (questions, minutes, text) => {
    expect(ru.welcome.lead(questions, minutes)).toBe(`${text}, в\u00a0удобном темпе`);
  });
});

describe('the end', () => {
  test('names the candidate, who replies and the day', () => {
    const [name, from] = [givenName('Priya Sharma'), givenName(reply.from)];

    expect(en.completed.title(name, from, promisedDay(reply, 'en'))).toBe(
      'You’re all done, Priya. Nora will reply by 27 November.',
    );
    expect(ru.completed.title(name, 'Марина', promisedDay(reply, 'ru'))).toBe(
      'Всё готово. Марина ответит не позднее 27 ноября.',
    );
  });

  test('promises no day where none was set, and names nobody who is not known', () => {
    const day = promisedDay({ ...reply, by: null }, 'en');

    expect(day).toBeNull();
    expect(en.completed.title(null, 'Nora', day)).toBe(
      'You’re all done. Nora will get back to you.',
    );
    expect(ru.completed.title(null, null, day)).toBe('Всё готово. Команда по найму вам ответит.');
    expect([givenName(''), givenName(null)]).toEqual([null, null]);
  });
});

describe('the receipt', () => {
  test('has no quotes when the interview is not scored any more', async () => {
    const { session, api } = aSession(aView({ receipt: true }));
    api.receipt = () => Promise.reject(new ApiProblem(404, 'receipt_unavailable', null));

    expect(await session.requests.receipt()).toEqual({ state: 'ready', questions: [] });
  });

  test('passes on every other problem', async () => {
    const { session, api } = aSession(aView({ receipt: true }));
    api.receipt = () => Promise.reject(new ApiProblem(503, 'unavailable', null));

    await expect(session.requests.receipt()).rejects.toMatchObject({ code: 'unavailable' });
  });
});

describe('the file of answers', () => {
  test('has every message under the name of who said it', () => {
    const messages = [
      aMessage(1, { text: 'Why bread?' }),
      aMessage(2, { role: 'user', text: ' I like rye. ' }),
      aMessage(3, { role: 'system', text: 'A person comes.' }),
      aMessage(4, { fromPerson: true, text: 'Nora here.' }),
      aMessage(5, { role: 'user', contentType: 'VOICE', text: '' }),
    ];

    expect(answersFile('Baker · Crumb', { messages, receipt: null, interviewer: 'ai' }, en)).toBe(
      [
        'Baker · Crumb',
        'AI interviewer:\nWhy bread?',
        'You:\nI like rye.',
        'Note:\nA person comes.',
        'A person from the hiring team:\nNora here.\n',
      ].join('\n\n'),
    );
  });

  test('ends with the quoted words of the receipt', () => {
    const receipt = {
      state: 'ready' as const,
      questions: [{ question: 'Why bread?', quotes: ['rye that keeps', 'for a week'] }],
    };
    const messages = [aMessage(2, { role: 'user', text: 'I like rye.' })];

    expect(answersFile('Bread', { messages, receipt, interviewer: 'ai' }, en)).toBe(
      [
        'Bread',
        'You:\nI like rye.',
        'Which of my words were picked out?',
        'Why bread?\n> rye that keeps\n> for a week\n',
      ].join('\n\n'),
    );
  });

  test('reads the messages that the page has not shown yet', async () => {
    const view = aView({ messages: [aMessage(7), aMessage(8)], olderCursor: 7 });
    const { session, api, saved } = aSession(view);
    const pages = [
      { messages: [aMessage(4), aMessage(5)], olderCursor: 4 },
      { messages: [aMessage(1)], olderCursor: null },
    ];
    const cursors: number[] = [];
    api.older = (cursor) => {
      cursors.push(cursor);
      return Promise.resolve(pages.shift() ?? { messages: [], olderCursor: null });
    };
    const seqs: number[] = [];

    await session.requests.downloadAnswers('answers.txt', (messages) => {
      seqs.push(...messages.map(({ seq }) => seq));
      return 'text';
    });

    expect(seqs).toEqual([1, 4, 5, 7, 8]);
    expect(cursors).toEqual([7, 4]);
    expect(saved[0]).toBe('answers.txt');
  });
});
