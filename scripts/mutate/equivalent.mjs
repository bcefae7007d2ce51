/**
 * Changes of the pure files that no test can notice, each with the reason. `original`: the code that is changed, on
 * one line; `on`: more of its line, where the same code stands in several. One that a test notices must go from here.
 */
const TIMING = 'src/notion-sync/api/limiter/limiter-timing.ts';

export const EQUIVALENT = [
  {
    file: 'src/jobs/breakers.ts',
    original: '[]',
    replacement: '["Stryker was here"]',
    on: 'this.responses.get(queue)',
    why: 'a response without a time is later than no time',
  },
  {
    file: TIMING,
    original: '-Infinity',
    replacement: '+Infinity',
    on: 'private low',
    why: 'the first reading contradicts such a bound, so only that reading counts, as without one',
  },
  {
    file: TIMING,
    original: 'this.changes += 1',
    replacement: 'this.changes -= 1',
    why: 'the numbers of timescales only have to differ',
  },
];
