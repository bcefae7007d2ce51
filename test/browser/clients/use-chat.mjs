/** `useChat` with its own transport. The browser sends the session's cookie. */
import { Chat, useChat } from '@ai-sdk/react';
import { DefaultChatTransport } from 'ai';
import { createElement as h, useState } from 'react';

const transport = new DefaultChatTransport({ api: '/api/chat' });

/** The first form in its manual: everything is in the hook's options. */
export function UseChat({ conversation }) {
  const { id, messages } = conversation;
  const chat = useChat({ id, messages: messages.map(uiMessage), resume: true, transport });
  return h(ChatView, { id, ...chat });
}

/**
 * With its own `Chat`. A page that resumes after a cut without a reload needs this: a transport that is
 * given to the hook loses its `resumeStreamIsReplay` (@ai-sdk/react 3.0.326), and the first half of the
 * reply is shown twice.
 */
export function UseChatWithChat({ conversation }) {
  const { id, messages } = conversation;
  const [chat] = useState(() => new Chat({ id, messages: messages.map(uiMessage), transport }));
  return h(ChatView, { id, ...useChat({ chat, resume: true }) });
}

function ChatView({ id, messages, status, error, sendMessage, stop, resumeStream, regenerate }) {
  const [draft, setDraft] = useState('');
  const stopAll = async () => {
    await fetch(`/api/chat/${id}/stop`, { method: 'POST' });
    await stop();
  };
  const send = (event) => {
    event.preventDefault();
    void sendMessage({ text: draft });
    setDraft('');
  };
  return h(
    'div',
    null,
    h(
      'ol',
      null,
      messages.map((message) =>
        h('li', { key: message.id, 'data-role': message.role }, textOf(message)),
      ),
    ),
    h('output', null, status),
    h('p', { role: 'alert' }, error?.message ?? ''),
    h(
      'form',
      { onSubmit: send },
      h('input', {
        'aria-label': 'Message',
        value: draft,
        onChange: (event) => setDraft(event.target.value),
      }),
      h('button', null, 'Send'),
    ),
    h('button', { onClick: stopAll }, 'Stop'),
    h('button', { onClick: () => resumeStream() }, 'Resume'),
    h('button', { onClick: () => regenerate() }, 'Regenerate'),
  );
}

function uiMessage({ id, clientId, role, text }) {
  return { id: clientId ?? id, role, parts: [{ type: 'text', text }] };
}

function textOf({ parts }) {
  return parts.map(({ type, text }) => (type === 'text' ? text : '')).join('');
}
