import type { Language } from '../../hiring';
import { textsOf, wording } from '../texts';
import type { Verdict } from './verdict';

/**
 * The interviewer without a model: thanks for every answer, and the plan's questions follow in
 * their order. Also stands in for the model when that failed on an answer for good. It calls
 * nobody and is the same for the same turn.
 */
export class ScriptedInterviewer {
  answer(turn: { readonly language: Language; readonly ordinal: number }): {
    readonly verdict: Verdict;
    readonly text: string;
  } {
    const { acknowledgements } = textsOf(turn.language);
    return { verdict: 'answered', text: wording(acknowledgements, turn.ordinal) };
  }
}
