import { coverageOf } from '../../src/interview/transcript/transcript.service';
import { advance, endState, initialState } from '../../src/interview/plan/state';
import { pageOf } from '../../src/notion-sync/reviews/review-page';
import type { InterviewSummary } from '../../src/common/events';
import { vacancyDraft } from '../support/vacancies';

const { plan } = vacancyDraft();

describe('the coverage of an interview', () => {
  test('counts the must-ask questions that were asked and those that were answered', () => {
    const first = advance(plan, initialState(plan), 'weak');
    const second = advance(plan, first, 'answered');
    const third = advance(plan, second, 'declined');

    expect(coverageOf(plan, third)).toEqual({ counted: 'must-ask', of: 2, asked: 2, answered: 1 });
  });

  test('counts a question that was asked once more as one, answered the second time', () => {
    const open = advance(plan, initialState(plan), 'unanswered');
    const again = advance(plan, advance(plan, open, 'declined'), 'answered');

    expect(again.openQuestion).toBe('last');
    expect(coverageOf(plan, again)).toMatchObject({ of: 2, asked: 2, answered: 1 });
    const done = advance(plan, again, 'answered');
    expect(coverageOf(plan, done)).toMatchObject({ of: 2, asked: 2, answered: 2 });
  });

  test('does not count questions after a withdrawal as asked', () => {
    const left = endState(plan, initialState(plan), 'withdrawn');

    expect(coverageOf(plan, left)).toEqual({ counted: 'must-ask', of: 2, asked: 1, answered: 0 });
  });

  test('counts all questions of a plan without must-ask questions', () => {
    const open = { ...plan, questions: plan.questions.map((one) => ({ ...one, mustAsk: false })) };

    const coverage = coverageOf(open, advance(open, initialState(open), 'unanalysed'));

    expect(coverage).toEqual({ counted: 'all', of: 3, asked: 2, answered: 1 });
  });
});

describe('the page of an interview', () => {
  const subject: InterviewSummary = {
    language: 'ru',
    candidate: 'Ада',
    vacancy: 'Пекарь',
    ownerId: '5f2c7a10-94be-4d0a-8c3e-2b1f60d7a911',
    coverage: { counted: 'must-ask', of: 8, asked: 7, answered: 6 },
    after: { messages: 2, end: 'handed_over' },
  };

  test('is written in the language of its vacancy', () => {
    expect(pageOf(subject, null)).toMatchObject({
      title: 'Интервью: Ада, Пекарь',
      coverage:
        'Задано обязательных вопросов: 7 из 8, с ответом: 6; сообщений после завершения: 2; после этого кандидат попросил связать его с человеком',
    });
  });

  test('says that the candidate has no name', () => {
    const english = { ...subject, language: 'en', candidate: null, vacancy: 'Baker' } as const;

    expect(pageOf(english, null).title).toBe('Interview: a candidate without a name, Baker');
  });
});
