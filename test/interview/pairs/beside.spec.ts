import { decide } from '../../../src/interview/plan/decide';
import { advance, initialState, type InterviewState } from '../../../src/interview/plan/state';
import { completeReply, type TurnContext, VERDICTS } from '../../../src/interview/plan/verdicts';
import { textsOf } from '../../../src/interview/texts/texts';
import { planOf } from '../../support/plans';

/* What one answer, or one that comes at another time, says beside its verdict. */

const PLAN = planOf(3);
const START = advance(PLAN, initialState(PLAN), 'answered');
const CONTEXT: TurnContext = {
  language: 'en',
  status: 'active',
  isConsented: true,
  isAddendum: false,
  ordinal: 1,
  comingBack: () => ({ until: '2026-12-03', remindFrom: BACK, when: null }),
};
const BACK = '2026-11-27T09:00:00.000Z';
const { objectionNoted, handedOver } = textsOf('en');

describe('an objection in a message of its own beside an answer', () => {
  test.each(VERDICTS)(
    'is noted once, and the rest is replied to, when the model says %s',
    (verdict) => {
      for (const isAddendum of [false, true]) {
        const alone = decide(PLAN, START, verdict, { ...CONTEXT, isAddendum });
        const both = decide(PLAN, START, verdict, { ...CONTEXT, isAddendum, isObjectionToo: true });

        expect(both.hasObjected === true || both.personNeededFor === 'objection').toBe(true);
        expect(completeReply(both, '').split(objectionNoted)).toHaveLength(2);
        expect({ ...both, tail: alone.tail, hasObjected: undefined }).toEqual({
          ...alone,
          hasObjected: undefined,
        });
      }
    },
  );

  test('leaves the question of the reply at its end', () => {
    const { tail } = decide(PLAN, START, 'answered', { ...CONTEXT, isObjectionToo: true });

    expect(tail).toBe(`${objectionNoted}\n\nQuestion 3?`);
  });

  test.each(['completed', 'handed_over', 'expired'] as const)(
    'is noted when it is %s',
    (status) => {
      const of = { ...CONTEXT, status, isObjectionToo: true };

      expect(decide(PLAN, START, 'answered', of)).toMatchObject({
        lead: objectionNoted,
        personNeededFor: 'objection',
      });
    },
  );

  test('is not noted before consent', () => {
    const of = { ...CONTEXT, status: 'new', isConsented: false, isObjectionToo: true } as const;

    expect(decide(PLAN, START, 'answered', of)).not.toHaveProperty('personNeededFor');
  });
});

test('whoever wants a person after the end hears that one knows, and one does', () => {
  const over: InterviewState = advance(PLAN, advance(PLAN, START, 'answered'), 'answered');
  for (const canAnswer of [false, true]) {
    const of = { ...CONTEXT, status: 'completed', wish: 'person', canAnswer } as const;

    expect(decide(PLAN, over, 'answered', of)).toMatchObject({
      lead: handedOver,
      tail: '',
      isQuestionOpen: true,
      endsAs: null,
    });
  }
});

describe('a pause', () => {
  const paused = decide(PLAN, START, 'later', { ...CONTEXT, isLater: true }).state;

  test.each(['answered', 'vague', 'refusal'] as const)('ends with an answer (%s)', (verdict) => {
    expect(paused.remindFrom).toBe(BACK);
    expect(decide(PLAN, paused, verdict, CONTEXT).state.remindFrom).toBeNull();
  });

  test.each(VERDICTS)('goes on after an edit or what was written before it (%s)', (verdict) => {
    const { state } = decide(PLAN, paused, verdict, { ...CONTEXT, isAddendum: true });

    expect(state.remindFrom).toBe(BACK);
  });
});
