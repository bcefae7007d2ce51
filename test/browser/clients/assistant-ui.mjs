/** assistant-ui's runtime for the AI SDK, and its primitives. */
import {
  AssistantRuntimeProvider,
  ComposerPrimitive,
  MessagePartPrimitive,
  MessagePrimitive,
  ThreadPrimitive,
} from '@assistant-ui/react';
import { AssistantChatTransport, useChatRuntime } from '@assistant-ui/react-ai-sdk';
import { createElement as h } from 'react';

const transport = new AssistantChatTransport({ api: '/api/chat' });

export function AssistantUi() {
  const runtime = useChatRuntime({ transport });
  return h(
    AssistantRuntimeProvider,
    { runtime },
    h(
      ThreadPrimitive.Root,
      null,
      h(
        ThreadPrimitive.Viewport,
        null,
        h(ThreadPrimitive.Messages, {
          components: {
            UserMessage: () => h(Message, { role: 'user' }),
            AssistantMessage: () => h(Message, { role: 'assistant' }),
          },
        }),
      ),
      h(
        ComposerPrimitive.Root,
        null,
        h(ComposerPrimitive.Input, { 'aria-label': 'Message' }),
        h(ComposerPrimitive.Send, null, 'Send'),
        h(ComposerPrimitive.Cancel, null, 'Cancel'),
      ),
    ),
  );
}

function Message({ role }) {
  return h(
    MessagePrimitive.Root,
    { 'data-role': role },
    h(MessagePrimitive.Parts, { components: { Text } }),
  );
}

/** Shows the text without the dot that the default component adds to a running text. */
function Text() {
  return h(MessagePartPrimitive.Text);
}
