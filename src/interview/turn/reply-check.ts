import { type CheckOutcome, ok, problem, warning } from '../../common/check-outcome';
import { type Clock, withTimeLimit } from '../../common/clock';
import type { Settings } from '../../common/config';
import {
  clientOf,
  ModelAbortedError,
  type ModelClient,
  ModelFailure,
  ModelUnavailableError,
  type ReplyServer,
  type UnsupportedFeature,
} from '../../llm';
import { allowedVerdicts } from '../plan/decide';
import { initialState } from '../plan/state';
import { isVerdict } from '../plan/verdicts';
import { buildInterviewRequest, type InterviewPrompt } from '../prompts/interview-request';
import { ReplyReader } from './reply-reader';

/**
 * Sends one request in the form of interviews (instructions, schema, tool, limit, usage) with a made-up
 * answer, and reads the output as interviews do. It costs some hundred tokens, and is not in the ledger,
 * because it belongs to no interview. No sentence contains the server's text.
 */
export async function examineReply(
  server: ReplyServer,
  { llm }: Settings,
  clock: Clock,
): Promise<CheckOutcome[]> {
  const client = await clientOf(server, llm, clock);
  const name = `${server.model} at ${new URL(server.baseUrl).host}`;
  try {
    const seen = await withTimeLimit(clock, PATIENCE_MS, (signal) =>
      requested(client, llm.maxOutputTokens, signal),
    );
    const lacks = lacksOf(client.unsupported, seen).map((what) => warning(`${name} ${what}`));
    return [ok(`${name} replies to a made-up answer as interviews ask it to.`), ...lacks];
  } catch (error) {
    const sentence = sentenceOf(error, server);
    if (sentence === null) throw error;
    return [problem(`${name} ${sentence}`)];
  }
}

/** A model that has not replied to ten words by then keeps candidates waiting too. */
const PATIENCE_MS = 60_000;

/** What came of one request. */
interface RequestOutcome {
  readonly text: string;
  readonly hasCalled: boolean;
  readonly isCounted: boolean;
}

/** One request, and one more for each thing that the client may learn from a rejection. */
const MOST_SENDS = 6;

async function requested(
  client: ModelClient,
  maxOutputTokens: number,
  signal: AbortSignal,
): Promise<RequestOutcome> {
  for (let sends = 1; ; sends += 1) {
    try {
      return await read(client, maxOutputTokens, signal);
    } catch (error) {
      const hasLearned = error instanceof ModelFailure && error.isAdjusted;
      if (!hasLearned || sends === MOST_SENDS) throw error;
    }
  }
}

/** Throws ModelFailure where an interview would, too. */
async function read(
  client: ModelClient,
  maxOutputTokens: number,
  signal: AbortSignal,
): Promise<RequestOutcome> {
  const prompt = madeUpPrompt(maxOutputTokens);
  const request = buildInterviewRequest(prompt);
  const reader = new ReplyReader(prompt.answer);
  const seen = { text: '', hasCalled: false, isCounted: false };
  for await (const chunk of client.stream(request, signal)) {
    if (chunk.type === 'usage') seen.isCounted = true;
    if (chunk.type === 'call') seen.hasCalled = true;
    if (chunk.type !== 'text') continue;
    seen.text += chunk.text;
    reader.push(chunk.text);
  }
  if (!seen.hasCalled) seen.hasCalled = reader.end(request.tools).kind === 'calls';
  return seen;
}

const PLAN = {
  greeting: 'Hello.',
  closing: 'Goodbye.',
  questions: [
    {
      id: 'check',
      text: 'Which bread did you bake last?',
      mustAsk: true,
      kind: 'open',
      rubric: 'A good answer names one bread.',
    },
  ],
} as const;

/** An interview that never was: no person's words. */
function madeUpPrompt(maxOutputTokens: number): InterviewPrompt {
  const state = initialState(PLAN);
  return {
    vacancy: { title: 'Baker', company: 'Example Bakery' },
    facts: {
      progress: 'This is question 1 of 1.',
      disclosure: 'An AI asks the questions.',
      readers: 'Nobody reads this check.',
    },
    language: 'en',
    plan: PLAN,
    state,
    history: [],
    answer: 'I baked a rye bread yesterday.',
    messages: [{ n: 1, text: 'I baked a rye bread yesterday.' }],
    corrections: [],
    allowedVerdicts: allowedVerdicts(PLAN, state),
    isAddendum: false,
    isCorrection: false,
    agent: 'technical',
    searches: [],
    canSearch: true,
    maxOutputTokens,
  };
}

/** What the server cannot do although a reply could be read. */
function lacksOf(unsupported: readonly UnsupportedFeature[], seen: RequestOutcome): string[] {
  const lacks = unsupported.flatMap((what) => (what === 'usage' ? [] : [LACKS[what]]));
  if (!seen.hasCalled && !isInForm(seen.text)) {
    lacks.push(
      "does not keep the schema of the output: replies that cannot be read go to the scripted interviewer; turn on the server's structured output, or set another model.",
    );
  }
  if (!seen.isCounted) {
    lacks.push('does not say how many tokens it used, so the ledger has no tokens and no costs.');
  }
  return lacks;
}

/** Tokens that are not counted are seen in the response. */
const LACKS: Readonly<Record<Exclude<UnsupportedFeature, 'usage'>, string>> = {
  format:
    'rejects a schema for the output (response_format), so the schema stands in the instructions: the model may not keep it.',
  tools: "rejects tools, so code decides when a vacancy's documents are searched.",
  system: 'rejects a system message, so the instructions stand in the first message.',
  room: 'uses up OPENAI_MAX_OUTPUT_TOKENS by reasoning, so each reply may take a second request with OPENAI_MAX_REASONING_TOKENS more: turn reasoning off, or raise the first.',
  reason:
    'ends its reply without a finish reason, so a reply that is cut off looks like a whole one unless its object is broken.',
};

const FIELDS = ['verdict', 'sources', 'asks', 'about', 'touches', 'text', 'labels'];

/** The bare object of the schema: every field a string, and nothing else. */
function isInForm(text: string): boolean {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return false;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const fields = value as Readonly<Record<string, unknown>>;
  return (
    Object.keys(fields).length === FIELDS.length &&
    FIELDS.every((field) => typeof fields[field] === 'string') &&
    isVerdict(fields['verdict'])
  );
}

/** Null: a bug of ours. */
function sentenceOf(error: unknown, { prefix }: ReplyServer): string | null {
  if (error instanceof ModelAbortedError) {
    return `did not reply to a made-up answer within ${String(PATIENCE_MS / 1000)} s: candidates would wait as long.`;
  }
  if (error instanceof ModelUnavailableError) {
    return `takes no request for a reply (${error.message}): check ${prefix}_API_KEY, ${prefix}_BASE_URL and ${prefix}_MODEL.`;
  }
  if (!(error instanceof ModelFailure)) return null;
  const { status, reason } = error.fields;
  const code = [status, reason].filter((part) => part !== undefined).join(' ');
  switch (error.kind) {
    case 'length':
      return 'uses up OPENAI_MAX_OUTPUT_TOKENS before its reply ends, usually by reasoning: raise it, or turn reasoning off.';
    case 'malformed':
      return "sends output that interviews cannot read, because it does not keep the schema: turn on the server's structured output, or set another model.";
    case 'empty':
      return 'sends no text: if it only sends reasoning, turn that off, or set another model.';
    case 'cut':
      return 'ends its reply without a finish reason, so interviews take it as broken off: check the server and proxies before it.';
    case 'stalled':
      return 'begins its reply and then stands still: check its load, and OPENAI_IDLE_TIMEOUT.';
    case 'bad_request':
      return `rejects the request of an interview${code === '' ? '' : ` (${code})`}: its log says why.`;
    case 'refused':
    case 'content_filter':
      return 'refuses a harmless made-up answer: look at its policies, or set another model.';
  }
}
