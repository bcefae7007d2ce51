import { z } from 'zod';

/**
 * What the AI SDK's transport posts. Only new user messages count; the rest of the history is the
 * client's copy of what is stored here, and is not believed. Extra fields are allowed.
 */
const part = z.looseObject({ type: z.string(), text: z.string().optional() });

const message = z.looseObject({
  id: z.string().min(1).max(128),
  role: z.string(),
  parts: z.array(part).max(1000),
});

export const chatBody = z.looseObject({
  id: z.string().min(1).max(128),
  messages: z.array(message).max(5000),
  trigger: z.string().optional(),
});

export type ChatBody = z.infer<typeof chatBody>;

/** The user's messages in the client's order, each with its text. */
export function userMessages(body: ChatBody): { readonly id: string; readonly text: string }[] {
  return body.messages
    .filter(({ role }) => role === 'user')
    .map(({ id, parts }) => ({
      id,
      text: parts
        .filter(({ type }) => type === 'text')
        .map(({ text }) => text ?? '')
        .join('\n'),
    }));
}
