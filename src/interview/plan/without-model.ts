import { textsOf, wording } from '../texts/texts';
import type { Decision, TurnContext } from './decision';
import type { InterviewState } from './state';

/** Whether a model may see this turn at all. If not, code answers. */
export function isInterviewerWanted(context: TurnContext): boolean {
  return context.status === 'active' && context.isConsented;
}

/** The answer of code to a turn that no interviewer may see. It changes nothing. */
export function decideWithoutModel(state: InterviewState, context: TurnContext): Decision {
  const lead = wordsFor(context);
  return { verdict: null, speaker: 'code', lead, tail: '', state, endsAs: null };
}

function wordsFor({ language, status, isConsented, ordinal }: TurnContext): string {
  const texts = textsOf(language);
  switch (status) {
    case 'completed':
      return wording(texts.thanksForAddition, ordinal);
    case 'handed_over':
      return texts.keptForPerson;
    case 'withdrawn':
    case 'declined':
      return texts.closed;
    case 'new':
    case 'active':
      return isConsented ? wording(texts.thanksForAddition, ordinal) : texts.consentFirst;
  }
}
