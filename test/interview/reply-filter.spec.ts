import fc from 'fast-check';
import { ReplyFilter, type ReplyRule } from '../../src/interview/turn/reply-filter';
import { StatementCheck } from '../../src/interview/turn/statements';

const INCIDENT = 'Describe an incident in production that you helped to resolve.';
const STAYS: ReplyRule = { isAskedBehind: false, coming: '', said: [] };
const MOVES_ON: ReplyRule = { isAskedBehind: true, coming: INCIDENT, said: [] };

function filterOf(rule: ReplyRule, answer = ''): ReplyFilter {
  const check = new StatementCheck({
    plan: [],
    named: [],
    isGrounded: false,
    company: 'Crumb',
    said: [answer],
    answer,
    asks: false,
    questions: [],
    verdict: 'answered',
  });
  return new ReplyFilter(check, rule);
}

/** What is shown of a text that arrives in these pieces. */
function shown(rule: ReplyRule, ...pieces: readonly string[]): string {
  const filter = filterOf(rule);
  return pieces.map((piece) => filter.take(piece)).join('') + filter.end();
}

test('a push-back with numbers is shown whole', () => {
  const text = 'Could you pick one incident and tell me in 2–3 sentences what you did?';
  expect(shown(STAYS, text)).toBe(text);
});

test.each([
  ['Thanks. The team has 12 people. Noted.', 'Thanks. Noted.'],
  ['The salary is 5,000. Thank you.', 'Thank you.'],
  ['Спасибо. Офис у нас в Белграде, удалёнка два дня в неделю.', 'Спасибо.'],
  ['Thanks, and by the way the salary is 5,000.', ''],
])('a sentence is dropped whole: %s', (text, expected) => {
  expect(shown(MOVES_ON, text)).toBe(expected);
});

test.each([
  ['question', 'Thanks! The salary is 734000 a month.', ''],
  ['question', 'Спасибо! Кстати, зарплата 734000 в месяц.', ''],
  ['question', 'Hello! Thank you.', ''],
  ['question', 'Thanks! You may write in English.', 'Thanks! You may write in English.'],
  ['question', 'Sure.', 'Sure.'],
  ['clarify', 'Of course!', ''],
  ['clarify', 'Конечно, хороший вопрос.', ''],
  [
    'clarify',
    'Sure. Any work that you like to look back on.',
    'Sure. Any work that you like to look back on.',
  ],
] as const)('thanks alone are no reply to a %s: %j', (repliesTo, text, expected) => {
  expect(shown({ ...STAYS, repliesTo }, text)).toBe(expected);
});

test('each sentence is checked once, and what follows is read once for all of them', () => {
  const checked = jest.spyOn(StatementCheck.prototype, 'isUnproven');
  let reads = 0;
  const filter = filterOf({
    isAskedBehind: true,
    get coming() {
      reads += 1;
      return INCIDENT;
    },
    said: ['We lost a disk.'],
  });
  const sentences = Array.from({ length: 100 }, () => ' That must have been a long night.');
  for (const letter of sentences.join('')) filter.take(letter);
  filter.end();

  expect(checked.mock.calls.map(([sentence]) => sentence)).toEqual(sentences);
  expect(reads).toBe(1);
});

test('a sentence is shown when the next one begins', () => {
  const filter = filterOf(STAYS);
  expect(filter.take('Thank you. ')).toBe('');
  expect(filter.take('W')).toBe('Thank you.');
  expect(filter.take('hich one?')).toBe('');
  expect(filter.end()).toBe(' Which one?');
});

test.each([
  ['Thank you. How large was it? What did you do first?', 'Thank you. How large was it?'],
  ['Think of one of them. What did you do first?', 'Think of one of them. What did you do first?'],
  ['Which one was it? Tell me in two sentences.', 'Which one was it? Tell me in two sentences.'],
])('a reply that stays asks one thing: %s', (text, expected) => {
  expect(shown(STAYS, text)).toBe(expected);
});

test.each([
  ['Thank you, noted. What happened then?', 'Thank you, noted.'],
  ['Thank you, noted. Tell me more about the rollback.', 'Thank you, noted.'],
  ['Thank you. Please describe an incident in production.', 'Thank you.'],
  ['Thank you. Now I am curious about an incident in production you helped with.', 'Thank you.'],
  ['Thank you. Next, an incident.', 'Thank you.'],
  ['Thank you. Now to an incident.', 'Thank you.'],
])('a reply that moves on asks nothing and does not lead to what follows: %s', (text, expected) => {
  expect(shown(MOVES_ON, text)).toBe(expected);
});

test('a last sentence that resembles a coming question in Russian is dropped', () => {
  const coming = 'Вспомните самое трудное обращение клиента за последние год-два.';
  const rule = { ...MOVES_ON, coming };
  expect(shown(rule, 'Спасибо, понятно. Теперь о самом трудном обращении клиента.')).toBe(
    'Спасибо, понятно.',
  );
});

test('a sentence that only repeats the words of the candidate is shown', () => {
  const said = ['The incident in production was a lost disk.'];
  const text = 'The incident in production with the lost disk is clear.';
  expect(shown({ ...MOVES_ON, said }, text)).toBe(text);
});

test('tells whether something was asked, and whether a reply to the candidate was held back', () => {
  const filter = filterOf(STAYS, 'I led it. Is there a bonus, by the way?');
  filter.take('Thanks. Yes, a bonus of 20 percent. Which part was yours?');
  filter.end();
  expect(filter).toMatchObject({ hasAsked: true, hasHeldBack: true, hasHeldBackReply: true });

  const other = filterOf(STAYS, 'I led it, you know what I mean?');
  other.take('Thanks. By the way, the salary is 5,000.');
  other.end();
  expect(other).toMatchObject({ hasAsked: false, hasHeldBack: true, hasHeldBackReply: false });
});

test('how a text is cut into pieces makes no difference', () => {
  const word = fc.constantFrom(
    'thanks.',
    'The salary is 300.',
    'Which?',
    'sal',
    '🙂',
    'Отпуск',
    'e.g.',
  );
  fc.assert(
    fc.property(fc.array(word), fc.array(fc.nat(80)), fc.boolean(), (words, places, staying) => {
      const text = words.join(' ');
      const cuts = [
        0,
        ...places.filter((at) => at < text.length).sort((a, b) => a - b),
        text.length,
      ];
      const pieces = cuts.slice(1).map((end, index) => text.slice(cuts[index], end));
      const rule = staying ? STAYS : MOVES_ON;
      expect(shown(rule, ...pieces)).toBe(shown(rule, text));
    }),
    { numRuns: 300 },
  );
});
