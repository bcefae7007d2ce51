import { answerEnd } from '../../src/buffer/answer-pace';

describe('the end of a message', () => {
  test.each([
    ['That is all.', 'complete'],
    ['Would that do?', 'complete'],
    ['Он сам позвонил)', 'complete'],
    ['He said «yes.» ', 'complete'],
    ['First I checked the logs,', 'unfinished'],
    ['There were two reasons —', 'unfinished'],
    ['and then...', 'unfinished'],
    ['we moved it (with a script', 'unfinished'],
    ['I fixed it and', 'unfinished'],
    ['сначала проверяю логи, потом и', 'unfinished'],
    ['I worked there for two years', 'unclear'],
    ['', 'unclear'],
    ['👍', 'unclear'],
  ])('"%s" is %s', (text, end) => {
    expect(answerEnd(text)).toBe(end);
  });

  // So the search for the last sign stays short: on blanks its time grows with the square of the length.
  test.each([16_000, 160_000])(
    'is found in the last characters alone, behind %d blanks',
    (count) => {
      const blanks = ' '.repeat(count);

      expect(answerEnd(`${blanks}x`)).toBe('unclear');
      // A bracket that is open at the start would make a text unfinished, if it was read.
      expect(answerEnd(`(${blanks}x`)).toBe('unclear');
    },
  );
});
