import type { ChatCompletionCreateParamsStreaming } from 'openai/resources/chat/completions';
import type { ModelRequest } from './model-client';
import type { OutputFormat, ServerCapabilities } from './server-habits';
import { wireTools } from './tool-calls';

/** A request as this server wants it. Pure. */
export function requestBody(
  request: ModelRequest,
  choices: {
    readonly model: string;
    readonly habits: ServerCapabilities;
    readonly maxTokens: number;
  },
): ChatCompletionCreateParamsStreaming {
  const { model, habits, maxTokens } = choices;
  const { tools = [] } = request;
  const limit =
    habits.tokenLimitName === 'max_tokens'
      ? { max_tokens: maxTokens }
      : { max_completion_tokens: maxTokens };
  return {
    model,
    stream: true,
    messages: [
      { role: 'system', content: systemFor(request, habits.format) },
      ...request.messages.map(({ role, content }) => ({ role, content })),
    ],
    ...limit,
    ...(habits.offersTools && tools.length > 0 ? { tools: wireTools(tools) } : {}),
    ...(habits.asksForUsage ? { stream_options: { include_usage: true } } : {}),
    ...(habits.format === 'json_schema' ? responseFormat(request) : {}),
  };
}

function systemFor({ system, schema }: ModelRequest, format: OutputFormat): string {
  switch (format) {
    case 'json_schema':
      return system;
    case 'json_in_text':
      return `${system}\n\nReply with one JSON object and nothing else, its keys in this order, valid for this JSON schema:\n${JSON.stringify(schema.jsonSchema)}`;
    case 'plain':
      return `${system}\n\nReply with the text for the candidate only: no verdict, no JSON, no markup.`;
  }
}

function responseFormat({ schema }: ModelRequest): Partial<ChatCompletionCreateParamsStreaming> {
  return {
    response_format: {
      type: 'json_schema',
      json_schema: {
        name: schema.name,
        strict: true,
        schema: schema.jsonSchema as Record<string, unknown>,
      },
    },
  };
}
