import type { Language } from '../../vacancies';
import type { Agent } from '../turn/agents';
import type { Verdict } from '../plan/decision';
import { promptFile } from './prompt-file';

/**
 * The fixed half of the prompt: the interviewer's instructions (interviewer.md), without any text of a
 * candidate. It never asks for a judgement of emotion, style, speed, language or authorship, which is unfair
 * and partly forbidden at work.
 */
export interface InstructionChoices {
  readonly language: Language;
  readonly allowedVerdicts: readonly Verdict[];
  readonly isAddendum: boolean;
  readonly isCorrection: boolean;
  /** Corrections of earlier messages came together with an answer. */
  readonly hasCorrections: boolean;
  /** Files came with the answer, or stand in the transcript. */
  readonly hasFiles: boolean;
  /** The waiting question was touched on by an earlier answer. */
  readonly isTouched: boolean;
  readonly isLeaving: boolean;
  readonly isCallingPerson: boolean;
  readonly agent: Agent;
  /** The tool `search_knowledge` is offered. */
  readonly canSearch: boolean;
}

const PROMPT = promptFile('interviewer');

/** Names the instructions exactly: it changes with every word of them. */
export const PROMPT_ID = PROMPT.id;

/** The greeter and the closer use texts of code only. */
const AGENTS_WITH_ROLE: readonly Agent[] = ['screener', 'technical', 'answers'];

export function instructionsFor(choices: InstructionChoices): string {
  const { agent, allowedVerdicts, language } = choices;
  const also = (isWanted: boolean, name: string): string[] => (isWanted ? [name] : []);
  return [
    PROMPT.section('role'),
    ...also(AGENTS_WITH_ROLE.includes(agent), `agent ${agent}`).map(PROMPT.section),
    verdictsOf(allowedVerdicts),
    ...[
      'sources',
      'asks',
      'about',
      'touches',
      ...also(choices.isTouched, 'touched'),
      ...also(choices.canSearch, 'search'),
      'text rules',
      `language ${language}`,
      ...also(choices.isAddendum, choices.isCorrection ? 'addendum correction' : 'addendum'),
      ...also(choices.hasCorrections, 'corrections'),
      ...also(choices.hasFiles, 'files'),
      ...also(choices.isLeaving, 'leaving'),
      ...also(choices.isCallingPerson, 'calling person'),
      'labels',
      'data rules',
    ].map(PROMPT.section),
  ].join('\n\n');
}

function verdictsOf(allowed: readonly Verdict[]): string {
  const lines = allowed.map((verdict) => {
    const meaning = PROMPT.section(`verdict ${verdict}`);
    return `- ${verdict}: ${meaning}. Text: ${PROMPT.section(`text ${verdict}`)}.`;
  });
  return `Verdicts (choose exactly one; decide it before the text):\n${lines.join('\n')}`;
}
