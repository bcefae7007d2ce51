import { type ChatMessage, type ChatTemplate, Engines, HAS_LLAMA } from './engines';
import { playedInterview } from './played-interview';

/*
 * Our messages in the chat templates of real models: the 97 that `@huggingface/ollama-utils` 0.0.18 ships,
 * as they stand in the models' GGUF files. Rendered by `@huggingface/jinja` 0.5.11, and by llama.cpp
 * b10257, which changes messages that a template does not take. npm has no template of GPT-OSS, GLM 4.5 or
 * Kimi in a package of reasonable size.
 */

/** Templates that refuse a system message, with how they say it. Folded into the user message it works. */
const REFUSE: Readonly<Record<string, RegExp>> = {
  'library/gemma2:2b': /System role not supported/,
  'library/gemma3:1b': /undefined/,
  'library/llama-guard3:8b': /must alternate/,
  'library/llava:7b': /must alternate/,
  'library/mistral:7b-instruct-fp16': /must alternate/,
};
/** Templates that leave a system message out without an error; folded it works. */
const DROP = [
  'library/granite3-guardian:2b',
  'library/llama-pro:latest',
  'library/nuextract:3.8b',
  'library/phi3:14b',
  'library/phi4-reasoning:14b',
];
/** Templates that need content in parts or variables of their own; no list of plain messages fits. */
const OTHER_FORM = [
  'library/firefunction-v2:70b',
  'library/llama-guard3:1b',
  'library/llama3.2-vision:90b',
  'library/llama3.2-vision:latest',
];
/**
 * In llama.cpp these lose the system message, or print it as a list of parts with other quotation marks
 * and escapes. It folds the message for all templates above that refuse or drop it.
 */
const CHANGED_IN_LLAMA = [
  'library/gemma3:1b',
  'library/granite3-guardian:2b',
  'library/llama3.2-vision:90b',
  'library/llama3.2-vision:latest',
];
/** Those of them that print the list: a system message without a quotation mark stands in it as it is. */
const PARTS_IN_LLAMA = ['library/llama3.2-vision:90b', 'library/llama3.2-vision:latest'];
const FAIL_IN_LLAMA = ['library/firefunction-v2:70b', 'library/llama-guard3:1b'];

interface Sent {
  readonly plain: readonly ChatMessage[];
  /** The system text at the beginning of the user message. */
  readonly folded: readonly ChatMessage[];
  readonly system: string;
  readonly user: string;
}

let engines: Engines;
let templates: ChatTemplate[];
let lists: Sent[];

beforeAll(async () => {
  engines = new Engines();
  templates = await engines.templates();
  const requests = [...(await playedInterview('en')), ...(await playedInterview('ru'))];
  // One of each kind and language: what differs within a kind is only the text.
  const kinds = new Map(
    requests.map((each) => [`${each.purpose} ${each.request.system}`, each.request]),
  );
  lists = [...kinds.values()].map(({ system, messages }) => {
    const user = messages[0]?.content ?? '';
    return {
      system,
      user,
      plain: [{ role: 'system', content: system }, ...messages],
      folded: [{ role: 'user', content: `${system}\n\n${user}` }],
    };
  });
});

afterAll(() => engines.close());

/** What of our text stands in a prompt. */
function partsIn(prompt: string, { system, user }: Sent): string {
  const parts = [prompt.includes(system) ? 'system' : '', prompt.includes(user) ? 'user' : ''];
  return parts.filter((part) => part !== '').join(' and ');
}

test('there are templates of many families, and each kind of our requests', () => {
  expect(templates.length).toBeGreaterThanOrEqual(97);
  expect(lists.length).toBeGreaterThanOrEqual(6);
  expect(lists.every(({ plain }) => plain.length === 2)).toBe(true);
});

test('every other template shows a model all of our text', async () => {
  const others = [...Object.keys(REFUSE), ...DROP, ...OTHER_FORM];
  const fitting = templates.filter(({ model }) => !others.includes(model));
  expect(fitting.length).toBe(templates.length - others.length);
  for (const { model, template } of fitting) {
    for (const sent of lists) {
      const prompt = await engines.byJinja(template, sent.plain);
      expect([model, partsIn(prompt, sent)]).toEqual([model, 'system and user']);
    }
  }
});

test('templates that refuse or drop a system message show all of it in the user message', async () => {
  for (const { model, template } of templates) {
    const refusal = REFUSE[model];
    if (refusal === undefined && !DROP.includes(model)) continue;
    for (const sent of lists) {
      const plain = engines.byJinja(template, sent.plain);
      if (refusal !== undefined) await expect(plain).rejects.toThrow(refusal);
      else expect([model, partsIn(await plain, sent)]).toEqual([model, 'user']);
      const folded = await engines.byJinja(template, sent.folded);
      expect([model, partsIn(folded, sent)]).toEqual([model, 'system and user']);
    }
  }
});

test('more than half of the templates drop tools without an error', async () => {
  const [sent] = lists;
  const parameters = { type: 'object', properties: {}, required: [] };
  const tools = [{ type: 'function', function: { name: 'a_tool', description: '', parameters } }];
  const dropping: string[] = [];
  for (const { model, template } of templates) {
    const prompt = await engines.byJinja(template, sent?.plain ?? [], tools).catch(() => 'a_tool');
    if (!prompt.includes('a_tool')) dropping.push(model);
  }

  expect(dropping.length).toBeGreaterThan(templates.length / 2);
  expect(dropping).toEqual(
    expect.arrayContaining(['library/deepseek-v3:671b', 'library/gemma3:270m']),
  );
});

(HAS_LLAMA ? test : test.skip)(
  'llama.cpp shows all of it with every template, except where one looks for parts',
  async () => {
    for (const { model, template } of templates) {
      if (FAIL_IN_LLAMA.includes(model)) continue;
      for (const sent of lists) {
        const isKept = PARTS_IN_LLAMA.includes(model) && !/['"]/.test(sent.system);
        const isChanged = CHANGED_IN_LLAMA.includes(model) && !isKept;
        const wanted = isChanged ? 'user' : 'system and user';
        const { prompt } = await engines.byLlama(template, sent.plain);
        expect([model, partsIn(prompt, sent)]).toEqual([model, wanted]);
      }
    }
  },
);
