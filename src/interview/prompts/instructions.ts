import { sha256 } from '../../common/ids';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { InterviewPlan, Language } from '../../vacancies';
import { type ConversationStatus, VERDICTS } from '../plan/verdicts';
import { type InterviewState, waitingQuestion } from '../plan/state';

/**
 * The fixed half of the prompt: the interviewer's instructions (interviewer.md), without any text of a
 * candidate. They are the same for every request of an interview in one language, because model servers
 * reuse the beginning that two prompts share. `isSearched`: the vacancy has documents that are searched. They
 * never ask for a judgement of emotion, style, speed, language or authorship, which is unfair and partly
 * forbidden at work.
 */
export function instructionsFor(
  language: Language,
  { isSearched }: { readonly isSearched: boolean },
): string {
  return [
    ...['role', 'data rules'].map(PROMPT.section),
    verdictLines(),
    ...(isSearched ? [PROMPT.section('search')] : []),
    ...ALWAYS.map(PROMPT.section),
    PROMPT.section(`language ${language}`),
  ].join('\n\n');
}

/** What holds at this moment only, as sentences for the end of the data. */
export function sentencesFor(moment: Moment): string[] {
  const { agent, closing } = moment;
  const also = (isSo: boolean, name: string): string[] => (isSo ? [name] : []);
  const named = [
    ...also(AGENTS_WITH_ROLE.includes(agent), `agent ${agent}`),
    ...also(moment.isTouched, 'now touched'),
    ...also(moment.isAddendum, moment.isCorrection ? 'now correction' : 'now addendum'),
    ...also(moment.isLeaving, 'now leaving'),
    ...also(moment.isCallingPerson, 'now calling person'),
    ...also(moment.isShortened, 'now shortened'),
    ...also(moment.isRepeating, 'now repeating'),
  ].map(PROMPT.section);
  return closing === null ? named : [...named, `${PROMPT.section('now last question')} ${closing}`];
}

const HASH_DIGITS = 12;

const PROMPT = promptFile('interviewer');
/** What the technical agent does stands in the role; the greeter uses texts of code only. */
const AGENTS_WITH_ROLE: readonly Agent[] = ['screener', 'answers', 'closer'];

const ALWAYS = [
  'sources',
  'asks',
  'about',
  'touches',
  'told before',
  'people',
  'text rules',
  'files',
  'beside',
  'labels',
];

/** What a turn's moment is made of. */
export interface Moment {
  readonly agent: Agent;
  readonly isAddendum: boolean;
  readonly isCorrection: boolean;
  /** The waiting question was touched on by an earlier answer. */
  readonly isTouched: boolean;
  /** Of the last question: what the program says after it. Null: others follow. */
  readonly closing: string | null;
  readonly isLeaving: boolean;
  readonly isCallingPerson: boolean;
  /** Older lines of the transcript are left out. */
  readonly isShortened: boolean;
  /** The interviewer's last two lines begin alike. */
  readonly isRepeating: boolean;
}

/**
 * The roles that the interviewer takes. Code chooses, never the model:
 *
 *   greeter ──agreed, known──> screener (hard conditions) <──> technical (the craft)
 *                                  ▲ │ the candidate asks something
 *                                  │ ▼
 *                                answers ──next answer──> back to the question's own agent
 *   closer: ends the interview, and replies to everything after it
 */
export type Agent = 'greeter' | 'screener' | 'technical' | 'answers' | 'closer';

/** All verdicts, whatever fits now: the data say which do not. */
function verdictLines(): string {
  const lines = VERDICTS.map((verdict) => {
    const meaning = PROMPT.section(`verdict ${verdict}`);
    return `- ${verdict}: ${meaning}. Text: ${PROMPT.section(`text ${verdict}`)}.`;
  });
  return `Verdicts (choose exactly one; decide it before the text):\n${lines.join('\n')}`;
}

/** A prompt as it stands in a file of this folder: Markdown with a line `Version: N` and `##` sections. */
interface PromptFile {
  /** Name, version and the first 12 digits of the file's SHA-256: `interviewer 2 (1f0c…)`. */
  readonly id: string;
  /** The text below a heading. Throws if the file has no such section. */
  readonly section: (name: string) => string;
}

/** Reads a file of this folder. Throws if it has no version. */
function promptFile(name: string): PromptFile {
  const text = readFileSync(path.join(__dirname, `${name}.md`), 'utf8');
  const version = /^Version: (\d+)$/m.exec(text)?.[1];
  if (version === undefined) throw new Error(`the prompt ${name}.md has no line "Version: N"`);
  const sections = new Map(
    text
      .split(/^## /m)
      .slice(1)
      .map((part) => {
        const end = part.indexOf('\n');
        return [part.slice(0, end).trim(), part.slice(end).trim()] as const;
      }),
  );
  const hash = sha256(text).slice(0, HASH_DIGITS);
  return {
    id: `${name} ${version} (${hash})`,
    section: (wanted) => {
      const found = sections.get(wanted);
      if (found === undefined) throw new Error(`the prompt ${name}.md has no section "${wanted}"`);
      return found;
    },
  };
}

/** Who begins the reply to the next answer. */
export function agentFor(
  plan: InterviewPlan,
  state: InterviewState,
  status: ConversationStatus,
): Agent {
  if (status === 'new') return 'greeter';
  const question = status === 'active' ? waitingQuestion(plan, state) : undefined;
  if (question === undefined) return 'closer';
  return question.kind === 'knockout' ? 'screener' : 'technical';
}

/** Names the instructions exactly: it changes with every word of them. */
export const PROMPT_ID = PROMPT.id;
