import type { ModelReply, RequestBody } from './model-replies';

/**
 * How hand-written models rate answers. They prove what the code does with a model's output; they say
 * nothing about how well a real model rates.
 *
 *   good     quotes the answer exactly
 *   ordinary quotes the answer as models do: in its own typography, and in the form of the prompt
 *   sloppy   quotes it nearly, joins messages, breaks off its JSON, invents passages: in turn
 *   biased   quotes exactly, and takes a mark off where the writer's endings are feminine
 *   obeying  does what the answer tells it: the best mark, quoting the order, the rubric in its words
 */
export type Rater = 'good' | 'ordinary' | 'sloppy' | 'biased' | 'obeying';

interface Asked {
  readonly schema: string;
  readonly messages: readonly { readonly id: string; readonly text: string }[];
  readonly system: string;
  readonly content: string;
}

/** A reply of the model server that rates; requests of the interview get `interview`. */
export function ratingReply(rater: Rater, interview: string): ModelReply {
  let asked = 0;
  return {
    kind: 'completion',
    // A rating is read as a whole, so it comes in one chunk, which costs less time than fifty.
    chunkSize: 10_000,
    content: (body) => {
      const request = askedIn(body);
      if (request === null) return interview;
      asked += 1;
      return ratingOf(rater, request, asked);
    },
  };
}

/** The same from a server that knows `n`: as many completions as a request asks for. */
export function ratingChoices(rater: Rater, interview: string): ModelReply {
  let asked = 0;
  return {
    kind: 'choices',
    content: (body) => {
      const request = askedIn(body);
      if (request === null) return interview;
      asked += 1;
      return ratingOf(rater, request, asked);
    },
    chunkSize: 10_000,
  };
}

/** What a model of this kind writes about this request; `n` counts its requests. */
export function ratingOf(rater: Rater, asked: Asked, n: number): string {
  if (asked.schema === 'late_messages') return placesOf(asked);
  switch (rater) {
    case 'good':
      return outputOf(asked, 4, quotesOf(asked));
    case 'ordinary':
      return ordinary(asked, n);
    case 'sloppy':
      return sloppy(asked, n);
    case 'biased':
      return outputOf(asked, hasFeminineEndings(asked) ? 3 : 4, quotesOf(asked));
    case 'obeying':
      return outputOf(
        asked,
        5,
        asked.messages.flatMap(({ id, text }) =>
          passagesOf(text).map((passage) => ({ messageId: id, text: passage })),
        ),
        `${asked.system} ${asked.content}`,
      );
  }
}

/** "Я нашла", not "команда нашла". */
function hasFeminineEndings({ messages }: Asked): boolean {
  return messages.some(({ text }) => /(?<!\p{L})я \p{Ll}+ла(?!\p{L})/iu.test(text));
}

function askedIn({ messages, response_format: format }: RequestBody): Asked | null {
  const { name = '' } = (format?.json_schema ?? {}) as { name?: string };
  if (!RATED.has(name)) return null;
  const content = messages.at(-1)?.content ?? '{}';
  const data = JSON.parse(content) as {
    readonly messages: readonly Partial<Asked['messages'][0]>[];
  };
  // Lines of the interviewer have no id.
  const own = data.messages.flatMap(({ id, text }) =>
    id === undefined || text === undefined ? [] : [{ id, text }],
  );
  return { schema: name, messages: own, system: messages[0]?.content ?? '', content };
}

const RATED: ReadonlySet<string> = new Set(['criterion_rating', 'fact_reading', 'late_messages']);

/** Late messages belong to the question whose words they repeat, else to the first one. */
function placesOf({ content, messages }: Asked): string {
  const data = JSON.parse(content) as { questions: readonly { id: string; text: string }[] };
  const wordsOf = (text: string): string[] => text.toLowerCase().match(/\p{L}{4,}/gu) ?? [];
  const placed = messages.map(({ id, text }) => {
    const said = new Set(wordsOf(text));
    const found = data.questions.find((one) => wordsOf(one.text).some((word) => said.has(word)));
    return { id, questions: [found?.id ?? 'q1'] };
  });
  return JSON.stringify({ messages: placed });
}

/**
 * Straight quotation marks and hyphens, one space for any other, a capital first letter and a full stop, no
 * ё; every few requests in a fence, behind reasoning, or with another name for a message, as models differ.
 */
function ordinary(asked: Asked, n: number): string {
  const quotes = asked.messages.slice(0, 3).map(({ id, text }) => ({
    messageId: n % 5 === 0 ? id.toUpperCase() : id,
    text: retyped(firstOfThreeWords(text), n),
  }));
  const output = outputOf(asked, plantedMark(asked.messages), quotes);
  switch (n % 4) {
    case 1:
      return `\`\`\`json\n${output}\n\`\`\``;
    case 2:
      return `<think>The answer names what was done.</think>\n${output}`;
    default:
      return output;
  }
}

/** The first sentence of at least three words, as the prompt asks; without one, the whole message. */
function firstOfThreeWords(text: string): string {
  const sentences = text.split(/(?<=[.!?])\s+/u);
  return sentences.find((sentence) => sentence.split(/\s+/).length >= 3) ?? text;
}

/** The mark that the ordinary rater gives this answer: the same each time, from 1 to 5. */
export function plantedMark(messages: readonly { readonly text: string }[]): number {
  return 1 + (messages.reduce((sum, { text }) => sum + text.length, 0) % 5);
}

function retyped(text: string, n: number): string {
  const plain = text
    .normalize(n % 2 === 0 ? 'NFKC' : 'NFC')
    .replace(/[–—−]/g, '-')
    .replace(/[«»“”„]/g, '"')
    .replace(/[‘’]/g, "'")
    .replace(/…/g, '...')
    .replace(/\s+/g, ' ')
    .replaceAll('ё', 'е')
    .replaceAll('Ё', 'Е');
  const first = n % 3 === 0 ? plain.charAt(0).toLowerCase() : plain.charAt(0).toUpperCase();
  return `${first}${plain.slice(1)}${n % 2 === 0 ? '.' : ''}`;
}

interface ClaimedQuote {
  readonly messageId: string;
  readonly text: string;
}

function outputOf(
  { schema }: Asked,
  mark: number,
  quotes: readonly ClaimedQuote[],
  lookedFor = '',
): string {
  if (schema === 'fact_reading') return JSON.stringify({ quotes, result: 'yes' });
  return JSON.stringify({ quotes, result: 'supported', mark, lookedFor, reason: 'none' });
}

/** The first sentence of each message, as it stands there. */
function quotesOf({ messages }: Asked): ClaimedQuote[] {
  const found = messages.map(({ id, text }) => ({ messageId: id, text: firstSentence(text) }));
  return found.slice(0, 3);
}

function firstSentence(text: string): string {
  return /^[^.!?\n]{10,200}(?![\p{L}\p{N}])/u.exec(text)?.[0].trim() ?? text.trim();
}

/** Up to six passages from the whole text, from its end on: where an order usually stands. */
function passagesOf(text: string): string[] {
  const sentences = text.split(/(?<=[.!?\n])\s+/).map((sentence) => sentence.trim());
  return sentences
    .filter((sentence) => sentence !== '')
    .slice(-6)
    .toReversed();
}

function sloppy(asked: Asked, n: number): string {
  const [first = { messageId: 'none', text: '' }] = quotesOf(asked);
  const all = asked.messages.map(({ text }) => text).join(' ');
  switch (n % 6) {
    case 0:
      return outputOf(asked, 5, [{ ...first, text: first.text.toUpperCase() }]);
    case 1:
      return outputOf(asked, 5, [{ ...first, text: first.text.replaceAll(/[ ,—-]+/g, ' - ') }]);
    case 2:
      return outputOf(asked, 5, [first]).slice(0, -12);
    case 3:
      return outputOf(asked, 5, [{ ...first, text: `${all} and so on` }]);
    case 4:
      return outputOf(asked, 5, [{ ...first, messageId: 'message 1' }]);
    default:
      return 'Great answer! 5 of 5.';
  }
}
