import Ajv from 'ajv';
import { Engines, HAS_LLAMA } from './engines';
import { type PlayedRequest, playedInterview } from './played-interview';

/*
 * Our schemas in real engines of constrained decoding: xgrammar 0.1.27 (vLLM, SGLang, MLC) and
 * llama.cpp b10257. npm has no build of llguidance or Outlines, so those are not checked.
 */

type Schema = Readonly<Record<string, unknown>>;

/** What both engines enforce. Others are ignored, or forbid what a text needs (docs/model-servers.md). */
const KEYWORDS = [
  'type',
  'properties',
  'required',
  'additionalProperties',
  'enum',
  'items',
  'maxItems',
];

let engines: Engines;
let requests: PlayedRequest[];

beforeAll(async () => {
  engines = new Engines();
  const interviews = [await playedInterview('en'), await playedInterview('ru')];
  requests = interviews.flat();
});

afterAll(() => engines.close());

/** One request for each form of an output. */
function forms(): PlayedRequest[] {
  const bySchema = requests.map((each) => [JSON.stringify(each.request.schema), each] as const);
  return [...new Map(bySchema).values()];
}

function schemaOf({ request }: PlayedRequest): Schema {
  return request.schema.jsonSchema as Schema;
}

function subschemas(schema: Schema): Schema[] {
  const { properties = {}, items } = schema as {
    properties?: Record<string, Schema>;
    items?: Schema;
  };
  const inside = [...Object.values(properties), ...(items === undefined ? [] : [items])];
  return [schema, ...inside.flatMap(subschemas)];
}

/** The same output with this text in each of its strings without an enum. */
function withText(value: unknown, schema: Schema, text: string): unknown {
  const { type, properties, items } = schema as {
    type: unknown;
    properties?: Record<string, Schema>;
    items?: Schema;
  };
  if (Array.isArray(value)) return value.map((each) => withText(each, items ?? {}, text));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [
        key,
        withText(each, properties?.[key] ?? {}, text),
      ]),
    );
  }
  return type === 'string' && schema.enum === undefined ? text : value;
}

test('the requests cover every form: replies, ratings, facts and late messages', () => {
  const names = forms().map(({ request }) => request.schema.name);
  expect(new Set(names)).toEqual(
    new Set(['interview_reply', 'criterion_rating', 'fact_reading', 'late_messages']),
  );
});

test('a schema uses only what engines enforce, and every list has a bound', () => {
  for (const form of forms()) {
    for (const schema of subschemas(schemaOf(form))) {
      expect(KEYWORDS).toEqual(expect.arrayContaining(Object.keys(schema)));
      if (schema.type === 'array') expect(schema.maxItems).toBeGreaterThan(0);
      if (schema.type === 'object') {
        expect(schema.required).toEqual(Object.keys(schema.properties as object));
        expect(schema.additionalProperties).toBe(false);
      }
    }
  }
});

describe('xgrammar', () => {
  test('lets a model write each ideal output, on one line or indented', async () => {
    for (const { name, request, ideal } of requests) {
      const texts = [JSON.stringify(ideal), JSON.stringify(ideal, null, 2)];
      const taken = await engines.accepts(request.schema.jsonSchema, texts);
      expect([name, ...taken]).toEqual([name, true, true]);
    }
  });

  test('lets it write any text: quotation marks, line breaks, Cyrillic, emoji, 5,000 units', async () => {
    const texts = ['Она сказала: «да», "yes".\n\n\t\\ 👩‍🌾', 'x'.repeat(5000)];
    for (const form of forms()) {
      const outputs = texts.map((text) =>
        JSON.stringify(withText(form.ideal, schemaOf(form), text)),
      );
      expect(await engines.accepts(schemaOf(form), outputs)).toEqual([true, true]);
    }
  });

  test('keeps the order of the fields, and lets none be missing or added', async () => {
    for (const form of forms()) {
      const fields = Object.entries(form.ideal);
      const others = [
        // One field alone has no other order.
        ...(fields.length > 1 ? [fields.toReversed()] : []),
        fields.slice(1),
        fields.slice(0, -1),
        [...fields, ['x', 1]],
      ];
      const outputs = others.map((each) => JSON.stringify(Object.fromEntries(each)));
      expect(await engines.accepts(schemaOf(form), outputs)).toEqual(others.map(() => false));
    }
  });

  test('holds lists to their bound', async () => {
    const lists = forms().flatMap((form) => {
      const { properties } = schemaOf(form) as { properties: Record<string, Schema> };
      return Object.entries(properties).flatMap(([key, { maxItems }]) => {
        if (typeof maxItems !== 'number') return [];
        const [item] = (form.ideal as Record<string, unknown[]>)[key] ?? [];
        const outputs = [maxItems, maxItems + 1].map((length) =>
          JSON.stringify({ ...form.ideal, [key]: Array(length).fill(item) }),
        );
        return [{ schema: schemaOf(form), outputs }];
      });
    });
    // The quotes of a criterion, those of a fact, and late messages.
    expect(lists).toHaveLength(3);
    for (const { schema, outputs } of lists) {
      expect(await engines.accepts(schema, outputs)).toEqual([true, false]);
    }
  });

  test('lets no other word stand where words are given, and no other mark than 1 to 5 or null', async () => {
    const rating = forms().find(({ request }) => request.schema.name === 'criterion_rating');
    const marks = [1, 5, null, 0, 6, 4.5, '4'];
    const outputs = marks.map((mark) => JSON.stringify({ ...rating?.ideal, mark }));
    expect(await engines.accepts(rating?.request.schema.jsonSchema ?? {}, outputs)).toEqual([
      ...[true, true, true],
      ...[false, false, false, false],
    ]);
    for (const form of forms()) {
      const [first] = Object.keys(form.ideal);
      const output = JSON.stringify({ ...form.ideal, [first ?? '']: 'another' });
      expect(await engines.accepts(schemaOf(form), [output])).toEqual([false]);
    }
  });
});

/** Without a beginning of the reply, so that the grammar begins with the output. */
const PLAIN =
  '{% for message in messages %}{{ message.role }}: {{ message.content }}\n{% endfor %}';

(HAS_LLAMA ? describe : describe.skip)('llama.cpp', () => {
  test('keeps even a model of random weights to the form, with or without a fence', async () => {
    const ajv = new Ajv({ allowUnionTypes: true });
    for (const form of forms()) {
      const { messages } = form.request;
      const { grammar } = await engines.byLlama(PLAIN, messages, { schema: schemaOf(form) });
      // With a schema it still lets a model write the object into a fence, which our readers take.
      expect(grammar).toMatch(/^root ::= .*```json/m);
      for (const seed of [1, 2, 3]) {
        const written = await engines.write(grammar, seed);
        const json = /^\s*(?:```json)?([^]*?)(?:```)?\s*$/.exec(written)?.[1] ?? '';
        const output = JSON.parse(json) as object;
        expect(ajv.validate(schemaOf(form), output)).toBe(true);
        expect(Object.keys(output)).toEqual(Object.keys(form.ideal));
      }
    }
  });

  test('shows tools to the model and lets it call none while there is a schema', async () => {
    const reply = requests.find(({ request }) => (request.tools ?? []).length > 0)?.request;
    const tools = (reply?.tools ?? []).map(({ inputSchema, ...tool }) => ({
      type: 'function',
      function: { ...tool, parameters: inputSchema },
    }));
    const template = `${PLAIN}{{ tools | tojson }}`;
    const schema = reply?.schema.jsonSchema ?? {};
    const rendered = await engines.byLlama(template, reply?.messages ?? [], { schema, tools });

    expect(rendered.prompt).toContain('search_knowledge');
    expect(rendered.grammar).toMatch(/^root ::= .*response-format/m);
    expect(rendered.grammar).not.toContain('search_knowledge');
  });
});
