import type { InterviewPlan } from '../../vacancies';
import type { MessageRow } from '../transcript/message.repository';
import type { InterviewPrompt, PromptSearch, TranscriptLine } from './interview-request';

type TextsAndPlan = 'plan' | 'history' | 'answer' | 'messages' | 'corrections' | 'searches';

/**
 * A prompt as it is stored: of messages only their ids, because what was written in them is stored
 * already and is erased there. `filledPrompt` builds the whole prompt from it.
 */
export interface StoredPrompt extends Omit<InterviewPrompt, TextsAndPlan> {
  readonly history: readonly (Omit<TranscriptLine, 'text'> & { readonly id: string })[];
  /** The buffers of the answer. */
  readonly buffers: readonly string[];
  /** The messages of the answer, in order. */
  readonly said: readonly string[];
  /** New texts of earlier messages that came together with the answer. */
  readonly corrections: readonly string[];
  /** How many of the turn's searches were made before the request. */
  readonly searches: number;
}

/** What a stored prompt is filled with. A message that is missing leaves its place empty. */
export interface PromptTexts {
  readonly plan: InterviewPlan;
  readonly messages: ReadonlyMap<string, Pick<MessageRow, 'seq' | 'text' | 'joiner'>>;
  readonly searches: readonly PromptSearch[];
}

const MISSING = { seq: 0, text: '', joiner: null } as const;

/** The prompt with its texts. It is also how a prompt is first built, so both are the same. */
export function filledPrompt(
  { buffers: _, said: saidIds, ...stored }: StoredPrompt,
  { plan, messages, searches }: PromptTexts,
): InterviewPrompt {
  const messageOf = (id: string) => messages.get(id) ?? MISSING;
  const said = saidIds.map(messageOf);
  return {
    ...stored,
    plan,
    history: stored.history.map(({ id, role, n, isCorrection, label }) => ({
      role,
      ...(n === undefined ? {} : { n }),
      text: messageOf(id).text,
      ...(isCorrection === undefined ? {} : { isCorrection }),
      ...(label === undefined ? {} : { label }),
    })),
    answer: joined(said),
    messages: said.map(({ seq, text }) => ({ n: seq, text })),
    corrections: stored.corrections.map((id) => messageOf(id).text),
    searches: searches.slice(0, stored.searches),
  };
}

/** Joins messages as paragraphs, except the parts of a text that the candidate's client split. */
export function joined(lines: readonly Pick<MessageRow, 'text' | 'joiner'>[]): string {
  const [first, ...others] = lines;
  return others.reduce(
    (whole, { text, joiner }) => whole + (joiner ?? '\n\n') + text,
    first?.text ?? '',
  );
}
