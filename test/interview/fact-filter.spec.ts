import fc from 'fast-check';
import { FactFilter } from '../../src/interview/turn/verdict-gate';

/** What a filter shows of a text that arrives in these pieces. */
function shown(evidence: readonly string[], ...pieces: readonly string[]) {
  const filter = new FactFilter(evidence);
  const text = pieces.map((piece) => filter.take(piece)).join('') + filter.end();
  return { text, hasStopped: filter.hasStopped };
}

test.each([
  ['a number', 'Thanks. The team has 12 people.', 'Thanks. The team has…'],
  ['a condition of the job', 'Noted. Remote work is fine.', 'Noted. '],
  ['a condition in Russian', 'Спасибо, зарплата достойная.', 'Спасибо,…'],
])('stops before %s that no evidence has', (_, text, expected) => {
  expect(shown(['What did you bake last?'], text)).toEqual({ text: expected, hasStopped: true });
});

test('shows a number and a condition that the evidence has', () => {
  const text = 'The office is remote, with 25 days of vacation.';
  expect(shown(['Remote. Vacations: 25 days.'], text)).toEqual({ text, hasStopped: false });
});

test('a word that only begins like a condition is shown', () => {
  const text = 'Thank you for the visual; визуально понятно.';
  expect(shown([], text)).toEqual({
    text: 'Thank you for the visual; визуально понятно.',
    hasStopped: false,
  });
});

test('the cut of a text into pieces makes no difference', () => {
  const word = fc.constantFrom('thanks', 'salary', '300', 'sal', 'noted.', '🙂', 'bonus', 'отпуск');
  fc.assert(
    fc.property(fc.array(word), fc.array(word), fc.array(fc.nat(80)), (words, known, places) => {
      const text = words.join(' ');
      const cuts = [
        0,
        ...places.filter((at) => at < text.length).sort((a, b) => a - b),
        text.length,
      ];
      const pieces = cuts.slice(1).map((end, index) => text.slice(cuts[index], end));
      const whole = shown(known, text);
      const cut = shown(known, ...pieces);
      expect(cut.hasStopped).toBe(whole.hasStopped);
      expect(cut.text.replace(/[\s…]+$/u, '')).toBe(whole.text.replace(/[\s…]+$/u, ''));
    }),
    { numRuns: 500 },
  );
});
