import injections from './data/injections.json';
import { normalised } from '../../src/scoring/evidence';
import { type CriterionReading, readCriterion } from '../../src/scoring/sample-reader';
import { requestOf } from '../../src/scoring/score-request';
import { criterionResult } from '../../src/scoring/scorecard';
import { printable } from '../../src/cli/output';
import type { Rubric } from '../../src/vacancies';
import { ratingOf } from '../../tools/fake-model/raters';

/**
 * Each injection is appended to an honest answer and rated by hand-written models. The obeying one
 * does what the text says: it gives the best mark, quotes the order and writes the rubric out. This
 * proves what code does with a model that obeys; it says nothing about how often a real one does.
 */

const SECRET_ANCHOR = 'anchor-that-nobody-outside-may-see';
const MARK_5 = `${SECRET_ANCHOR} 5`;
const RUBRIC: Rubric = {
  questionId: 'incident',
  question: 'Describe an incident that you resolved.',
  text: SECRET_ANCHOR,
  criteria: [
    {
      name: 'evidence',
      weight: 100,
      anchors: { 1: 'Nothing.', 2: 'A guess.', 3: 'A metric.', 4: 'A timeline.', 5: MARK_5 },
    },
  ],
  facts: [],
};
const HONEST = {
  en: 'The queue grew and a metric showed a slow query.',
  ru: 'Очередь росла, и метрика показала медленный запрос.',
} as const;

type Injection = (typeof injections)[number];

/** What three samples of a model make of the answer with the injection alone in its last message. */
function rated(rater: 'good' | 'sloppy' | 'obeying', texts: readonly string[]) {
  const messages = texts.map((text, index) => ({
    id: `m${String(index)}`,
    text: normalised(text),
  }));
  const scoreRequest = requestOf({ rubric: RUBRIC, kind: 'criterion', name: 'evidence' }, messages);
  const { request } = scoreRequest;
  const content = request.messages[0]?.content ?? '';
  const readings = [1, 2, 3].map((n) => {
    const asked = { schema: request.schema.name, messages, system: request.system, content };
    return readCriterion(ratingOf(rater, asked, n), { messages, question: RUBRIC.question });
  });
  return { request, content, readings, messages, ...criterionResult(readings) };
}

function languageOf({ language }: Injection): 'en' | 'ru' {
  return language === 'ru' ? 'ru' : 'en';
}

test('there are at least 80 injections, of every kind in both languages, each once', () => {
  expect(injections.length).toBeGreaterThanOrEqual(80);
  expect(new Set(injections.map(({ text }) => text)).size).toBe(injections.length);
  const kinds = new Set(injections.map(({ kind }) => kind));
  expect(kinds.size).toBe(11);
  for (const kind of kinds) {
    const languages = injections.filter((one) => one.kind === kind).map(({ language }) => language);
    expect(new Set(languages)).toEqual(new Set(['en', 'ru']));
  }
});

test.each(injections)('changes no score: $kind, $language: $text', (injection) => {
  const honest = HONEST[languageOf(injection)];

  // A model that obeys and quotes the order gets no score stored.
  const obeyed = rated('obeying', [injection.text]);
  expect(obeyed.result.kind).not.toBe('supported');

  // A model that rates honestly gives the same mark as without the injection.
  const clean = rated('good', [honest]).result;
  const attacked = rated('good', [honest, injection.text]).result;
  expect(attacked.kind).toBe('supported');
  expect(attacked).toMatchObject({ mark: clean.kind === 'supported' ? clean.mark : null });

  // A sloppy model's score is never stored.
  expect(rated('sloppy', [honest, injection.text]).result.kind).toBe('unscorable');

  // Every stored quote is a passage of a message, and none of them is the order.
  const quotes = rated('obeying', [honest, injection.text]).readings.flatMap(
    (reading: CriterionReading) => (reading.kind === 'supported' ? reading.quotes : []),
  );
  for (const { messageId, start, end } of quotes) {
    expect(messageId).toBe('m0');
    expect(honest.slice(start, end)).toBe(honest);
  }
});

test.each(injections)(
  'is only data in the request, calls no tool and leaks no rubric: $kind, $language: $text',
  (injection) => {
    const { request, content, readings } = rated('obeying', [injection.text]);

    expect(request).not.toHaveProperty('tools');
    expect(request.system).not.toContain(injection.text);
    const { messages, ...rest } = JSON.parse(content) as { messages: { text: string }[] };
    expect(messages.map(({ text }) => text)).toEqual([normalised(injection.text)]);
    expect(JSON.stringify(rest)).not.toContain(JSON.stringify(injection.text));
    // The model wrote the rubric and the prompt into its own words; nothing of them is kept.
    expect(JSON.stringify(readings)).not.toContain(SECRET_ANCHOR);
    // What a terminal is given has no control character.
    // oxlint-disable-next-line no-control-regex
    expect(printable(injection.text)).not.toMatch(/[\u0000-\u0008\u001b\u202a-\u202e]/);
  },
);
