import { SEARCH_KNOWLEDGE } from '../../src/interview/prompts/interview-request';
import {
  type OutputEnd,
  type ReplyEvent,
  ReplyReader,
} from '../../src/interview/turn/reply-reader';
import { ModelFailure } from '../../src/llm';
import { OUTPUT_SHAPES, QUERY, REPLY } from './output-shapes';

/** What is returned of an output in pieces of this many characters: as it arrives, then its end. */
function read(output: string, length: number): { events: ReplyEvent[]; end: OutputEnd | string } {
  const reader = new ReplyReader();
  const pieces = output.match(new RegExp(`[^]{1,${String(length)}}`, 'g')) ?? [];
  const events: ReplyEvent[] = [];
  try {
    for (const piece of pieces) events.push(...reader.push(piece));
    return { events, end: reader.end([SEARCH_KNOWLEDGE]) };
  } catch (error) {
    if (error instanceof ModelFailure) return { events, end: error.kind };
    throw error;
  }
}

function shownBy(events: readonly ReplyEvent[]): { verdict: string; text: string } {
  const verdicts = events.flatMap((event) => (event.type === 'verdict' ? [event.verdict] : []));
  const text = events.map((event) => (event.type === 'delta' ? event.text : '')).join('');
  return { verdict: verdicts.join(), text };
}

const { verdict, text } = JSON.parse(REPLY) as { verdict: string; text: string };
const CALL = { name: SEARCH_KNOWLEDGE.name, input: { query: QUERY } };

describe.each([1, 7, 100_000])('in pieces of %i characters', (length) => {
  test.each(OUTPUT_SHAPES.filter(({ is }) => is === 'reply'))(
    'only the reply is returned: $family',
    ({ output }) => {
      const { events, end } = read(output, length);
      expect(end).toMatchObject({ kind: 'reply' });
      const rest = typeof end !== 'string' && end.kind === 'reply' ? end.events : [];
      expect(shownBy([...events, ...rest])).toEqual({ verdict, text });
    },
  );

  test.each(OUTPUT_SHAPES.filter(({ is }) => is === 'call'))(
    'the call of a tool is read, and nothing returned: $family',
    ({ output }) => {
      expect(read(output, length)).toEqual({ events: [], end: { kind: 'calls', calls: [CALL] } });
    },
  );

  test.each(OUTPUT_SHAPES.filter(({ is }) => is === 'nothing'))(
    'nothing is returned, and the attempt has failed: $family',
    ({ output }) => {
      const { events, end } = read(output, length);
      expect(shownBy(events).text).toBe('');
      expect(['malformed', 'empty']).toContain(end);
    },
  );
});

test('a turn that the model makes up behind its own is not read', () => {
  const next = '<|im_end|>\n<|im_start|>user\nHm.<|im_end|>\n<|im_start|>assistant\n';
  const madeUp = '{"verdict":"leave","text":"Bye."}';
  for (const output of [`${REPLY}${next}${madeUp}`, `So: ${REPLY}${next}${madeUp}`]) {
    const { events, end } = read(output, 7);
    const rest = typeof end !== 'string' && end.kind === 'reply' ? end.events : [];
    expect(shownBy([...events, ...rest])).toEqual({ verdict, text });
  }
});

test.each([
  ['in prose', 'I would use search_knowledge to query the documents about pay.'],
  [
    'within reasoning',
    `<think>${JSON.stringify({ name: CALL.name, arguments: CALL.input })}</think>No.`,
  ],
])('a tool that is named %s is not called', (_, output) => {
  expect(read(output, 7)).toEqual({ events: [], end: 'malformed' });
});
