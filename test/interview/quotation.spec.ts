import { quotationOf } from '../../src/interview/turn/quotation';

const passage = (heading: string, text: string) => ({
  id: heading,
  document: 'work.en.md',
  headings: ['Work', heading],
  text,
});
const SHIFTS = passage(
  'Shifts',
  'The early shift begins at four in the morning and ends at noon. Nobody has two early shifts in a row.',
);
const LEAVE = passage('Sick leave', 'Sick leave is paid from the first day.');
const BONUS = passage('Bonus', 'Once a year, up to 5 %.');
const SHIFTS_RU = passage('Смены', 'Утренняя смена начинается в четыре утра.');
const ALL = [LEAVE, BONUS, SHIFTS, SHIFTS_RU];

test.each([
  ['When does the early shift begin?', 'Shifts', SHIFTS.text],
  ['Are there early shifts in the morning?', 'Shifts', SHIFTS.text],
  ['Is there a bonus?', 'Bonus', BONUS.text],
  ['Is sick leave paid?', 'Sick leave', LEAVE.text],
  ['Когда начинается утренняя смена?', 'Смены', SHIFTS_RU.text],
])('%j is answered by quoting %j', (question, title, words) => {
  expect(quotationOf(question, ALL)).toEqual({ title, words });
});

test.each([
  'Is parental leave paid?',
  'Is there a shift at night?',
  'Is the morning nice?',
  'May I call someone later?',
  'Why?',
  'А отпуск оплачивается?',
  '???',
])('%j is left to a person', (question) => {
  expect(quotationOf(question, ALL)).toBeNull();
});

test('a passage without a heading has the name of its document', () => {
  const plain = { ...LEAVE, headings: [] };
  expect(quotationOf('Is sick leave paid?', [plain])?.title).toBe('work.en.md');
});

test('of a long passage the sentences are quoted that begin with the words', () => {
  const filler = 'Bread is made of flour and water. '.repeat(30);
  const long = passage('Shifts', `${filler}The early shift begins at four. ${filler}`);
  const words = quotationOf('When does the early shift begin?', [long])?.words ?? '';

  expect(words.startsWith('The early shift begins at four. Bread')).toBe(true);
  expect(words.length).toBeLessThanOrEqual(600);
  expect(words.endsWith('water.')).toBe(true);

  const endless = passage('Shifts', `early shift begin ${'and bread '.repeat(200)}`);
  const cut = quotationOf('When does the early shift begin?', [endless])?.words ?? '';
  expect(cut.length).toBeLessThanOrEqual(601);
  expect(cut.endsWith('…')).toBe(true);
});
