import type { OfferedTool } from './model-client';
import { inputOf, outputProper, valuesIn } from './model-output';

/*
 * Calls of tools that stand in the text of a completion. Servers without a parser for a model's family
 * hand on its own form of a call as text. The families agree in this much: the tool's name stands near its
 * input, and the input is an object, XML-like parameters, or arguments as in Python.
 */

export interface WrittenCall {
  readonly name: string;
  /** An object with what the tool's schema requires. */
  readonly input: unknown;
}

/** Between a tool's name and its input, in UTF-16 units: marks, a fence, the type of the call. */
const LONGEST_GAP = 120;
/** Of one call's input. */
const LONGEST_INPUT = 20_000;

/** MiniMax M3 writes it before each tag. */
const TAG_MARK = ']<]minimax[>[';

/** The calls of offered tools in an output, in the order in which they stand; those within reasoning are none. */
export function writtenCalls(output: string, tools: readonly OfferedTool[]): WrittenCall[] {
  const text = outputProper(output).replaceAll(TAG_MARK, '');
  return tools.flatMap((tool) => {
    const asJson = [...valuesIn(text)].flatMap(({ value }) => callsIn(value, tool));
    return asJson.length > 0 ? asJson : callsByName(text, tool);
  });
}

/** Deeper in a value no call is looked for, because a value may be nested without end. */
const DEEPEST = 20;

/** `{"name": "…", "arguments": {…}}` and its variants: one call, a list, a wrapper. */
function callsIn(value: unknown, tool: OfferedTool, depth = 0): WrittenCall[] {
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return [];
  if (Array.isArray(value)) return value.flatMap((each) => callsIn(each, tool, depth + 1));
  const { name, tool_name, function: called, recipient_name, ...others } = value as Fields;
  const isNamed = [name, tool_name, called, recipient_name].some((one) => isNameOf(tool, one));
  if (isNamed) {
    const { arguments: written, parameters, input, args, kwargs } = others;
    const given = inputOf(written ?? parameters ?? input ?? args ?? kwargs ?? others);
    return fits(tool, given) ? [{ name: tool.name, input: given }] : [];
  }
  // `{"search": {"query": "…"}}`: the name is the key.
  const byKey = (value as Fields)[tool.name];
  if (fits(tool, byKey)) return [{ name: tool.name, input: byKey }];
  return Object.values(value).flatMap((each) => callsIn(each, tool, depth + 1));
}

type Fields = Readonly<Record<string, unknown>>;

/** `functions.search`, `search:0`. */
function isNameOf({ name }: OfferedTool, written: unknown): boolean {
  if (typeof written !== 'string') return false;
  return (
    written
      .trim()
      .replace(/^\w+\./, '')
      .replace(/:\d+$/, '') === name
  );
}

/** The name stands in the text, and the input behind it. */
function callsByName(text: string, tool: OfferedTool): WrittenCall[] {
  const calls: WrittenCall[] = [];
  const places = [
    ...text.matchAll(new RegExp(`(?<!\\w)${escaped(tool.name)}(?:json)?(?![a-z])`, 'g')),
  ];
  for (const [n, { index }] of places.entries()) {
    const from = index + tool.name.length;
    const until = Math.min(places[n + 1]?.index ?? text.length, from + LONGEST_INPUT);
    const input = inputBehind(text.slice(from, until), tool);
    if (input !== null) calls.push({ name: tool.name, input });
  }
  return calls;
}

function inputBehind(text: string, tool: OfferedTool): unknown {
  return objectBehind(text, tool) ?? parametersBehind(text, tool) ?? argumentBehind(text, tool);
}

/** `search<sep>{"query": "…"}`. */
function objectBehind(text: string, tool: OfferedTool): unknown {
  for (const { value, start } of valuesIn(text)) {
    if (start > LONGEST_GAP) return null;
    if (fits(tool, value)) return value;
  }
  return null;
}

const DOUBLE_QUOTED = String.raw`"((?:[^"\\]|\\.)*)"`;
const SINGLE_QUOTED = String.raw`'((?:[^'\\]|\\.)*)'`;
/** Between a parameter's name and its value: attributes, marks, an equals sign. */
const GLUE = String.raw`["']?(?:\s+\w+="[^"<>]*")*\s*(?:(?:[=:>]|<[^<>]*>)\s*)+`;

/** `<parameter name="query">…`, `<arg_key>query</arg_key><arg_value>…`, `{query:<escape>…`, `(query="…")`. */
function parametersBehind(text: string, tool: OfferedTool): unknown {
  const input = Object.fromEntries(
    propertiesOf(tool).flatMap((key) => {
      const value = `(?:${DOUBLE_QUOTED}|${SINGLE_QUOTED}|([^<]+))`;
      const found = new RegExp(`(?<!\\w)${escaped(key)}${GLUE}${value}`, 's').exec(text);
      if (found === null) return [];
      const [, double, single, plain = ''] = found;
      return [[key, unescaped(double ?? single) ?? plain.trim()]];
    }),
  );
  return fits(tool, input) ? input : null;
}

/** `search("…")`, for a tool with one parameter. */
function argumentBehind(text: string, tool: OfferedTool): unknown {
  const call = new RegExp(`^\\s*\\(\\s*(?:${DOUBLE_QUOTED}|${SINGLE_QUOTED})\\s*\\)`, 's').exec(
    text,
  );
  const [key = ''] = propertiesOf(tool);
  const input = call === null ? {} : { [key]: unescaped(call[1] ?? call[2]) };
  return fits(tool, input) ? input : null;
}

function unescaped(written: string | undefined): string | undefined {
  return written?.replace(/\\(.)/gs, '$1');
}

function propertiesOf({ inputSchema }: OfferedTool): string[] {
  return Object.keys(inputSchema['properties'] ?? {});
}

/** Whether a value is an object with every property that the tool's schema requires. */
function fits({ inputSchema }: OfferedTool, value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const required = (inputSchema['required'] ?? []) as readonly string[];
  return required.every((key) => key in value);
}

function escaped(name: string): string {
  return name.replace(/[^\w]/g, '\\$&');
}
