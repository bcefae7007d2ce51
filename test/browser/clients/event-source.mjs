/** The browser's own EventSource: it sends the cookie and reconnects by itself. */
import { createElement as h, useEffect, useState } from 'react';

export function EventSourceReader({ conversation }) {
  const [texts, setTexts] = useState(() => conversation.messages.map(({ id, text }) => [id, text]));
  const [opened, setOpened] = useState(0);
  useEffect(() => {
    const source = new EventSource('/api/v1/conversation/events');
    const on = (name, change) =>
      source.addEventListener(name, ({ data }) => {
        const event = JSON.parse(data);
        setTexts((before) => [...change(new Map(before), event)]);
      });
    // Counted at `hello` and not at `open`, because the server sends every new message from `hello` on.
    source.addEventListener('hello', () => setOpened((count) => count + 1));
    on('message', (all, { id, text }) => all.set(id, text));
    on('start', (all, { messageId }) => all.set(messageId, ''));
    // Appended without a look at its offset, so that a gap or repeated text would be visible.
    on('delta', (all, { messageId, text }) =>
      all.set(messageId, (all.get(messageId) ?? '') + text),
    );
    return () => source.close();
  }, []);
  return h(
    'div',
    null,
    h(
      'ol',
      null,
      texts.map(([id, text]) => h('li', { key: id }, text)),
    ),
    h('output', null, String(opened)),
  );
}
