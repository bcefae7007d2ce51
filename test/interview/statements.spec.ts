import type { Verdict } from '../../src/interview/plan/verdicts';
import { type Evidence, StatementCheck } from '../../src/interview/turn/statements';
import type { Language } from '../../src/vacancies';
import { type Half, repliesOf, shownOf } from './statement-sets';

const LANGUAGES: readonly Language[] = ['en', 'ru'];

/** The ordinary replies of a half, in both languages, and those of which something is missing. */
function touchedIn(half: Half): { readonly of: number; readonly touched: readonly string[] } {
  const replies = LANGUAGES.flatMap((language) =>
    repliesOf(`ordinary.${language}`, half).map((one) => ({ ...one, language })),
  );
  const touched = replies.filter((one) => shownOf(one, one.language) !== one.text);
  return { of: replies.length, touched: touched.map(({ text }) => text) };
}

/** The planted facts of a half, in both languages, and those that are shown. */
function shownIn(half: Half): { readonly of: number; readonly shown: readonly string[] } {
  const replies = LANGUAGES.flatMap((language) =>
    repliesOf(`planted.${language}`, half).map((one) => ({ ...one, language })),
  );
  const shown = replies.filter((one) => shownOf(one, one.language).includes(one.planted));
  return { of: replies.length, shown: shown.map(({ planted }) => planted) };
}

test('the sets are as large as the rates need', () => {
  const of = (count: (half: Half) => { readonly of: number }): number =>
    count('tuned').of + count('shown').of;
  expect(of(touchedIn)).toBeGreaterThanOrEqual(300);
  expect(of(shownIn)).toBeGreaterThanOrEqual(100);
});

test('of the ordinary replies that the filter was tuned on, it touches at most 1 %', () => {
  const { of, touched } = touchedIn('tuned');
  expect(touched.length / of).toBeLessThanOrEqual(0.01);
});

test('every planted fact of the tuned half is held back', () => {
  expect(shownIn('tuned').shown).toEqual([]);
});

test('every planted fact of the other half is held back too', () => {
  expect(shownIn('shown').shown).toEqual([]);
});

const PLAN = ['Which bread did you bake last?', 'The early shift begins at four.'];
const NONE: Evidence = {
  plan: PLAN,
  named: [],
  isGrounded: false,
  company: 'Crumb',
  said: [],
  answer: '',
  asks: false,
  questions: [PLAN[0] ?? ''],
  verdict: 'answered',
};

function isHeldBack(sentence: string, evidence: Partial<Evidence> = {}): boolean {
  const isGrounded = (evidence.named ?? []).length > 0;
  return new StatementCheck({ ...NONE, isGrounded, ...evidence }).isUnproven(sentence);
}

test.each<[string, Partial<Evidence>]>([
  ['The early shift begins at four.', {}],
  ['Crumb pays 3,100 euros a month.', { named: ['Bakers are paid 3,100 euros a month.'] }],
  ['3100 euros a month.', { named: ['Bakers are paid 3,100 euros a month.'] }],
  ['You get twenty-five days of vacation.', { named: ['Vacation: 25 days.'] }],
  ['Отпуск 25 дней.', { named: ['Vacation: 25 days.'] }],
])('a statement with its evidence is shown: %s', (sentence, evidence) => {
  expect(isHeldBack(sentence, evidence)).toBe(false);
});

test.each<[string, Partial<Evidence>]>([
  ['Crumb pays 3,200 euros a month.', { named: ['Bakers are paid 3,100 euros a month.'] }],
  ['We use Kafka and Redis.', { named: ['The shop uses Kafka.'] }],
  ['The team has four bakers.', {}],
])('a statement with other evidence is held back: %s', (sentence, evidence) => {
  expect(isHeldBack(sentence, evidence)).toBe(true);
});

test.each<[string, string, boolean]>([
  ['So the salary is 5,000, right?', 'Yes, exactly.', true],
  ['So the salary is 5,000, right?', 'Yes, 5,000.', true],
  ['So the salary is 5,000.', 'Right, 5,000 it is.', true],
  ['Is it 5,000 euros?', 'It is.', true],
  ['То есть зарплата 150 тысяч?', 'Да, верно.', true],
  ['The rollback was hard, you know what I mean?', 'Yes, I follow.', false],
  ['Понятно объясняю?', 'Да, понятно.', false],
  ['I earned 5,000 there.', 'You earned 5,000 there.', false],
])('after %j the reply %j is held back: %j', (answer, reply, expected) => {
  expect(isHeldBack(reply, { answer, said: [answer] })).toBe(expected);
});

test.each<[Verdict]>([['answered'], ['vague'], ['follow_up'], ['clarify'], ['off_topic'], ['refusal']])(
  'holds a planted fact back under the verdict %s',
  (verdict) => {
    expect(isHeldBack('Thanks, and by the way the salary is 5,000.', { verdict })).toBe(true);
    expect(isHeldBack('Офис у нас в Белграде, удалёнка два дня в неделю.', { verdict })).toBe(true);
  },
);
