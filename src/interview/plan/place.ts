import { type InterviewPlan, minutesOf } from '../../vacancies';
import { type InterviewState, progress } from './state';
import type { PlaceInPlan } from '../texts/texts';

/** Where the interview is. By the plan, not by the clock: a candidate may answer days later. */
export function placeIn(plan: InterviewPlan, state: InterviewState): PlaceInPlan {
  const { question, of } = progress(plan, state);
  const minutes = Math.round((minutesOf(plan) * (of - question + 1)) / Math.max(1, of));
  return { question, of, minutes: Math.max(1, minutes) };
}
