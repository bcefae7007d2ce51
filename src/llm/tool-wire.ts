import type { ChatCompletionFunctionTool } from 'openai/resources/chat/completions';
import type { OfferedTool } from './model-client';

/** Tools as the protocol names them. */
export function wireTools(tools: readonly OfferedTool[]): ChatCompletionFunctionTool[] {
  return tools.map(({ name, description, inputSchema }) => ({
    type: 'function',
    function: { name, description, parameters: inputSchema },
  }));
}

/** What a model wrote for a tool; undefined when it is not JSON. Some servers send it parsed. */
export function inputOf(written: unknown): unknown {
  if (typeof written !== 'string') return written;
  try {
    return JSON.parse(written) as unknown;
  } catch {
    return undefined;
  }
}
