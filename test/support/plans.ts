import type { InterviewPlan } from '../../src/vacancies';

/** A plan of `count` open questions q1, q2 …; the odd ones must be asked. */
export function planOf(count: number): InterviewPlan {
  return {
    greeting: 'Greeting.',
    closing: 'Closing.',
    questions: Array.from({ length: count }, (_, index) => {
      const n = String(index + 1);
      return {
        id: `q${n}`,
        text: `Question ${n}?`,
        mustAsk: index % 2 === 0,
        kind: 'open',
        rubric: `Rubric ${n}.`,
      };
    }),
  };
}
