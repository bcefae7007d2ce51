import { textsOf, wording } from '../texts/texts';
import type { TurnContext } from './decision';
import type { Verdict } from './verdict';

/**
 * The interviewer without a model: thanks for every answer, and the plan's questions follow in
 * their order. Also stands in for the model when that failed on an answer for good. It calls
 * nobody and is the same for the same turn.
 */
export class ScriptedInterviewer {
  answer(turn: Pick<TurnContext, 'language' | 'ordinal' | 'isAddendum'>): {
    readonly verdict: Verdict;
    readonly text: string;
  } {
    const { acknowledgements } = textsOf(turn.language);
    // The plan has its own thanks for an addendum.
    const text = turn.isAddendum ? '' : wording(acknowledgements, turn.ordinal);
    return { verdict: 'answered', text };
  }
}
