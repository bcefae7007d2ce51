/** The browser's own EventSource: it carries the cookie, and comes back by itself. */
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
    // At `hello`, not at `open`: only from then on every new message is sent.
    source.addEventListener('hello', () => setOpened((count) => count + 1));
    on('message', (all, { id, text }) => all.set(id, text));
    on('start', (all, { messageId }) => all.set(messageId, ''));
    // Appended, not placed by its offset: a gap or a double would show.
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
