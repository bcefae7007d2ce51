/**
 * What an interviewer may make of one answer. A verdict is a proposal: `decide` accepts or
 * overrides it.
 *
 * - `answered`   the question has its answer, good or bad: content is judged by people, later
 * - `vague`      too little to tell anything; worth one push-back
 * - `question`   the candidate asks something
 * - `refusal`    the candidate would rather not answer this question
 * - `off_topic`  neither an answer nor a question about the job
 * - `leave`      the candidate wants to stop
 * - `human`      the candidate wants to talk to a person
 */
export const VERDICTS = [
  'answered',
  'vague',
  'question',
  'refusal',
  'off_topic',
  'leave',
  'human',
] as const;

export type Verdict = (typeof VERDICTS)[number];

export function isVerdict(value: unknown): value is Verdict {
  return VERDICTS.some((verdict) => verdict === value);
}
