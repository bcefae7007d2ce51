import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';
import { clientId } from '../conversation.dto';

const part = z.looseObject({ type: z.string(), text: z.string().optional() });

const userMessage = z.looseObject({
  role: z.literal('user'),
  id: clientId,
  parts: z.array(part).max(1000),
});

/** The client's copy of our own lines: whatever it holds, it is not read. */
const otherMessage = z.looseObject({ role: z.string().refine((role) => role !== 'user') });

/**
 * What the AI SDK's transport posts: the whole history each time. Only new user messages count;
 * the rest is not believed. Extra fields are allowed.
 */
export class ChatBody extends createZodDto(
  z.looseObject({
    id: clientId,
    messages: z.array(z.union([userMessage, otherMessage])).max(5000),
    trigger: z.string().optional(),
  }),
) {}

export interface SentMessage {
  readonly id: string;
  readonly text: string;
}

/** The user's messages in the client's order, each with its text. */
export function userMessages({ messages }: ChatBody): SentMessage[] {
  return messages.filter(isOfUser).map(({ id, parts }) => ({
    id,
    text: parts
      .filter(({ type }) => type === 'text')
      .map(({ text }) => text ?? '')
      .join('\n'),
  }));
}

function isOfUser(message: { role: string }): message is z.infer<typeof userMessage> {
  return message.role === 'user';
}
