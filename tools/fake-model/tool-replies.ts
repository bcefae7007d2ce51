import type { ModelReply } from './model-replies';

/** A whole completion that calls tools: each a name and its arguments, as text or as an object. */
export function callTools(...calls: readonly (readonly [string, unknown])[]): ModelReply {
  return completion({
    role: 'assistant',
    content: null,
    tool_calls: calls.map(([name, input], index) => ({
      id: `call_${String(index + 1)}`,
      type: 'function',
      function: { name, arguments: typeof input === 'string' ? input : JSON.stringify(input) },
    })),
  });
}

/** A whole completion with this message. */
function completion(message: object): ModelReply {
  const choices = [{ index: 0, message, finish_reason: 'stop' }];
  const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };
  const body = JSON.stringify({ id: 'x', object: 'chat.completion', choices, usage });
  return { kind: 'body', contentType: 'application/json', body };
}

/** A streamed response that calls tools, with its arguments in pieces. */
export function streamCalls(...calls: readonly (readonly [string, object])[]): ModelReply {
  const begun = calls.map(([name], index) => ({
    index,
    id: `call_${String(index + 1)}`,
    type: 'function',
    function: { name, arguments: '' },
  }));
  const pieces = calls.flatMap(([, input], index) =>
    (JSON.stringify(input).match(/.{1,9}/gsu) ?? []).map((piece) => ({
      tool_calls: [{ index, function: { arguments: piece } }],
    })),
  );
  const deltas = [{ role: 'assistant', content: null, tool_calls: begun }, ...pieces];
  return {
    kind: 'lines',
    lines: [
      ...deltas.map((delta) => eventOf({ delta })),
      eventOf({ delta: {}, finish_reason: 'tool_calls' }),
      'data: [DONE]',
    ],
  };
}

function eventOf(choice: object): string {
  return `data: ${JSON.stringify({ choices: [{ index: 0, ...choice }] })}`;
}
