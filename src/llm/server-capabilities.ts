import { Logger } from '@nestjs/common';
import { createHash } from 'node:crypto';
import type { Clock } from '../common/clock';
import type { ErrorFields } from '../common/errors';
import type { ModelRequest } from './model-client';
import type { Part, Rejection } from './rejection';

/**
 * What is known about one server, in memory only, because servers with the same protocol differ in what
 * they support:
 *
 *   whole form ──rejected──> changed for this prompt ──its completion is whole──> changed for all
 *        ^                                                                            │
 *        └── one request tries it again after an hour, and its completion is whole ───┘
 *
 * A prompt that is rejected is sent again without what the server names, or, if it names nothing, with
 * one part less each time. Other prompts notice nothing of it. All requests change only after a pair of
 * requests of one prompt that differ in nothing else: one failed, the other's completion was whole. Each
 * prompt has a few changes at most, so its tries end.
 */
export class ServerCapabilities {
  private readonly logger = new Logger('ModelServer');
  private readonly prompts = new Map<string, KnownPrompt>();
  /** By change; a format also by its schema, because a server may support some schemas only. */
  private readonly learned = new Map<string, LearnedChange>();
  /** Completions in a row without an object, although the format was requested. */
  private misses = 0;

  constructor(
    private readonly limitName: TokenLimitName,
    private readonly clock: Clock,
    /** For the log. */
    private readonly model = '',
  ) {}

  /** The form of the prompt's next request. */
  formFor(prompt: Prompt): RequestForm {
    const nowMs = this.clock.monotonicMs();
    const changes = this.changesFor(prompt, (learned) => {
      if (learned.triedBy === prompt.id) return false;
      if (nowMs < learned.untilMs) return true;
      learned.untilMs = nowMs + TRIAL_MS;
      learned.triedBy = prompt.id;
      return false;
    });
    return this.formOf(changes);
  }

  /**
   * The server rejected the prompt in this form. Returns whether its next request has another form.
   * `mayGuess`: a part may be the reason although the server names none.
   */
  rejected(
    prompt: Prompt,
    { changes }: RequestForm,
    rejection: Rejection & { readonly mayGuess: boolean; readonly fields: ErrorFields },
  ): boolean {
    const { named, mostTokens, isOfPrompt, isTooLong, mayGuess } = rejection;
    const isSent = (part: Part): boolean => !changes.has(part) && isPartOf(part, prompt);
    const limit = isOfPrompt ? 'prompt_room' : 'most_tokens';
    const explained: Change[] = mostTokens === null ? named.filter(isSent) : [limit];
    const guess = mayGuess && !isTooLong ? GUESSES.filter(isSent).slice(0, 1) : [];
    const next = explained.length > 0 ? explained : guess;
    const says = explained.length > 0 ? `names ${explained.join(', ')}` : 'no reason';
    const why = [rejection.fields['status'], rejection.fields['reason'], says]
      .filter((word) => word !== undefined)
      .join(', ');
    const failed = { changes, named: explained, why };
    return this.change(prompt, failed, new Map(next.map((change) => [change, mostTokens ?? 0])));
  }

  /** Reasoning used up the output. Returns whether the prompt's next request has more room. */
  ranOutOfRoom(prompt: Prompt, { changes }: RequestForm): boolean {
    if (changes.has('reasoning')) return false;
    const failed: FailedForm = {
      changes,
      named: ['reasoning'],
      why: 'reasoning used up the output',
    };
    return this.change(prompt, failed, new Map([['reasoning', 0]]));
  }

  /** A whole response had one completion although several were asked for, so the server does not know `n`. */
  gaveOneChoice(): void {
    const untilMs = this.clock.monotonicMs() + KEPT_MS;
    if (!this.learned.has('choices')) {
      this.log(`now sent ${PHRASES.choices}: the server gave one completion of several`);
    }
    this.learned.set('choices', { change: 'choices', value: 0, untilMs, triedBy: null });
  }

  /** The completion is whole. `hasObject` null: it has no text. */
  completed(prompt: Prompt, { changes, format }: RequestForm, hasObject: boolean | null): void {
    for (const [key, { change, triedBy }] of this.learned) {
      const isTrial = triedBy === prompt.id && !changes.has(change);
      if (!isTrial || (change === 'format' && hasObject === false)) continue;
      this.learned.delete(key);
      this.log(`no longer sent ${PHRASES[change]}: the server accepted one in the whole form`);
    }
    this.learn(prompt, changes, hasObject);
    if (format === 'json_schema' && hasObject !== null) this.countMiss(prompt, changes, hasObject);
  }

  /** Keeps, for all prompts, what made the difference between the form that failed and this one. */
  private learn(prompt: Prompt, changes: Changes, hasObject: boolean | null): void {
    const known = this.prompts.get(prompt.id);
    const failed = known?.failed ?? null;
    if (known === undefined || failed === null) return;
    if (failed.needsObject === true && hasObject !== true) return;
    known.failed = null;
    const isMore = [...failed.changes.keys()].some((change) => !changes.has(change));
    // What all prompts have learned meanwhile has a pair of its own; what this one tried has not.
    const made = [...changes].filter(([change, value]) => {
      const learned = this.learned.get(keyOf(change, prompt));
      const isOfOthers = learned !== undefined && learned.triedBy !== prompt.id;
      return failed.changes.get(change) !== value && !isOfOthers;
    });
    const isExact = made.length === 1 || made.every(([change]) => failed.named.includes(change));
    if (isMore || !isExact) return;
    for (const [change, value] of made) {
      if (change !== 'prompt_room') this.keep(prompt, change, value, failed.why);
    }
  }

  private keep(prompt: Prompt, change: Change, value: number, why: string): void {
    const nowMs = this.clock.monotonicMs();
    const key = keyOf(change, prompt);
    const before = this.learned.get(key);
    this.learned.set(key, { change, value, untilMs: nowMs + KEPT_MS, triedBy: null });
    if (before?.value === value && nowMs < before.untilMs && before.triedBy === null) return;
    const number = change === 'most_tokens' ? ` (${value})` : '';
    this.log(
      `now sent ${PHRASES[change]}${number}: one failed (${why}), and the same succeeded so; the whole form is tried again in ${KEPT_MS / 60_000} min`,
    );
  }

  /** Whether the server keeps to the format. */
  private countMiss(prompt: Prompt, changes: Changes, hasObject: boolean): void {
    this.misses = hasObject ? 0 : this.misses + 1;
    if (this.misses < MISSES_IN_A_ROW) return;
    const why = `${MISSES_IN_A_ROW} completions in a row without a JSON object`;
    const failed: FailedForm = { changes, named: ['format'], why, needsObject: true };
    this.change(prompt, failed, new Map([['format', 0]]));
  }

  private change(prompt: Prompt, failed: FailedForm, next: Changes): boolean {
    const known = this.knownPrompt(prompt);
    known.failed = failed;
    // Another request of this prompt, or of all, may have changed the form meanwhile.
    const isOutdated = !isSame(this.changesFor(prompt), failed.changes);
    if (isOutdated) return true;
    if (next.size === 0 || known.timesChanged === MOST_CHANGES) return false;
    known.timesChanged += 1;
    for (const [change, value] of next) known.changes.set(change, value);
    return true;
  }

  private knownPrompt({ id }: Prompt): KnownPrompt {
    const nowMs = this.clock.monotonicMs();
    const found = this.prompts.get(id);
    if (found !== undefined && nowMs < found.untilMs) return found;
    const known: KnownPrompt = {
      changes: new Map(),
      failed: null,
      timesChanged: 0,
      untilMs: nowMs + KEPT_MS,
    };
    this.prompts.delete(id);
    this.prompts.set(id, known);
    const [oldest] = this.prompts.keys();
    if (this.prompts.size > MOST_PROMPTS && oldest !== undefined) this.prompts.delete(oldest);
    return known;
  }

  private changesFor(
    prompt: Prompt,
    applies: (learned: LearnedChange) => boolean = ({ triedBy }) => triedBy !== prompt.id,
  ): Changes {
    const known = this.prompts.get(prompt.id);
    const isFresh = known !== undefined && this.clock.monotonicMs() < known.untilMs;
    const changes = new Map(isFresh ? known.changes : []);
    for (const [key, learned] of this.learned) {
      const { change, value } = learned;
      if (changes.has(change) || key !== keyOf(change, prompt)) continue;
      if (!isPartOf(change, prompt)) continue;
      if (applies(learned)) changes.set(change, value);
    }
    return changes;
  }

  private formOf(changes: Changes): RequestForm {
    const other = this.limitName === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens';
    return {
      changes,
      format: changes.has('format') ? 'json_in_text' : 'json_schema',
      offersTools: !changes.has('tools'),
      offersChoices: !changes.has('choices'),
      asksForUsage: !changes.has('usage'),
      tokenLimitName: changes.has('limit_name') ? other : this.limitName,
      hasSystemRole: !changes.has('system_role'),
      mostTokens: Math.min(
        changes.get('most_tokens') ?? Infinity,
        changes.get('prompt_room') ?? Infinity,
      ),
      hasRoomForReasoning: changes.has('reasoning'),
    };
  }

  private log(what: string): void {
    this.logger.warn(`Requests to ${this.model} are ${what}.`);
  }
}

/** How long a change is kept before one request is sent in the whole form again. */
const KEPT_MS = 3_600_000;
/** How long others wait for the result of that request. */
const TRIAL_MS = 60_000;
const MOST_PROMPTS = 1000;
const MOST_CHANGES = 8;
/** The order in which parts are left out after an unexplained rejection. */
const GUESSES: readonly Part[] = ['choices', 'tools', 'format', 'usage', 'limit_name'];
const MISSES_IN_A_ROW = 2;

/** How requests are sent after a change, for the log. */
const PHRASES: Readonly<Record<Change, string>> = {
  tools: 'without tools',
  format: 'without response_format, with the schema in the instructions',
  usage: 'without stream_options',
  limit_name: 'with the other name of max_tokens',
  system_role: 'without a system message, with the instructions in the first message',
  choices: 'without n, one for each completion',
  most_tokens: 'with fewer output tokens',
  prompt_room: 'with fewer output tokens',
  reasoning: 'with room for reasoning (OPENAI_MAX_REASONING_TOKENS)',
};

interface KnownPrompt {
  readonly changes: Map<Change, number>;
  failed: FailedForm | null;
  timesChanged: number;
  readonly untilMs: number;
}

/**
 * What differs from the whole request: parts that are left out, and limits. Their values:
 *
 *   a part        0
 *   most_tokens   the most output tokens that the server accepts
 *   prompt_room   the same for one prompt, which leaves no more of the context
 *   reasoning     0: there is room for the model's reasoning beside the reply
 */
type Change = Part | 'most_tokens' | 'prompt_room' | 'reasoning';

/** One form of a prompt that failed. */
interface FailedForm {
  readonly changes: Changes;
  /** What the server named, or the completion showed. */
  readonly named: readonly Change[];
  readonly why: string;
  /** Only a completion with an object shows that another form is better. */
  readonly needsObject?: boolean;
}

type Changes = ReadonlyMap<Change, number>;

/** A change that all requests have. */
interface LearnedChange {
  readonly change: Change;
  value: number;
  /** Then one prompt tries the whole form again. */
  untilMs: number;
  /** The prompt that tries it. */
  triedBy: string | null;
}

export type TokenLimitName = 'max_tokens' | 'max_completion_tokens';

/** What identifies a prompt, also when it is sent again. */
export interface Prompt {
  readonly id: string;
  readonly schema: string;
  readonly hasTools: boolean;
  /** Several completions are wanted. */
  readonly hasChoices: boolean;
}

/** The form in which a request is sent. */
export interface RequestForm {
  readonly changes: Changes;
  /** Where the schema stands. */
  readonly format: 'json_schema' | 'json_in_text';
  readonly offersTools: boolean;
  /** Several completions may be asked for. */
  readonly offersChoices: boolean;
  readonly asksForUsage: boolean;
  readonly tokenLimitName: TokenLimitName;
  readonly hasSystemRole: boolean;
  /** The most output tokens that are accepted. */
  readonly mostTokens: number;
  /** More output tokens are requested, because reasoning used up those of a reply. */
  readonly hasRoomForReasoning: boolean;
}

function keyOf(change: Change, { schema }: Prompt): string {
  return change === 'format' ? `format ${schema}` : change;
}

/** Requests of this prompt have this part. */
function isPartOf(change: Change, { hasTools, hasChoices }: Prompt): boolean {
  if (change === 'tools') return hasTools;
  return change !== 'choices' || hasChoices;
}

function isSame(one: Changes, other: Changes): boolean {
  return one.size === other.size && [...one].every(([change, n]) => other.get(change) === n);
}

/** OpenAI's newer models accept only the newer name; most other servers know the older one. */
export function limitNameAt(baseUrl: string): TokenLimitName {
  const isOpenAi = URL.canParse(baseUrl) && new URL(baseUrl).hostname === 'api.openai.com';
  return isOpenAi ? 'max_completion_tokens' : 'max_tokens';
}

export function promptOf(request: ModelRequest): Prompt {
  const { system, messages, schema, tools = [], choices = 1 } = request;
  const words = JSON.stringify([system, messages, schema.name, tools.map(({ name }) => name)]);
  const id = createHash('sha256').update(words).digest('base64');
  return { id, schema: schema.name, hasTools: tools.length > 0, hasChoices: choices > 1 };
}
