/**
 * What the prompts of an interview cost: interviews on the example vacancies are played with a model server
 * that records each request. The price of an input is its tokens, of which those that stand in a beginning
 * shared with an earlier request of the interview count a quarter: in blocks of 128 tokens, from 1,024 on.
 * Tokens are o200k's, of instructions and data; schema and tool are not counted.
 *
 *   npm run bench -- prompt-price --base ../another-checkout
 *
 * With `--base` the same interviews are played by the application of another checkout that is built beside
 * this one (`npm ci` is enough), and the figures are compared. The tokenizer is no dependency of the project:
 * run `npm ci --prefix bench/tokenizers` first; without it this bench ends at once.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startModel } from './lib/bench-model';
import { type Figure, report } from './lib/report';
import type { PlayedTurn } from './servers/prompt-player';

const TOKENIZERS = path.join(__dirname, 'tokenizers');
const OWN = path.resolve(__dirname, '..');

const SHARED_FROM = 1024;
const BLOCK = 128;
const SHARED_PRICE = 0.25;

type Encode = (text: string) => readonly number[];

/** One request to the model server. */
interface Recorded {
  readonly turn: PlayedTurn;
  readonly input: string;
  /** What was written of the output until its reader left. */
  output: string;
}

interface Body {
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly response_format?: { readonly json_schema?: { readonly name?: string } };
}

/** The fields of the data that both forms of the prompt have. */
interface Data {
  readonly passages?: readonly object[];
  readonly messages?: readonly { readonly n: number }[];
  readonly answer: string | readonly number[];
  readonly read?: readonly object[];
}

const SAYS = {
  en: ['So that part was yours.', 'Understood: the state came first.', 'One week in six, then.'],
  ru: ['Значит, смена была на вас.', 'Сначала заезды, ясно.', 'Две недели отработки, отмечаю.'],
};

/** What a good model writes, as the instructions of either form ask for it. */
function outputFor({ messages, response_format }: Body, turn: PlayedTurn, at: number): object {
  const data = JSON.parse(messages.at(-1)?.content ?? '{}') as Data;
  if (response_format?.json_schema?.name === 'passage_choice') {
    const hasRead = (data.read ?? []).length > 0;
    return { action: hasRead ? 'select' : 'read', ids: ['p1', 'p2'] };
  }
  const rest = { about: '', touches: '' };
  if (turn.kind === 'question') {
    const sources = data.passages === undefined ? '' : '1';
    const text = { en: 'It is in our documents.', ru: 'Это есть в документах.' }[turn.language];
    return {
      verdict: 'question',
      sources,
      asks: 'yes',
      ...rest,
      text,
      labels: labelsIn(data, turn),
    };
  }
  const words = SAYS[turn.language];
  const text = words[at % words.length] ?? '';
  return {
    verdict: 'answered',
    sources: '',
    asks: 'no',
    ...rest,
    text,
    labels: labelsIn(data, turn),
  };
}

/** The form with numbers leaves the label of a single message to the verdict. */
function labelsIn({ answer, messages = [] }: Data, { kind }: PlayedTurn): string {
  if (typeof answer !== 'string' && answer.length === 1) return '';
  const own = typeof answer === 'string' ? messages.map(({ n }) => n) : answer;
  return (own.length === 0 ? [1] : own).map((n) => `${String(n)} ${kind}`).join('; ');
}

const PIECE = 12;
const PIECE_MS = 3;

async function stream(
  response: ServerResponse,
  content: string,
  wrote: (piece: string) => void,
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const tell = (delta: object, finish: string | null = null): void => {
    const choices = [{ index: 0, delta, finish_reason: finish }];
    const event = { id: 'c', object: 'chat.completion.chunk', choices };
    response.write(`data: ${JSON.stringify(event)}\n\n`);
  };
  for (let at = 0; at < content.length && !response.destroyed; at += PIECE) {
    const piece = content.slice(at, at + PIECE);
    tell({ content: piece });
    wrote(piece);
    await sleep(PIECE_MS);
  }
  if (response.destroyed) return;
  tell({}, 'stop');
  response.end('data: [DONE]\n\n');
}

/** Plays all interviews with the application of a checkout. */
async function record(root: string): Promise<Recorded[]> {
  const recorded: Recorded[] = [];
  let now: PlayedTurn | null = null;
  const model = await startModel(async (text, response) => {
    if (now === null) throw new Error('a request came before the first turn');
    const body = JSON.parse(text) as Body;
    const input = body.messages.map(({ content }) => content).join('\n');
    const one: Recorded = { turn: now, input, output: '' };
    recorded.push(one);
    const output = outputFor(body, now, recorded.length);
    await stream(response, JSON.stringify(output), (piece) => (one.output += piece));
  });
  const register = path.join(root, 'tools', 'support', 'swc-register.cjs');
  const player = path.join(__dirname, 'servers', 'prompt-player.ts');
  const child = spawn(process.execPath, ['-r', register, player], {
    cwd: root,
    env: { ...process.env, COLLOQUY_ROOT: root, OPENAI_BASE_URL: model.url },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  child.on('message', (turn) => {
    now = turn as PlayedTurn;
    child.send('go');
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  await model.stop();
  if (code !== 0) throw new Error(`the interviews of ${root} ended with code ${String(code)}`);
  return recorded;
}

/** The sums of some requests. */
interface Sum {
  price: number;
  input: number;
  output: number;
  requests: number;
  turns: number;
}

type Sums = ReadonlyMap<string, { readonly answer: Sum; readonly question: Sum }>;

const nothing = (): Sum => ({ price: 0, input: 0, output: 0, requests: 0, turns: 0 });

/** By interview: what the answers to the plan's questions cost, and what the candidate's questions cost. */
function sumsOf(recorded: readonly Recorded[], encode: Encode): Sums {
  const sums = new Map<string, { answer: Sum; question: Sum }>();
  const sent = new Map<string, (readonly number[])[]>();
  let last: PlayedTurn | null = null;
  for (const { turn, input, output } of recorded) {
    const name = `${turn.language}, ${turn.name}`;
    const known = sums.get(name) ?? { answer: nothing(), question: nothing() };
    const earlier = sent.get(name) ?? [];
    const tokens = encode(input);
    const shared = sharedWith(earlier, tokens);
    const sum = known[turn.kind];
    sum.price += tokens.length - (1 - SHARED_PRICE) * shared;
    sum.input += tokens.length;
    sum.output += encode(output).length;
    sum.requests += 1;
    if (turn !== last) sum.turns += 1;
    last = turn;
    sums.set(name, known);
    sent.set(name, [...earlier, tokens]);
  }
  return sums;
}

/** Tokens of the longest beginning that an earlier request has too, as servers with a cache count them. */
function sharedWith(earlier: readonly (readonly number[])[], tokens: readonly number[]): number {
  const lengths = earlier.map((other) => {
    const end = tokens.findIndex((token, at) => other[at] !== token);
    return end < 0 ? tokens.length : end;
  });
  const longest = Math.max(0, ...lengths);
  return longest < SHARED_FROM ? 0 : Math.floor(longest / BLOCK) * BLOCK;
}

function figuresOf(name: string, own: Sum, base: Sum | undefined): Figure[] {
  const each = (sum: Sum, what: 'price' | 'input' | 'output'): number => sum[what] / sum.turns;
  const figures: Figure[] = [
    { name: `${name}: price of the input`, value: each(own, 'price'), unit: 'tokens' },
    { name: `${name}: input`, value: each(own, 'input'), unit: 'tokens' },
    { name: `${name}: output`, value: each(own, 'output'), unit: 'tokens' },
  ];
  if (base === undefined) return figures;
  const ratio = (what: 'price' | 'input' | 'output', atMost: number): Figure => ({
    name: `${name}: ${what}, times the base's`,
    value: each(own, what) / each(base, what),
    unit: '',
    bound: { atMost },
  });
  figures.push({ name: `${name}: price, the base's`, value: each(base, 'price'), unit: 'tokens' });
  return [...figures, ratio('price', 0.55), ratio('input', 1.15), ratio('output', 1)];
}

function questionFigures(name: string, own: Sum, base: Sum | undefined): Figure[] {
  if (own.turns === 0) return [];
  const atMost = name.includes('few') ? 1 : 2;
  return [
    {
      name: `${name}: requests for a question of the candidate`,
      value: own.requests / own.turns,
      unit: '',
      bound: { atMost },
    },
    { name: `${name}: price of such a question`, value: own.price / own.turns, unit: 'tokens' },
    ...(base === undefined
      ? []
      : [
          {
            name: `${name}: price of such a question, times the base's`,
            value: own.price / own.turns / (base.price / base.turns),
            unit: '',
            bound: { atMost: 1 },
          },
        ]),
  ];
}

function commitOf(root: string): string {
  return execFileSync('git', ['-C', root, 'rev-parse', '--short', 'HEAD'], {
    encoding: 'utf8',
  }).trim();
}

async function main(): Promise<void> {
  if (!existsSync(path.join(TOKENIZERS, 'node_modules'))) {
    const advice = 'run `npm ci --prefix bench/tokenizers` first';
    process.stdout.write(`prompt-price: not measured, ${advice}\n`);
    return;
  }
  const load = createRequire(path.join(TOKENIZERS, 'package.json'));
  const { encode } = load('gpt-tokenizer/cjs/encoding/o200k_base') as { encode: Encode };
  const at = process.argv.indexOf('--base');
  const base = at < 0 ? undefined : path.resolve(process.argv[at + 1] ?? '');
  const own = sumsOf(await record(OWN), encode);
  const before = base === undefined ? undefined : sumsOf(await record(base), encode);
  const figures = [...own].flatMap(([name, { answer, question }]) => [
    ...figuresOf(name, answer, before?.get(name)?.answer),
    ...questionFigures(name, question, before?.get(name)?.question),
  ]);
  report('prompt-price', figures, [
    'per question of the plan, of 8 in English and 7 in Russian; a question of the candidate is counted apart',
    'tokens by o200k; a token in a shared beginning (blocks of 128, from 1,024 on) costs a quarter',
    ...(base === undefined ? [] : [`the base is ${commitOf(base)}`]),
  ]);
}

void main();
